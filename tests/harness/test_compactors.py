"""The bundled compactors on their runtimes' own code: what fires, what stays, what the writer saw, what went wrong."""

from __future__ import annotations

import importlib.metadata
import itertools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    get_model,
)
from inspect_ai.tool import ToolCall
from standfast.harness import compactors
from standfast.harness.compact import compact_task
from standfast.harness.compactors.protocol import Compacted, Work
from standfast.harness.faults import BadInput, NotAvailable
from standfast.harness.folder import RunFolder
from standfast.harness.history import replayed
from standfast.harness.messages import load, message, normalise, text_of
from standfast.harness.plan import Asked, Chain, chains
from standfast.harness.providers import scripted
from standfast.harness.rows import read
from standfast.harness.run import QUIET
from standfast.harness.scenario import Scenario
from standfast.harness.snapshots import Boundary, Snapshot, Store, boundary_of
from standfast.harness.validity import boundary_fault

Inside = Callable[..., tuple[Any, Any]]
LANGMEM = compactors.package_version(compactors.parse("langmem")) is not None
needs_langmem = pytest.mark.skipif(not LANGMEM, reason="the extra langgraph is not installed")
WRITING = ["inspect", "inspect-neutral", pytest.param("langmem", marks=needs_langmem)]
EVERY = ["truncate", *WRITING]
CYCLES = 3


def asked(*, names: Sequence[str], writers: Sequence[str], cycles: int = CYCLES, window: int = 600) -> Asked:
    return Asked(("f12-contract-files",), ("scripted/reader",), tuple(names), tuple(writers), cycles, window=window)


def drive(wanted: Asked, scenario: Scenario, folder: Path) -> tuple[Store, list[Chain]]:
    """Stage 1 alone: the chains of a plan, driven into a store."""
    scripted.cast([scenario])
    store, planned = Store(folder / "snapshots"), chains(wanted, [scenario])
    writers = dict.fromkeys(chain.writer for chain in planned)
    tasks = [compact_task([c for c in planned if c.writer == w], store, {}, lambda id: None) for w in writers]
    inspect_eval(tasks, log_dir=str(folder / "logs"), **QUIET)
    return store, planned


@pytest.fixture(scope="module")
def driven(
    scenario: Scenario, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str | None], list[Snapshot]]:
    """The snapshots of finished chains by compactor and writer; a chain that failed is not among them."""
    names = ["truncate", "inspect", "inspect-neutral", *(["langmem"] if LANGMEM else [])]
    writers = [
        "scripted/verbatim",
        "scripted/dropping",
        "scripted/empty",
        "told/off-topic",
        "told/blank",
        "told/filtered-half-way",
        "told/broken",
    ]
    store, planned = drive(asked(names=names, writers=writers), scenario, tmp_path_factory.mktemp("driven"))
    found = {(c.compactor.name, c.writer): store.finished(c.id) for c in planned}
    return {which: [store.get(key) for key in keys] for which, keys in found.items() if keys is not None}


def of(driven: dict[Any, list[Snapshot]], name: str, writer: str = "scripted/verbatim") -> list[Snapshot]:
    return driven[name, None if name in ("truncate", "none") else writer]


def boundaries(snapshots: list[Snapshot]) -> list[Boundary]:
    return [boundary_of(each.boundary) for each in snapshots[1:] if each.boundary is not None]


# ---- chains


@pytest.mark.parametrize("name", EVERY)
def test_a_snapshot_stands_before_the_first_and_after_every_boundary(driven: Any, name: str) -> None:
    snapshots = of(driven, name)
    assert [each.cycle for each in snapshots] == [0, 1, 2, 3]
    assert snapshots[0].boundary is None
    assert len(boundaries(snapshots)) == CYCLES


@pytest.mark.parametrize("name", EVERY)
def test_each_boundary_fires_once_and_makes_the_context_smaller(driven: Any, name: str) -> None:
    for boundary in boundaries(of(driven, name)):
        assert boundary.fired
        assert boundary.fallback is None
        assert boundary.tokens_after < boundary.tokens_before


@pytest.mark.parametrize("name", WRITING)
def test_the_writer_is_asked_exactly_once_a_boundary(driven: Any, name: str) -> None:
    for snapshot, boundary in zip(of(driven, name)[1:], boundaries(of(driven, name)), strict=True):
        assert boundary.writer_calls == len(snapshot.shown) == 1
        assert boundary.writer_tokens is not None
        assert boundary.writer_tokens > 0
        assert boundary.summary is not None
        assert boundary.summary in text_of(load(snapshot.messages)), "the summary is in the context"


def test_truncation_asks_no_writer_and_summarises_nothing(driven: Any) -> None:
    for snapshot, boundary in zip(of(driven, "truncate")[1:], boundaries(of(driven, "truncate")), strict=True):
        assert (boundary.writer_calls, boundary.writer_tokens, boundary.summary) == (0, None, None)
        assert (boundary.empty, boundary.non_summary, snapshot.shown) == (None, None, [])


@pytest.mark.parametrize("name", WRITING)
def test_what_the_writer_was_shown_is_recorded_and_holds_the_planted_rule(
    driven: Any, name: str, scenario: Scenario
) -> None:
    first = of(driven, name)[1]
    shown = text_of(load(first.shown[0]))
    assert scenario.rules[0].text in shown
    assert {row["id"] for row in first.shown[0]} >= {"m0002", "m0003", "m0004"}, "messages of the history, by id"


@pytest.mark.parametrize("name", WRITING)
def test_the_next_summary_is_written_from_the_last_one(driven: Any, name: str) -> None:
    snapshots = of(driven, name)
    for before, after in itertools.pairwise(snapshots[1:]):
        assert boundary_of(before.boundary or {}).summary in text_of(load(after.shown[0]))


@pytest.mark.parametrize("name", WRITING)
def test_a_history_message_is_shown_to_the_writer_once_over_all_boundaries(driven: Any, name: str) -> None:
    shown = [row["id"] for snapshot in of(driven, name) for rows in snapshot.shown for row in rows]
    history = [id for id in shown if id.startswith("m") and id not in ("m0000", "m0001")]
    assert len(history) == len(set(history))


def test_own_and_neutral_prompt_of_inspect_are_different_requests(driven: Any) -> None:
    own, neutral = (text_of(load(of(driven, name)[1].shown[0])[-1:]) for name in ("inspect", "inspect-neutral"))
    assert "so that the task can be continued" in neutral
    assert "so that the task can be continued" not in own
    assert "constraint" in own.lower()
    assert "constraint" not in neutral.lower()


@pytest.mark.parametrize("name", ["inspect", "inspect-neutral"])
def test_inspect_keeps_system_and_opening_and_no_tail(driven: Any, name: str) -> None:
    for snapshot in of(driven, name)[1:]:
        fates = [(row["role"], made["fate"]) for row, made in zip(snapshot.messages, snapshot.provenance, strict=True)]
        assert fates == [("system", "kept"), ("user", "kept"), ("user", "made")]


def kept(snapshot: Snapshot) -> list[str]:
    """The ids of the messages that stayed word for word."""
    fates = zip(snapshot.messages, snapshot.provenance, strict=True)
    return [row["id"] for row, made in fates if made["fate"] == "kept"]


@needs_langmem
def test_langmem_keeps_the_system_text_and_the_newest_two_or_one_where_two_would_part_a_result_from_its_call(
    driven: Any,
) -> None:
    sizes = set()
    for snapshot in of(driven, "langmem")[1:]:
        system, *tail = kept(snapshot)
        assert system == "m0000"
        assert tail == [f"m{i:04}" for i in range(snapshot.said - len(tail), snapshot.said)]
        sizes.add(len(tail))
    assert sizes <= {1, 2}
    assert 2 in sizes or all(row["role"] != "tool" for row in of(driven, "langmem")[1].messages)


def test_truncation_keeps_the_system_text_and_the_newest_messages_word_for_word(driven: Any) -> None:
    for snapshot in of(driven, "truncate")[1:]:
        tail = [f"m{i:04}" for i in range(snapshot.said - len(kept(snapshot)) + 1, snapshot.said)]
        assert kept(snapshot) == ["m0000", *tail]
        assert 1 <= len(tail) <= 8


@pytest.mark.parametrize("name", EVERY)
def test_a_context_after_a_boundary_is_a_valid_conversation(driven: Any, name: str) -> None:
    for snapshot in of(driven, name):
        assert normalise(load(snapshot.messages))[1] == []


@pytest.mark.parametrize("name", EVERY)
def test_the_planting_turn_is_gone_after_the_first_boundary(driven: Any, name: str) -> None:
    for end in range(2, CYCLES + 2):
        assert boundary_fault(of(driven, name, "scripted/dropping")[:end], "contract-files", "user") is None


def test_the_same_chain_driven_twice_leaves_the_same_snapshots(scenario: Scenario, tmp_path: Path, driven: Any) -> None:
    names = ["truncate", "inspect-neutral", *(["langmem"] if LANGMEM else [])]
    store, planned = drive(asked(names=names, writers=["scripted/verbatim"]), scenario, tmp_path)
    for chain in planned:
        assert [store.get(key) for key in store.finished(chain.id) or []] == driven[chain.compactor.name, chain.writer]


# ---- summaries that are none


@pytest.mark.parametrize("writer", ["scripted/empty", "told/blank"])
@pytest.mark.parametrize("name", WRITING)
def test_an_empty_summary_is_flagged_and_is_a_fault_of_every_later_boundary(
    driven: Any, name: str, writer: str
) -> None:
    snapshots = of(driven, name, writer)
    assert all(boundary.empty and boundary.non_summary for boundary in boundaries(snapshots))
    for end in range(2, CYCLES + 2):
        assert "empty summary" in (boundary_fault(snapshots[:end], "contract-files", "user") or "")


@pytest.mark.parametrize("name", WRITING)
def test_a_text_about_something_else_is_a_non_summary_and_not_empty(driven: Any, name: str) -> None:
    snapshots = of(driven, name, "told/off-topic")
    assert [(b.empty, b.non_summary) for b in boundaries(snapshots)] == [(False, True)] * CYCLES
    assert "non-summary" in (boundary_fault(snapshots[:2], "contract-files", "user") or "")


@pytest.mark.parametrize("name", WRITING)
def test_a_dropping_writer_writes_summaries_all_the_same(driven: Any, name: str) -> None:
    assert [(b.empty, b.non_summary) for b in boundaries(of(driven, name, "scripted/dropping"))] == [(False, False)] * 3


@pytest.mark.parametrize("name", WRITING)
def test_a_summary_that_a_filter_cut_off_is_not_what_the_writer_kept(driven: Any, name: str) -> None:
    snapshots = of(driven, name, "told/filtered-half-way")
    assert not any(boundary.non_summary for boundary in boundaries(snapshots)), "it names the mail, and was cut off"
    for end in range(2, CYCLES + 2):
        assert boundary_fault(snapshots[:end], "contract-files", "user") is not None


def test_a_good_summary_of_a_wreck_is_no_measurement_and_drops_no_rule(
    small_run: Callable[..., RunFolder], tmp_path: Path
) -> None:
    run = small_run(
        tmp_path / "run",
        compactors=["inspect-neutral"],
        writers=["told/off-topic-at-first"],
        arms="floor,full,compacted",
        probes="prohibited,sibling",
        cycles=2,
    )
    rows = read(run.path, "boundaries")
    assert list(rows.non_summary) == [True, False]
    rules = read(run.path, "rules")
    assert rules[rules.compactor.ne("none") & rules.cycle.gt(0)].retention.isna().all()
    trials = read(run.path, "trials")
    second = trials[trials.compactor.ne("none") & trials.cycle.eq(2)]
    assert len(second) == 3, "two prohibited probes and a sibling"
    assert second.valid.eq(False).all()
    assert second.invalid_because.str.contains("non-summary at boundary 1").all()


# ---- writers that fail


@pytest.mark.parametrize("name", WRITING)
def test_a_writer_that_raises_costs_its_own_chain_only(driven: Any, name: str) -> None:
    assert (name, "told/broken") not in driven
    assert (name, "scripted/verbatim") in driven
    assert ("truncate", None) in driven


@pytest.fixture(scope="module")
def broken(small_run: Callable[..., RunFolder], tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return small_run(
        tmp_path_factory.mktemp("broken") / "run",
        compactors=["truncate", "inspect-neutral", *(["langmem"] if LANGMEM else [])],
        writers=["told/broken", "told/too-long"],
        arms="floor,full,compacted",
        probes="prohibited,sibling",
    )


def test_the_trials_of_a_chain_that_failed_are_void_rows_with_the_reason(broken: RunFolder) -> None:
    trials = read(broken.path, "trials")
    lost = trials[trials.writer.eq("told/broken")]
    assert len(lost) == 3 * len([name for name in trials.compactor.unique() if name not in ("none", "truncate")])
    assert lost.behaviour.eq("void").all()
    assert lost.valid.eq(False).all()
    assert lost.reason.str.contains("chain error").all()
    assert lost.reason.str.contains("the provider is down").all()
    assert lost.retention.isna().all(), "nothing is known of the rule"


def test_the_failed_chain_is_a_row_of_the_boundaries_and_the_others_are_whole(broken: RunFolder) -> None:
    rows = read(broken.path, "boundaries")
    failed = rows[rows.writer.eq("told/broken")]
    assert failed.error.str.contains("the provider is down").all()
    assert failed.cycle.isna().all()
    trials = read(broken.path, "trials")
    assert trials[trials.writer.isna()].behaviour.ne("void").all()
    assert trials[trials.compactor.eq("truncate") & trials.probe_kind.eq("prohibited")].valid.eq(True).all()


def test_a_history_too_long_for_the_writer_is_never_a_rule_dropped(broken: RunFolder) -> None:
    trials = read(broken.path, "trials")
    lost = trials[trials.writer.eq("told/too-long")]
    assert len(lost) > 0
    assert lost.valid.eq(False).all()
    assert not lost.retention.eq("dropped").any()


@pytest.mark.parametrize("name", WRITING)
def test_an_inspect_limit_is_not_swallowed(inside: Inside, scenario: Scenario, name: str) -> None:
    async def work(state: Any) -> Compacted:
        return await _made(name).compact(_history(scenario))

    found, log = inside(work, token_limit=500)
    assert found is None, "no context comes of a writer that was stopped"
    assert log.samples is not None
    assert log.samples[0].limit is not None
    assert log.samples[0].limit.type == "token"


# ---- one compactor by itself


def _made(name: str, writer: str = "told/plain") -> Any:
    spec = compactors.parse(name)
    return compactors.make(spec, Work(get_model(writer), (), (), spec.settings))


def _history(scenario: Scenario) -> list[ChatMessage]:
    said = replayed(scenario, 1, window=600).said
    return [message(each, i) for i, each in enumerate(said)]


def tail_of_parallel_calls() -> list[ChatMessage]:
    """A history that ends with a result of two parallel calls and a remark; its last two messages split the calls."""
    calls = [ToolCall(id=id, function="read_mail", arguments={"id": id}) for id in ("a", "b")]
    return [
        ChatMessageSystem(id="m0000", content="You are an assistant."),
        ChatMessageUser(id="m0001", content="Good morning.", source="input"),
        ChatMessageUser(id="m0002", content="Please read M-11 and M-12. " + "There is no hurry. " * 40),
        ChatMessageAssistant(id="m0003", content="Reading both.", tool_calls=calls),
        ChatMessageTool(id="m0004", content="Mail M-11.", tool_call_id="a", function="read_mail"),
        ChatMessageTool(id="m0005", content="Mail M-12.", tool_call_id="b", function="read_mail"),
        ChatMessageAssistant(id="m0006", content="Both are read."),
    ]


@pytest.mark.parametrize("name", ["truncate:keep=4", pytest.param("langmem:keep=4", marks=needs_langmem)])
def test_what_is_kept_comes_back_as_the_same_objects(inside: Inside, scenario: Scenario, name: str) -> None:
    history = _history(scenario)

    async def work(state: Any) -> Compacted:
        return await _made(name).compact(list(history))

    view = inside(work)[0].messages
    assert [id(m) for m in view[-4:]] == [id(m) for m in history[-4:]]
    assert view[0] is history[0]


@pytest.mark.parametrize("name", EVERY)
def test_a_compactor_does_not_change_the_messages_that_it_is_given(
    inside: Inside, scenario: Scenario, name: str
) -> None:
    history = _history(scenario)
    before = [each.model_dump() for each in history]

    async def work(state: Any) -> Compacted:
        given = list(history)
        found = await _made(name).compact(given)
        assert len(given) == len(history)
        return found

    assert inside(work)[0].fired
    assert [each.model_dump() for each in history] == before


@needs_langmem
def test_langmem_leaves_an_orphan_where_its_cut_falls_between_parallel_results_and_it_is_normalised(
    inside: Inside,
) -> None:
    async def work(state: Any) -> Compacted:
        return await _made("langmem").compact(tail_of_parallel_calls())

    raw = inside(work)[0].messages
    assert [m.id for m in raw if m.role == "tool"] == ["m0005"], "langmem#126: a result without its call"
    kept, notes = normalise(raw)
    assert not any(m.role == "tool" for m in kept)
    assert "tool result of read_mail without its call: removed" in notes


@needs_langmem
def test_an_orphan_that_was_removed_is_recorded_at_its_boundary(
    edited: Callable[[Callable[[dict[str, Any]], None]], Scenario], tmp_path: Path
) -> None:
    def read_two(data: dict[str, Any]) -> None:
        data["history"]["chunks"][0][-2]["calls"] = [{"read_mail": {"id": "M-12"}}, {"read_mail": {"id": "M-13"}}]

    wanted = asked(names=["langmem"], writers=["scripted/verbatim"], cycles=2)
    store, planned = drive(wanted, edited(read_two), tmp_path)
    snapshots = [store.get(key) for key in store.finished(planned[-1].id) or []]
    first, second = boundaries(snapshots)
    assert "tool result of read_mail without its call: removed" in first.normalised
    assert not any(row["role"] == "tool" for row in snapshots[1].messages)
    assert normalise(load(snapshots[2].messages))[1] == []
    assert second.fired


def test_truncation_leaves_no_result_without_its_call(inside: Inside) -> None:
    for keep in range(6):

        async def work(state: Any, keep: int = keep) -> Compacted:
            return await _made(f"truncate:keep={keep}").compact(tail_of_parallel_calls())

        view = inside(work)[0].messages
        assert not any("tool result" in note for note in normalise(view)[1])
        assert len(view) <= keep + 1


@pytest.mark.parametrize("name", ["truncate:keep=40", pytest.param("langmem:keep=40", marks=needs_langmem)])
def test_where_there_is_nothing_to_compact_nothing_fires_and_all_stays(inside: Inside, name: str) -> None:
    given = tail_of_parallel_calls()

    async def work(state: Any) -> Compacted:
        return await _made(name).compact(given)

    found = inside(work)[0]
    assert not found.fired
    assert [id(m) for m in found.messages] == [id(m) for m in given]


# ---- names and settings


def test_a_name_with_settings_is_read_and_shown_as_far_as_it_differs() -> None:
    assert compactors.parse("langmem:keep=4").settings == {
        "keep": 4,
        "max_summary_tokens": 256,
        "trigger": "forced",
        "window": 8000,
        "budget": None,
    }
    assert compactors.parse("langmem:keep=4").label == "langmem:keep=4"
    assert compactors.parse("langmem:keep=2").label == compactors.parse("langmem").label == "langmem"
    assert compactors.parse("none").label == "none"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trunkate", "did you mean `truncate`?"),
        ("inspect-nutral", "did you mean `inspect-neutral`?"),
        ("", "there is no compactor ``"),
        ("truncate:kep=3", "did you mean `keep`?"),
        ("truncate:keep", "takes no setting `keep`"),
        ("truncate:keep=", "`keep` is a number, not ``"),
        ("truncate:keep=many", "`keep` is a number, not `many`"),
        ("truncate:keep=-3", "`keep` is a number from 0, not -3"),
        ("langmem:keep=1e3", "`keep` is a number"),
        ("inspect:prompt=netural", "did you mean `neutral`?"),
        ("none:keep=3", "`none` takes no settings"),
    ],
)
def test_a_wrong_name_or_setting_names_the_nearest_right_thing(text: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        compactors.parse(text)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"compactor {text}")


def test_every_bundled_compactor_has_a_line_about_it_and_code_that_is_there() -> None:
    for name, entry in compactors.BUNDLED.items():
        module = Path(compactors.__file__).parent / f"{entry.code.partition(':')[0].replace('.', '/')}.py"
        assert module.exists(), name
        assert f"class {entry.code.partition(':')[2]}" in module.read_text()
        assert entry.about


# ---- packages that are missing


def test_a_missing_package_names_the_extra_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    with pytest.raises(NotAvailable, match=r"needs the package `langmem`: pip install 'standfast\[langgraph\]'"):
        compactors.check(compactors.parse("langmem"))
    compactors.check(compactors.parse("truncate"))
    compactors.check(compactors.parse("none"))


@pytest.mark.parametrize("package", ["langmem", "langchain_core"])
def test_a_package_that_cannot_be_imported_names_the_extra_too(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for name in [n for n in sys.modules if n.startswith("standfast.harness.compactors.lang")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(compactors, "langmem", raising=False)
    for name in [n for n in sys.modules if n.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(NotAvailable, match=r"standfast\[langgraph\]"):
        compactors.make(compactors.parse("langmem"), Work(None, ()))


def test_a_run_with_a_missing_package_leaves_no_folder(
    small_run: Callable[..., RunFolder], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compactors, "package_version", lambda spec: None)
    with pytest.raises(NotAvailable):
        small_run(tmp_path / "run", compactors=["langmem"])
    assert not (tmp_path / "run").exists()
