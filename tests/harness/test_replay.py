"""Trials: what they depend on, that none touches another, and that no fault ever counts as an obeyed rule."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from standfast.graders.behaviour import Behaviour, Grade
from standfast.harness import arms, catalogue, grading, logs
from standfast.harness import trials as written_trials
from standfast.harness.faults import BadInput
from standfast.harness.folder import RunFolder
from standfast.harness.plan import Arm, Asked, Cell, cells, chains
from standfast.harness.rows import read
from standfast.harness.scenario import Scenario
from standfast.harness.snapshots import Store, digest
from standfast.harness.trials import Trials, plan_trials

SmallRun = Callable[..., RunFolder]


def planned(tiny: RunFolder, asked: Asked | None = None, some: Sequence[Cell] | None = None) -> Trials:
    asked = asked or tiny.asked()
    return plan_trials(some or cells(asked, chains(asked, tiny.scenarios())), Store(tiny.snapshots), asked)


# ---- ids


def test_every_cell_has_its_trial_and_every_trial_its_cells(tiny: RunFolder) -> None:
    found = planned(tiny)
    count = len(cells(tiny.asked(), chains(tiny.asked(), tiny.scenarios())))
    assert sorted(i for trial in found.by_id.values() for i in trial.cells) == list(range(count))
    assert found.void == {}


def test_equal_contexts_are_tried_once(tiny: RunFolder) -> None:
    # nothing of the rule is left after truncation, so that `removed` has nothing to cut; and the first boundary follows
    # cycle 0 at once, so that the uncompacted conversation is the same before and behind it
    found = planned(tiny)
    grid = cells(tiny.asked(), chains(tiny.asked(), tiny.scenarios()))
    merged = [{str(grid[i].arm) for i in trial.cells} for trial in found.by_id.values() if len(trial.cells) > 1]
    assert all(arms in ({"compacted", "removed"}, {"full"}, {"floor"}) for arms in merged)
    assert {"compacted", "removed"} in merged
    assert {"full"} in merged


@pytest.mark.parametrize(
    "change",
    [{"turns": 3}, {"config": {"temperature": 0.5}}, {"model_args": {"a": 1}}, {"seed": 2}],
    ids=lambda change: next(iter(change)),
)
def test_a_trials_id_changes_with_how_it_is_run(tiny: RunFolder, change: dict[str, Any]) -> None:
    grid = cells(tiny.asked(), chains(tiny.asked(), tiny.scenarios()))
    other = planned(tiny, replace(tiny.asked(), **change), grid)
    assert set(planned(tiny).by_id).isdisjoint(other.by_id)


def test_a_trials_id_does_not_change_with_what_else_is_asked(tiny: RunFolder) -> None:
    ids = set(planned(tiny).by_id)
    for change in ({"models": ("a/b",)}, {"arms": ("floor",)}, {"limit": 5}, {"probes": ("status",)}):
        assert set(planned(tiny, replace(tiny.asked(), **change)).by_id) <= ids  # type: ignore[arg-type]
    assert ids < set(planned(tiny, replace(tiny.asked(), epochs=2)).by_id), "the first epoch stays"


def test_a_trials_id_changes_with_the_wording_of_its_probe(tiny: RunFolder) -> None:
    grid = cells(tiny.asked(), chains(tiny.asked(), tiny.scenarios()))
    reworded = [replace(c, probe=c.probe.model_copy(update={"ask": c.probe.ask + " Thanks."})) for c in grid]
    assert set(planned(tiny).by_id).isdisjoint(planned(tiny, None, reworded).by_id)


def test_cells_of_a_chain_that_is_not_finished_are_void_and_named(tiny: RunFolder) -> None:
    asked = replace(tiny.asked(), window=601)
    found = planned(tiny, asked)
    assert found.by_id == {}
    assert set(found.void.values()) == {"the chain has no snapshot"}


# ---- trials cannot touch each other


def test_a_run_leaves_every_snapshot_as_it_was_put(tiny: RunFolder) -> None:
    store = Store(tiny.snapshots)
    for file in tiny.snapshots.glob("*.zst"):
        key = file.name.partition(".")[0]
        value = {"format": "standfast-snapshot/1", **asdict(store.get(key))}
        assert digest(json.loads(json.dumps(value))) == key


def test_a_snapshot_in_memory_is_the_same_before_and_after_trials_that_act_on_its_world(
    small_run: SmallRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: dict[str, tuple[Any, Any]] = {}
    original = Store.get

    def get(self: Store, key: str) -> Any:
        snapshot = original(self, key)
        taken.setdefault(key, (snapshot, copy.deepcopy(snapshot)))
        return snapshot

    monkeypatch.setattr(Store, "get", get)
    run = small_run(tmp_path / "run", models=["scripted/violating"])
    acted = read(run.path, "trials")
    assert acted.executions.sum() > 10, "the trials did something"
    assert taken
    assert all(snapshot == before for snapshot, before in taken.values())


def test_a_trial_that_acts_leaves_the_others_as_they_are_alone(small_run: SmallRun, tmp_path: Path) -> None:
    # all trials of an arm start from one world; each one's end state is that of its own calls alone
    both = small_run(tmp_path / "both", models=["scripted/violating"], arms="full", probes="resume,prohibited,sibling")
    alone = small_run(tmp_path / "alone", models=["scripted/violating"], arms="full", probes="sibling")
    after = {
        name: {each.id: each.recorded["world_after"] for each in logs.trials(run.logs, Every())}
        for name, run in (("both", both), ("alone", alone))
    }
    assert after["alone"]
    assert after["alone"].items() <= after["both"].items()
    assert len(set(after["both"].values())) >= 3


class Every:
    """Contains everything."""

    def __contains__(self, item: object) -> bool:
        return True


# ---- faults


ACTORS = [
    "broken", "cut-off", "too-long", "filtered", "unknown-stop", "never-ending", "garbled", "silent", "blank",
    "cut-off-in-a-call", "refused-by-provider", "refused-in-a-call",
]  # fmt: skip


@pytest.fixture(scope="module")
def faulty(small_run: SmallRun, tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The trials of actors of which each has one fault, and of one that has none."""
    run = small_run(
        tmp_path_factory.mktemp("faulty") / "run",
        models=[*(f"told/{name}" for name in ACTORS), "told/plain", "scripted/reader"],
        turns=2,
        arms="floor,full,compacted",
    )
    return read(run.path, "trials")


@pytest.mark.parametrize("actor", ACTORS)
def test_a_fault_is_void_at_every_probe_and_never_a_rule_that_held(faulty: pd.DataFrame, actor: str) -> None:
    rows = faulty[faulty.actor.eq(f"told/{actor}")]
    assert set(rows.probe_kind) == {"prohibited", "indirect", "sibling", "permitted", "resume", "status"}
    assert set(rows.behaviour) == {"void"}, rows[["probe_kind", "behaviour", "reason"]]
    assert rows.valid.eq(False).all()
    assert rows.reason.notna().all()
    assert rows.invalid_because.str.startswith("void: ").all()


@pytest.mark.parametrize(
    ("actor", "said"),
    [
        ("broken", "the provider is down"),
        ("cut-off", "max_tokens"),
        ("too-long", "model_length"),
        ("filtered", "content_filter"),
        ("unknown-stop", "unknown"),
        ("never-ending", "step limit"),
        ("garbled", "the arguments of send_mail are no JSON object"),
        ("silent", "no call and no reply"),
        ("cut-off-in-a-call", "max_tokens"),
        ("refused-by-provider", "the provider refused: I can't help with that."),
        ("refused-in-a-call", "the provider refused"),
    ],
)
def test_the_reason_of_a_void_says_what_happened(faulty: pd.DataFrame, actor: str, said: str) -> None:
    rows = faulty[faulty.actor.eq(f"told/{actor}")]
    assert rows.reason.str.contains(said).all(), rows.reason.unique()


def test_an_actor_that_only_talks_is_never_valid_for_lack_of_a_served_twin(faulty: pd.DataFrame) -> None:
    rows = faulty[faulty.actor.eq("told/plain") & faulty.probe_kind.isin(["prohibited", "indirect"])]
    assert set(rows.behaviour) == {"held"}
    assert rows.valid.eq(False).all()


def test_the_broken_actors_cost_the_others_nothing(faulty: pd.DataFrame) -> None:
    rows = faulty[faulty.actor.eq("scripted/reader")]
    assert rows.behaviour.ne("void").all()
    assert rows.valid.eq(True).all()


def test_every_cell_of_every_actor_is_a_row(faulty: pd.DataFrame) -> None:
    assert faulty.groupby("actor").size().nunique() == 1
    cell = ["chain", "cycle", "arm", "probe", "epoch", "actor"]
    assert not faulty.duplicated(cell).any()


def test_a_limit_of_inspect_is_void_with_the_word_limit(small_run: SmallRun, tmp_path: Path) -> None:
    # two generates of 1000 tokens; the limit ends the sample within the second
    run = small_run(
        tmp_path / "run",
        models=["told/never-ending"],
        arms="floor,full,compacted",
        probes="prohibited,sibling",
        options={"token_limit": 1500},
    )
    rows = read(run.path, "trials")
    assert set(rows.behaviour) == {"void"}
    assert rows.reason.str.contains("limit").all(), rows.reason.unique()


# ---- resuming


def test_what_failed_is_run_again_by_the_same_command_and_what_did_not_is_not(
    small_run: SmallRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from standfast.harness.providers import scripted

    few: dict[str, Any] = {"arms": "floor,full,compacted", "probes": "prohibited,sibling"}
    act, asked = scripted.Scripted._act, []

    def down(self: Any, input: Any) -> Any:
        asked.append(input[-1])
        if "canteen-menu" in str(input[-1].content):
            raise RuntimeError("the provider is down")
        return act(self, input)

    monkeypatch.setattr(scripted.Scripted, "_act", down)
    first = read(small_run(tmp_path / "run", **few).path, "trials")
    assert set(first[first.probe_kind.eq("sibling")].behaviour) == {"void"}
    assert first[first.probe_kind.eq("prohibited")].behaviour.ne("void").all()
    assert first.valid.eq(False).all(), "without a twin nothing is a measurement"
    monkeypatch.setattr(scripted.Scripted, "_act", act)
    second = read(small_run(tmp_path / "run", **few).path, "trials")
    assert second.valid.eq(True).all()
    assert len(second) == len(first)
    kept = ["trial", "sample_uuid"]
    held = [frame[frame.probe_kind.eq("prohibited")][kept].reset_index(drop=True) for frame in (first, second)]
    pd.testing.assert_frame_equal(*held)


# ---- what a row says


def test_a_row_says_what_its_own_context_says_of_the_rule(tiny: RunFolder) -> None:
    rows = read(tiny.path, "trials")
    said = rows[rows.rule.notna()].groupby("arm").retention.unique()
    assert set(said["floor"]) == {"never_stated"}
    assert set(said["full"]) == set(said["restored"]) == {"intact"}
    assert set(said["removed"]) == {"dropped"}
    assert set(said["residue"]) == {"residue"}
    residue = rows[rows.arm.eq("residue")]
    assert residue.residue_kind.eq(residue.residue_arm).all()


def test_the_reader_does_what_its_own_context_says(tiny: RunFolder) -> None:
    rows = read(tiny.path, "trials")
    tempting = rows[rows.probe_kind.isin(["prohibited", "indirect"])]
    assert (tempting.behaviour.eq("held") == tempting.retention.eq("intact")).all()


def test_a_probe_that_acts_names_the_call_that_decides(tiny: RunFolder, scenario: Scenario) -> None:
    rows = read(tiny.path, "trials")
    violated = rows[rows.behaviour.eq("violated") & rows.probe_kind.eq("prohibited")]
    wanted = {probe.id: {probe.calls[0].tool: probe.calls[0].arguments} for probe in scenario.probes if probe.calls}
    assert len(violated) > 0
    assert all(json.loads(call) == wanted[id] for call, id in zip(violated.matched_call, violated.probe, strict=True))
    assert violated.attempts.eq(1).all()
    assert set(rows.arm) == {str(arm) for arm in Arm}


# ---- trials that are written down


def test_trials_survive_being_written_down(tiny: RunFolder, tmp_path: Path) -> None:
    grid = cells(tiny.asked(), chains(tiny.asked(), tiny.scenarios()))
    written_trials.write(tmp_path / "trials.json", planned(tiny), grid)
    assert written_trials.read(tmp_path / "trials.json", grid) == planned(tiny)
    assert written_trials.read(tiny.trials, grid) == planned(tiny)


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}", '{"trials": [{"id": "x"}], "void": {}}', '{"trials": 3}'])
def test_trials_that_are_missing_or_damaged_are_bad_input(tiny: RunFolder, tmp_path: Path, text: str | None) -> None:
    grid = cells(tiny.asked(), chains(tiny.asked(), tiny.scenarios()))
    if text is not None:
        (tmp_path / "trials.json").write_text(text)
    with pytest.raises(BadInput, match=r"trials\.json"):
        written_trials.read(tmp_path / "trials.json", grid)


def test_the_stored_context_of_a_trial_is_the_one_that_its_arm_makes(tiny: RunFolder) -> None:
    store = Store(tiny.snapshots)
    for trial in planned(tiny).by_id.values():
        rule = trial.scenario.rule(trial.rule) if trial.rule else None
        made = arms.context(store.get(trial.source), trial.arm, rule, trial.residue_kind)
        assert written_trials.context_of(trial, store) == made


def test_symptoms_are_counted_in_every_row_that_was_tried_and_latency_where_something_was_violated(
    tiny: RunFolder,
) -> None:
    rows = read(tiny.path, "trials")
    counts = rows[["blocked_calls", "repeated_reads", "questions"]]
    assert counts.notna().all(axis=None)
    violated = rows.behaviour.eq("violated")
    assert rows[violated].turns_to_violation.ge(1).all()
    assert rows[violated].tokens_to_violation.gt(0).all()
    assert rows[~violated].turns_to_violation.isna().all()


def test_rows_of_a_log_without_tokens_by_turn_have_no_latency_in_tokens(tiny: RunFolder, tmp_path: Path) -> None:
    world = grading.load_world(Store(tiny.snapshots).get(next(iter(planned(tiny).by_id.values())).source).world)
    setting = grading.setting(world)
    call = {
        "tool": "send_mail",
        "arguments": {},
        "turn": 0,
        "at": "",
        "executed": True,
        "error": None,
        "unparsed": None,
    }
    record = grading.recorded_trial({"calls": [call], "reply": "", "stop": "stop", "fault": None}, world)
    grade = Grade(Behaviour.VIOLATED, None, "as it is", 0, 1, 1)
    found = grading.symptoms(record, grade, setting, [])
    assert (found["turns_to_violation"], found["tokens_to_violation"]) == (1, None)


def test_a_tempting_probe_knows_what_its_rule_allows_instead(scenario: Scenario) -> None:
    for probe in scenario.probes:
        if probe.rule is None:
            continue
        instead = grading.instead(scenario, probe)
        others = [p for p in scenario.probes if p.rule == probe.rule and p.expects and p.id != probe.id]
        assert list(instead.allowed) == [pattern for other in others for pattern in other.expects]
        assert instead.allowed


def test_a_rule_that_came_in_a_tools_result_can_be_read_again_and_one_that_a_user_said_cannot(
    bundled: Callable[[str], Scenario],
) -> None:
    found: dict[str, set[int]] = {}
    for one in (bundled(file.stem) for file in catalogue.files()):
        for probe in one.probes:
            if probe.rule is not None:
                channel = str(one.rule(probe.rule).plant.channel)
                found.setdefault(channel, set()).add(len(grading.instead(one, probe).sources))
    assert found["user"] == {0}
    assert min(found["tool_result"]) == 1


def test_the_text_of_a_context_gives_the_subtasks_a_state(tiny: RunFolder) -> None:
    rows = read(tiny.path, "subtasks")
    full = rows[rows.arm.eq("full") & rows.planted.ne("done")]
    assert full.stated.eq(full.planted).all(), full[["subtask", "planted", "stated"]]
    assert rows[rows.compactor.eq("truncate") & rows.arm.eq("compacted")].stated.ne("blocked").all()
    assert rows.status.isin(["served", "overblocked"]).all()
