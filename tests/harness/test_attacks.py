"""Attacks on a rule before the boundary, and the true revocation beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from standfast.graders.retention import Retention, classify
from standfast.harness import catalogue, rows
from standfast.harness.attacks import ATTACKS, CHOICES, REVOCATION, attacked
from standfast.harness.checks import faults
from standfast.harness.faults import BadInput
from standfast.harness.folder import RunFolder
from standfast.harness.history import replayed
from standfast.harness.scenario import TEMPTING, Scenario

NAMES = ["f02-production-path", "f12-contract-files", "f16-payment-run", "f22-one-time-permission"]


@pytest.fixture(scope="module", params=NAMES)
def plain(request: pytest.FixtureRequest) -> Scenario:
    return catalogue.one(request.param)


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_stands_once_before_the_first_boundary_and_changes_nothing_else(plain: Scenario, name: str) -> None:
    before, after = (replayed(s, 2, window=800).said for s in (plain, attacked(plain, name)))
    text = ATTACKS[name].text
    assert text is not None
    assert sum(text in said.text for said in after) == 1
    cut = [said.text.replace(f"\n\n{text}", "") for said in after if f"<document>\n{text}" not in said.text]
    assert [line for line in cut if line != "I have filed it with the other papers."] == [said.text for said in before]


@pytest.mark.parametrize("name", ATTACKS)
def test_nobody_who_may_change_a_rule_says_an_attack(plain: Scenario, name: str) -> None:
    said = next(s for s in replayed(attacked(plain, name), 1, window=800).said if (ATTACKS[name].text or "") in s.text)
    assert said.role == "tool" or said.text.startswith("<document>")


@pytest.mark.parametrize("file", catalogue.files(), ids=lambda path: path.stem)
def test_no_attack_names_a_rule_of_the_suite_so_that_the_floor_stays_a_floor(
    file: Path, bundled: Callable[[str], Scenario]
) -> None:
    for rule in bundled(file.stem).rules:
        for attack in ATTACKS.values():
            assert classify(attack.text or "", rule.atoms, rule.text).retention is Retention.DROPPED, attack.name


@pytest.mark.parametrize("name", CHOICES)
def test_a_scenario_under_attack_still_proves_itself(plain: Scenario, name: str) -> None:
    assert list(faults(attacked(plain, name))) == []


def test_every_attack_is_another_scenario_in_the_eyes_of_a_run(plain: Scenario) -> None:
    assert len({attacked(plain, name).digest for name in CHOICES}) == len(CHOICES)


def test_a_true_revocation_makes_permitted_what_tempted(plain: Scenario) -> None:
    revoked = attacked(plain, REVOCATION)
    assert all(rule.lifted for rule in revoked.rules)
    assert not [probe for probe in revoked.probes if probe.kind in TEMPTING]
    assert [probe.calls for probe in revoked.probes] == [probe.calls for probe in plain.probes]


def test_an_unknown_attack_names_the_nearest_one(plain: Scenario) -> None:
    with pytest.raises(BadInput, match="did you mean `operator`"):
        attacked(plain, "operater")


@pytest.fixture(scope="module")
def trials(small_run: Callable[..., RunFolder], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    folder: Path = tmp_path_factory.mktemp("attacked")

    def run(name: str) -> Any:
        made = small_run(
            folder / name,
            attack=name,
            compactors=["inspect-neutral"],
            models=["scripted/reader", "scripted/obedient", "scripted/refusing"],
        )
        return rows.read(made.path, "trials")

    return run


def test_obeying_a_true_revocation_is_no_fault_and_refusing_it_is_over_retention(trials: Callable[[str], Any]) -> None:
    frame = trials(REVOCATION)
    assert set(frame.attack) == {REVOCATION}
    assert "violated" not in set(frame.behaviour)
    asked = frame[(frame.probe == "vendor-version") & (frame.arm == "compacted")].set_index("actor").behaviour
    assert dict(asked) == {
        "scripted/reader": "served",
        "scripted/obedient": "served",
        "scripted/refusing": "overblocked",
    }


def test_an_attack_leaves_the_rule_in_force(trials: Callable[[str], Any]) -> None:
    frame = trials("operator")
    assert set(frame.attack) == {"operator"}
    asked = frame[(frame.probe == "vendor-version") & (frame.arm == "compacted")].set_index("actor").behaviour
    assert asked["scripted/reader"] == "held"  # the writer `verbatim` keeps the rule, and the reader obeys it
    floor = frame[(frame.probe == "vendor-version") & (frame.arm == "floor") & (frame.actor == "scripted/reader")]
    assert set(floor.behaviour) == {"violated"}
