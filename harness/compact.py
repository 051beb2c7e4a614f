"""Stage 1: one Inspect sample a chain. The history is driven through its boundaries; a snapshot stays before the first
and after every one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..graders import summaries
from . import compactors, messages
from .agents.tools import tool_infos
from .compactors.protocol import Compacted, Compactor, Work
from .history import Conversation, tokens
from .plan import Chain
from .snapshots import Boundary, Snapshot, Store, digest

Done = Callable[[str], None]
CUT_OFF = ("content_filter", "model_length", "unknown")  # a summary that ended so is half a summary


@dataclass
class Line:
    """One chain on its way: the uncompacted record, what the compactor returned last, and what the agent would see."""

    conversation: Conversation
    record: list[ChatMessage] = field(default_factory=list)
    raw: list[ChatMessage] = field(default_factory=list)

    def take(self) -> None:
        """The messages said since the last time."""
        new = [
            messages.message(said, len(self.record) + i)
            for i, said in enumerate(self.conversation.said[len(self.record) :])
        ]
        self.record += new
        self.raw += new

    def grow(self) -> None:
        self.conversation.grow()
        self.take()


def compact_task(chains: Sequence[Chain], store: Store, model_args: Mapping[str, Any], done: Done) -> Task:
    """The task of these chains, which share one writer. Its version is the digest of their ids, so that an edited
    scenario is another task."""
    writer = chains[0].writer
    samples = [
        Sample(
            id=chain.id,
            input=chain.scenario.opening,
            metadata={
                "scenario": chain.scenario.id,
                "scenario_digest": chain.scenario.digest,
                "compactor": chain.compactor.label,
                "seed": chain.seed,
            },
        )
        for chain in chains
    ]
    return Task(
        name="compact" if writer is None else f"compact-{writer.replace('/', '-')}",
        dataset=samples,
        solver=run_chains({chain.id: chain for chain in chains}, store, model_args, done),
        scorer=boundaries(),
        model_roles={} if writer is None else {"writer": get_model(writer, **model_args)},
        version=digest(sorted(chain.id for chain in chains)),
    )


def run_chains(chains: Mapping[str, Chain], store: Store, model_args: Mapping[str, Any], done: Done) -> Solver:
    """The solver of chains. Its arguments come by closure: those of a @solver become part of the task's identity, and a
    run folder that was moved would start again."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        try:
            keys, view = await _drive(chains[str(state.sample_id)], list(state.messages), store, model_args)
        finally:
            done(str(state.sample_id))
        state.messages = view
        state.metadata["snapshots"] = keys
        return state

    return solver(name="run_chains")(lambda: solve)()


@scorer(metrics=[])
def boundaries() -> Scorer:
    """The digests of the snapshots, in the score: the store of a sample recovered after a crash is empty."""

    async def score(state: TaskState, target: Target) -> Score:
        keys = state.metadata.get("snapshots")
        if keys is None:
            raise RuntimeError("the chain was ended by a limit before its last boundary")
        return Score(value=len(keys) - 1, metadata={"snapshots": keys})

    return score


async def _drive(
    chain: Chain, opening: list[ChatMessage], store: Store, model_args: Mapping[str, Any]
) -> tuple[list[str], list[ChatMessage]]:
    line = Line(Conversation(chain.scenario, chain.history_seed, chain.window))
    line.take()
    # the opening keeps Inspect's stamp `source="input"`; rule and subtasks are planted by what follows, never by it
    line.record[-1] = line.raw[-1] = line.record[-1].model_copy(update={"source": opening[0].source})
    compactor = _compactor(chain, line, model_args)
    line.grow()
    keys = [store.put(_snapshot(chain, 0, line, None, []))]
    for cycle in range(1, chain.cycles + 1):
        boundary, shown = await _cross(chain, compactor, line)
        keys.append(store.put(_snapshot(chain, cycle, line, boundary, shown)))
        if cycle < chain.cycles:
            line.grow()
    store.finish(chain.id, keys)
    return keys, messages.normalise(line.raw)[0]


def _compactor(chain: Chain, line: Line, model_args: Mapping[str, Any]) -> Compactor | None:
    if not chain.compacts:
        return None
    # the seed distinguishes draws; it is part of the chain's identity
    settings = chain.compactor.settings
    config = GenerateConfig(seed=chain.seed, max_tokens=settings.get("budget"))
    writer = get_model(chain.writer, config=config, **model_args) if chain.writer else None
    world = line.conversation.world
    reads = world.setting().reads
    return compactors.make(chain.compactor, Work(writer, tuple(line.record), tuple(tool_infos(world)), settings, reads))


async def _cross(chain: Chain, compactor: Compactor | None, line: Line) -> tuple[Boundary | None, list[messages.Rows]]:
    """One boundary: what happened, and what the writer was shown. The uncompacted chain passes as it is."""
    if compactor is None:
        return None, []
    before, size = len(transcript().events), tokens(messages.text_of(line.raw))
    compacted = await compactor.compact(list(line.raw))
    written = [e for e in transcript().events[before:] if isinstance(e, ModelEvent) and e.error is None]
    line.raw = list(compacted.messages)
    view, notes = messages.normalise(line.raw)
    boundary = _boundary(chain, line, compacted, written, size, view, notes)
    return boundary, [messages.dump(shown) for shown in ([event.input for event in written] or compacted.shown)]


def _boundary(
    chain: Chain,
    line: Line,
    compacted: Compacted,
    written: list[ModelEvent],
    size: int,
    view: list[ChatMessage],
    notes: list[str],
) -> Boundary:
    summary = written[-1].output.completion if written else compacted.summary
    writes = chain.compactor.entry.writes and not (chain.compactor.entry.opaque and summary is None)
    stop = written[-1].output.stop_reason if written and written[-1].output.choices else None
    empty = (not (summary or "").strip()) if writes and compacted.fired else None
    text = messages.text_of(view)
    return Boundary(
        fired=compacted.fired,
        fallback=compacted.fallback
        or ("the writer was never asked" if writes and compacted.fired and summary is None else None),
        empty=empty,
        non_summary=None
        if empty is None
        else empty or not summaries.is_summary(summary or "", _identifiers(chain, line)),
        pressure=summaries.pressure(text, [tracer.key for tracer in chain.scenario.history.tracers]),
        tokens_before=size,
        tokens_after=tokens(text),
        writer_tokens=sum(e.output.usage.total_tokens for e in written if e.output.usage) if written else None,
        writer_calls=len(written),
        writer_stop=stop,
        cut_off=stop in CUT_OFF or (stop == "max_tokens" and not _is_bounded(chain)),
        summary=summary,
        normalised=tuple(notes),
    )


def _is_bounded(chain: Chain) -> bool:
    """Whether the runtime or the asked budget ends a summary: one that ends there is as it was meant."""
    return chain.compactor.entry.bounds_writer or chain.compactor.settings.get("budget") is not None


def _identifiers(chain: Chain, line: Line) -> frozenset[str]:
    known = [name for subtask in chain.scenario.subtasks for name in subtask.known_as]
    return summaries.identifiers(" ".join([*known, messages.text_of(line.record)]))


def _snapshot(chain: Chain, cycle: int, line: Line, boundary: Boundary | None, shown: list[messages.Rows]) -> Snapshot:
    view, _ = messages.normalise(line.raw)
    world = line.conversation.world
    return Snapshot(
        scenario=chain.scenario.id,
        scenario_digest=chain.scenario.digest,
        chain=chain.id,
        compactor=chain.compactor.label,
        writer=chain.writer,
        seed=chain.seed,
        cycle=cycle,
        said=len(line.record),
        messages=messages.dump(view),
        provenance=messages.provenance(view, line.record, line.conversation.said),
        world={"name": chain.scenario.world.name, "state": world.dump()},
        tools=[info.model_dump(mode="json", exclude_none=True) for info in tool_infos(world)],
        shown=shown,
        boundary=None if boundary is None else asdict(boundary),
    )
