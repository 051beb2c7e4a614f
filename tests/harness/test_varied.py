"""Another seed gives other names, numbers and dates, and the same scenario."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from typing import Any

import pytest
from standfast.harness import catalogue, yaml_text
from standfast.harness.faults import BadInput
from standfast.harness.history import replayed
from standfast.harness.scenario import Scenario, validate
from standfast.harness.varied import Varies, vary

F16 = catalogue.BUNDLED / "core" / "f16-payment-run.yaml"
VARIES: dict[str, Any] = {
    "people": ["Ines", "Otto"],
    "families": ["Halloran"],
    "words": ["Corbel", "Fenwick"],
    "numbers": [
        ["INV-101", "INV-102", "INV-103", "INV-104", "INV-105", "INV-106", "INV-107", "INV-108"],
    ],
    "together": [{"1240.00": ["1310.00", "1185.00"]}],
}


def payment_run(**varies: Any) -> yaml_text.Parsed:
    parsed = yaml_text.read(F16)
    data = copy.deepcopy(parsed.data)
    data["varies"] = VARIES | varies
    return yaml_text.Parsed(parsed.file, data, parsed.lines)


@pytest.fixture(scope="module")
def seeds() -> dict[int, Scenario]:
    """The payment run under four seeds; each is checked completely when it is loaded."""
    return {seed: validate(payment_run(), seed) for seed in (1, 2, 3, 10**9)}


def told(scenario: Scenario, seed: int = 1) -> str:
    return "\n".join(said.text for said in replayed(scenario, 2, seed=seed, window=400).said)


def test_seed_one_is_the_file_as_it_stands(seeds: dict[int, Scenario]) -> None:
    assert seeds[1].digest == validate(yaml_text.read(F16)).digest


def test_every_other_seed_says_other_names_and_numbers(seeds: dict[int, Scenario]) -> None:
    for seed in (2, 3, 10**9):
        text = told(seeds[seed])
        for gone in ("Ines", "Halloran", "Corbel", "corbel", "INV-101", "1240"):
            assert gone not in text, (seed, gone)
    assert len({told(scenario) for scenario in seeds.values()}) == 4
    assert len({scenario.digest for scenario in seeds.values()}) == 4


def test_names_inside_the_file_are_those_of_every_seed(seeds: dict[int, Scenario]) -> None:
    for key in ("rules", "subtasks", "probes"):
        assert len({tuple(each.id for each in getattr(scenario, key)) for scenario in seeds.values()}) == 1


def test_numbers_of_a_list_keep_their_order_distance_and_length(seeds: dict[int, Scenario]) -> None:
    for scenario in seeds.values():
        ids = [invoice["id"] for invoice in scenario.world.start["invoices"]]
        numbers = [int(id.removeprefix("INV-")) for id in ids]
        assert [n - numbers[0] for n in numbers] == list(range(8))
        assert all(re.fullmatch(r"INV-\d{3}", id) for id in ids)


def test_a_value_that_is_a_number_changes_with_its_written_form(seeds: dict[int, Scenario]) -> None:
    amounts = {seed: scenario.world.start["invoices"][0]["amount"] for seed, scenario in seeds.items()}
    assert amounts[1] == 1240.0
    assert {amounts[seed] for seed in (2, 3, 10**9)} <= {1310.0, 1185.0}


def test_the_same_seed_says_the_same_in_another_process_with_another_hash_seed() -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from standfast.harness.varied import Varies, vary\n"
        "data = {'id': 'x', 'opening': 'Ines and Otto read INV-101.'}\n"
        "varies = Varies(people=('Ines', 'Otto'), numbers=(('INV-101',),))\n"
        "print(vary(data, varies, int(sys.argv[1]))['opening'])"
    )

    def said(hash_seed: str) -> str:
        made = subprocess.run(
            [sys.executable, "-c", code, "7", *sys.path],
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": hash_seed},
        )
        return made.stdout

    assert said("1") == said("2") == "Ramona and Gareth read INV-323.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Corbel, CORBEL and corbel-tools", "Merle, MERLE and merle-tools"),
        ("Corbel's and Corbels", "Merle's and Merles"),
        ("Corbelino and Incorbel", "Corbelino and Incorbel"),
        ("{rule:corbel} corbel", "{rule:corbel} merle"),
        ("12.40 or 12.405 or 12,40 or 112.40", "13.10 or 12.405 or 12,40 or 112.40"),
        ("A-12 and A-123 and BA-12", "A-99 and A-123 and BA-12"),
    ],
)
def test_whole_words_change_in_their_case_and_marks_stay(
    text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from standfast.harness import varied

    monkeypatch.setattr(varied, "_renaming", lambda *_: {"Corbel": "Merle", "12.40": "13.10", "A-12": "A-99"})
    assert vary({"id": "x", "opening": text}, Varies(words=("Corbel",)), 2)["opening"] == expected


def test_names_of_scripts_without_spaces_change_inside_a_sentence() -> None:
    changed = vary({"id": "x", "opening": "请李雅把文件发给王强。"}, Varies(people=("李雅", "王强")), 2, "zh")[
        "opening"
    ]
    assert re.fullmatch(r"请[一-鿿]{2}把文件发给[一-鿿]{2}。", changed)
    assert "李雅" not in changed
    assert "王强" not in changed


def test_a_number_beside_letters_of_a_script_without_spaces_changes_too() -> None:
    changed = vary({"id": "x", "opening": "室井さんは55-0142です"}, Varies(numbers=(("55-0142",),)), 2, "ja")["opening"]
    assert re.fullmatch(r"室井さんは55-\d{4}です", changed)
    assert "0142" not in changed


@pytest.mark.parametrize(
    ("varies", "fault"),
    [
        ({"people": ["Inez"]}, r"varies: `Inez` stands nowhere in the file; did you mean `Ines`\?"),
        ({"numbers": [["INV"]]}, "`INV` under `numbers` does not end with a number"),
        ({"numbers": [["INV-999"]]}, "`INV-999` stands nowhere"),
        ({"together": [{"1240.00": ["1.00"], "318.50": ["2.00", "3.00"]}]}, "as many alternatives each"),
        ({"persons": ["Ines"]}, r"unknown key `persons`; there is families, numbers, people"),
    ],
)
def test_what_cannot_vary_is_one_clear_error(varies: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadInput, match=fault):
        validate(payment_run(**varies))


def test_a_seed_under_which_the_scenario_breaks_names_the_seed() -> None:
    broken = payment_run(together=[{"1240.00": ["-5.00"]}])
    validate(broken)
    with pytest.raises(BadInput, match=r"\(seed 2\)"):
        validate(broken, 2)


def test_no_room_for_other_numbers_is_said() -> None:
    data = {"id": "x", "opening": " ".join(f"A-{n}" for n in range(10))}
    with pytest.raises(ValueError, match="no room to move A-3"):
        vary(data, Varies(numbers=(("A-3",),)), 2)
