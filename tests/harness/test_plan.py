"""The grid of a run, and ids that change with every thing that a chain depends on and with nothing else."""

from __future__ import annotations

import importlib.metadata
import itertools
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest
from standfast.harness import compactors
from standfast.harness.compactors import Spec
from standfast.harness.plan import (
    SELF,
    UNCOMPACTED,
    Arm,
    Asked,
    Cell,
    Chain,
    Continuation,
    Mitigation,
    cells,
    chains,
    needed,
    uncompacted,
)
from standfast.harness.scenario import OF_SUBTASKS, TWINS, ProbeKind, Scenario

Edited = Callable[[Callable[[dict[str, Any]], None]], Scenario]


def wanted(**besides: Any) -> Asked:
    values: dict[str, Any] = {
        "scenarios": ("f12-contract-files",),
        "models": ("scripted/reader",),
        "compactors": ("truncate", "inspect-neutral"),
        "writers": ("scripted/verbatim", "scripted/dropping"),
    }
    return Asked(**{**values, **besides})


def grid(asked: Asked, *scenarios: Scenario) -> list[Cell]:
    return cells(asked, chains(asked, scenarios))


# ---- chains


def test_there_is_one_uncompacted_chain_then_one_a_compactor_and_writer(scenario: Scenario) -> None:
    found = [(c.compactor.name, c.writer) for c in chains(wanted(), [scenario])]
    assert found == [
        ("none", None),
        ("truncate", None),
        ("inspect-neutral", "scripted/verbatim"),
        ("inspect-neutral", "scripted/dropping"),
    ]


def test_draws_repeat_what_is_written_and_nothing_that_is_not(scenario: Scenario) -> None:
    found = chains(wanted(draws=3, seed=5), [scenario])
    seeds = {name: [c.seed for c in found if (c.compactor.name, c.writer) == name] for name in names(found)}
    assert seeds == {
        ("none", None): [5],
        ("truncate", None): [5],
        ("inspect-neutral", "scripted/verbatim"): [5, 6, 7],
        ("inspect-neutral", "scripted/dropping"): [5, 6, 7],
    }
    assert {c.history_seed for c in found} == {5}, "all draws compact the same history"


def names(found: list[Chain]) -> set[tuple[str, str | None]]:
    return {(c.compactor.name, c.writer) for c in found}


def test_more_draws_leave_the_ids_of_the_first_ones(scenario: Scenario) -> None:
    few, many = ([c.id for c in chains(wanted(draws=n), [scenario])] for n in (1, 3))
    assert set(few) < set(many)


def test_none_and_a_compactor_named_twice_are_one_chain_each(scenario: Scenario) -> None:
    found = chains(wanted(compactors=("none", "truncate", "truncate", "truncate:keep=8")), [scenario])
    assert [c.compactor.name for c in found] == ["none", "truncate"]


def test_where_each_model_writes_for_itself_the_models_are_the_writers(scenario: Scenario) -> None:
    asked = wanted(models=("a/x", "b/y"), writers=(SELF,))
    assert [c.writer for c in chains(asked, [scenario]) if c.compactor.name == "inspect-neutral"] == ["a/x", "b/y"]


def test_the_uncompacted_chain_of_a_chain_is_the_one_in_the_plan(scenario: Scenario) -> None:
    found = chains(wanted(draws=2, seed=4), [scenario])
    assert {uncompacted(chain).id for chain in found} == {found[0].id}


# ---- ids


def chain(scenario: Scenario, **changes: Any) -> Chain:
    values: dict[str, Any] = {
        "scenario": scenario,
        "compactor": compactors.parse("langmem"),
        "writer": "scripted/verbatim",
        "seed": 1,
        "history_seed": 1,
        "cycles": 2,
        "window": 600,
    }
    return Chain(**{**values, **changes})


CHANGES: dict[str, dict[str, Any]] = {
    "compactor": {"compactor": compactors.parse("inspect-neutral")},
    "setting": {"compactor": compactors.parse("langmem:keep=3")},
    "writer": {"writer": "scripted/dropping"},
    "seed": {"seed": 2},
    "history_seed": {"history_seed": 2},
    "cycles": {"cycles": 3},
    "window": {"window": 601},
    "runtime": {"runtime": "langmem 9"},
    "mitigation": {"mitigation": Mitigation.PIN},
    "continuation": {"continuation": Continuation.RESUME},
}


def test_an_id_changes_with_every_field_of_a_chain(scenario: Scenario) -> None:
    assert set(CHANGES) | {"scenario"} == {field.name for field in fields(Chain)} | {"setting"}
    ids = [chain(scenario).id, *(chain(scenario, **change).id for change in CHANGES.values())]
    assert len(set(ids)) == len(ids)


def test_an_id_changes_with_an_edit_of_the_scenario_and_not_with_its_layout(scenario: Scenario, edited: Edited) -> None:
    ids = {
        chain(edited(lambda data: None)).id,
        chain(edited(lambda data: data.update(dict(reversed(list(data.items())))))).id,
        chain(scenario).id,
    }
    assert len(ids) == 1
    assert chain(edited(lambda data: data.update(title="Another title"))).id not in ids
    assert chain(edited(lambda data: data["probes"][0].update(ask="Send them the draft, please."))).id not in ids


def test_the_runtime_of_a_chain_is_the_one_that_was_asked_for_and_not_what_is_installed_now(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked((scenario.id,), ("scripted/reader",), ("langmem", "truncate"), runtimes={"langmem": "langmem 1"})
    before = [each.id for each in chains(asked, [scenario])]
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.0")
    assert [each.id for each in chains(asked, [scenario])] == before
    newer = chains(replace(asked, runtimes={"langmem": "langmem 2"}), [scenario])
    changed = {each.compactor.name for each, id in zip(newer, before, strict=True) if each.id != id}
    assert changed == {"langmem"}


def test_ids_depend_on_nothing_that_a_chain_does_not_depend_on(scenario: Scenario) -> None:
    others = {
        "models": ("scripted/idle",), "arms": ("floor",), "probes": ("status",), "epochs": 4, "turns": 2, "limit": 3,
        "config": {"temperature": 1.0},
    }  # fmt: skip
    ids = [c.id for c in chains(wanted(), [scenario])]
    for key, value in others.items():
        assert [c.id for c in chains(wanted(**{key: value}), [scenario])] == ids, key


def test_the_order_of_settings_does_not_count(scenario: Scenario) -> None:
    one = Spec("langmem", {"keep": 3, "max_summary_tokens": 99})
    other = Spec("langmem", {"max_summary_tokens": 99, "keep": 3})
    assert chain(scenario, compactor=one).id == chain(scenario, compactor=other).id
    assert one.label == other.label == "langmem:keep=3,max_summary_tokens=99"


def test_an_id_is_a_file_name_that_says_what_it_is_however_odd_the_writer(scenario: Scenario) -> None:
    odd = "hf/Grüße/../" + "x" * 300
    made = chain(scenario, writer=odd).id
    assert made.startswith("f12-contract-files.langmem.hf-Gr")
    assert len(made) < 230
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.")
    assert made != chain(scenario, writer=odd + "y").id, "names that are cut still differ by the digest"


# ---- cells


def kinds(found: list[Cell]) -> Counter[tuple[str, str]]:
    return Counter((str(cell.arm), str(cell.probe.kind)) for cell in found)


def test_every_arm_meets_every_probe_of_a_rule_once_a_cycle(scenario: Scenario) -> None:
    found = grid(wanted(compactors=("truncate",), cycles=2), scenario)
    per_rule = [kind for kind in ProbeKind if kind not in OF_SUBTASKS]
    for kind in per_rule:
        probes = sum(1 for probe in scenario.probes if probe.kind is kind)
        counts = {arm: kinds(found)[arm, kind] / probes for arm in Arm}
        assert counts == {
            "floor": 3, "full": 3, "compacted": 2, "removed": 2, "restored": 2, "residue": 4
        }  # fmt: skip


def test_probes_of_subtasks_are_put_to_whole_contexts_only(scenario: Scenario) -> None:
    found = [cell for cell in grid(wanted(), scenario) if cell.probe.kind in OF_SUBTASKS]
    assert {str(cell.arm) for cell in found} == {"full", "compacted"}
    assert all(cell.rule is None for cell in found)


def test_uncompacted_arms_belong_to_the_uncompacted_chain_from_cycle_zero_and_no_other(scenario: Scenario) -> None:
    found = grid(wanted(cycles=2), scenario)
    assert all((cell.arm in UNCOMPACTED) == (cell.chain.compactor.name == "none") for cell in found)
    assert {cell.cycle for cell in found if cell.arm in UNCOMPACTED} == {0, 1, 2}
    assert {cell.cycle for cell in found if cell.arm not in UNCOMPACTED} == {1, 2}


def test_no_cell_stands_twice(scenario: Scenario) -> None:
    found = grid(wanted(cycles=2, draws=2, epochs=2), scenario)
    keys = [(c.chain.id, c.cycle, c.arm, c.residue_kind, c.probe.id, c.epoch) for c in found]
    assert len(keys) == len(set(keys))


def test_epochs_repeat_every_cell(scenario: Scenario) -> None:
    once, thrice = grid(wanted(), scenario), grid(wanted(epochs=3), scenario)
    assert len(thrice) == 3 * len(once)
    assert Counter(cell.epoch for cell in thrice) == dict.fromkeys((1, 2, 3), len(once))


def test_arms_and_probes_that_were_not_asked_for_have_no_cells(scenario: Scenario) -> None:
    found = grid(wanted(arms=("compacted",), probes=("prohibited", "status")), scenario)
    assert {(str(c.arm), str(c.probe.kind)) for c in found} == {("compacted", "prohibited"), ("compacted", "status")}


def test_a_residue_cell_a_wording(scenario: Scenario) -> None:
    found = grid(wanted(compactors=("truncate",), probes=("prohibited",), arms=("residue",)), scenario)
    probes = {cell.probe.id for cell in found}
    assert sorted(str(cell.residue_kind) for cell in found) == sorted([*scenario.rules[0].residue] * len(probes))


def test_every_model_acts_on_every_cell_unless_each_writes_for_itself(scenario: Scenario) -> None:
    models = ("a/x", "b/y")
    for cell in grid(wanted(models=models, writers=("w/1",)), scenario):
        assert list(cell.actors(models, ("w/1",))) == list(models)
    for cell in grid(wanted(models=models, writers=(SELF,)), scenario):
        assert list(cell.actors(models, (SELF,))) == (
            list(models) if cell.chain.writer is None else [cell.chain.writer]
        )


# ---- limit


@pytest.mark.parametrize("limit", [1, 4, 7, 30, 10_000])
def test_a_limit_keeps_the_first_cells_in_a_fixed_order(scenario: Scenario, limit: int) -> None:
    whole, some = grid(wanted(), scenario), grid(wanted(limit=limit), scenario)
    assert some == whole[:limit]


def test_four_cells_of_one_compactor_are_a_whole_comparison(scenario: Scenario) -> None:
    found = grid(wanted(compactors=("truncate",), limit=4), scenario)
    tempting = [cell for cell in found if cell.probe.kind is ProbeKind.PROHIBITED]
    assert {str(cell.arm) for cell in tempting} == {"floor", "full", "compacted"}
    twins = [cell for cell in found if cell.probe.kind in TWINS]
    assert [str(cell.arm) for cell in twins] == ["compacted"]
    assert len({cell.cycle for cell in found}) == 1


@pytest.mark.parametrize("cycles", [1, 3])
def test_the_limited_cells_of_several_compactors_come_with_their_floor_and_full(
    scenario: Scenario, cycles: int
) -> None:
    for limit in range(3, 40):
        found = grid(wanted(cycles=cycles, limit=limit), scenario)
        points = {
            (str(cell.arm), cell.cycle, cell.probe.id) for cell in found if cell.probe.kind is ProbeKind.PROHIBITED
        }
        for arm, cycle, probe in points:
            if arm == "compacted":
                assert {("floor", cycle, probe), ("full", cycle, probe)} <= points


def test_the_chains_of_limited_cells_come_with_their_uncompacted_chain(scenario: Scenario) -> None:
    found = grid(wanted(arms=("compacted",), limit=1), scenario)
    assert [c.compactor.name for c in needed(found)] == ["none", "truncate"]
    assert len(needed(grid(wanted(), scenario))) == 4
    assert needed([]) == []


def test_a_limit_finishes_one_scenario_before_the_next(scenario: Scenario, edited: Edited) -> None:
    other = edited(lambda data: data.update(id="f12-second"))
    found = grid(wanted(), scenario, other)
    assert [id for id, _ in itertools.groupby(cell.chain.scenario.id for cell in found)] == [scenario.id, other.id]


# ---- what was asked


def test_what_was_asked_survives_json() -> None:
    asked = wanted(config={"temperature": 0.5}, model_args={"a": [1]}, limit=3)
    back = json.loads(json.dumps(asked.as_json()))
    assert Asked(**{k: tuple(v) if isinstance(v, list) else v for k, v in back.items()}) == asked
    assert replace(asked, limit=None).as_json()["limit"] is None
