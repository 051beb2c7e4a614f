"""Random and adversarial texts and calls, a few of the many that `benchmarks/fuzz_graders.py` tries."""

import random
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def fuzz(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import adversary
    import fuzz_graders

    # what reaches a grader is at most a hundred deep: Inspect refuses the arguments otherwise
    monkeypatch.setattr(adversary, "DEEP", (50, 100))
    return fuzz_graders


@pytest.mark.parametrize("seed", range(3))
def test_no_text_and_no_call_makes_a_grader_raise_or_stall(fuzz, seed):
    assert fuzz.run(700, seed) == []


def test_a_fault_is_found_and_named_with_the_seed_that_makes_it_again(fuzz, monkeypatch):
    def raises(rng: random.Random) -> None:
        raise KeyError("x")

    monkeypatch.setattr(fuzz, "CHECKS", [{"raises": raises}])
    assert fuzz.run(2, 5) == [f"raises seed 5 case {number}: KeyError: 'x'" for number in range(2)]


def test_every_grader_takes_a_text_that_is_long_in_every_way(fuzz):
    for unit in fuzz.LONG.values():
        for grade in fuzz.GRADERS.values():
            grade(unit * (20_000 // len(unit)))
