"""Stage 1: one Inspect sample a chain. The history is driven through its boundaries; a snapshot stays before the first
and after every one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from . import compactors, messages, mitigations
from .agents.desk import Desk
from .agents.tools import tool_infos
from .compactors.protocol import Compactor, Work
from .crossing import Crossing, Line, cross
from .history import Conversation
from .plan import Chain, Mitigation
from .snapshots import Boundary, Snapshot, Store, digest

Done = Callable[[str], None]


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
    keys = [store.put(_snapshot(chain, 0, line, None))]
    for cycle in range(1, chain.cycles + 1):
        crossing = None if compactor is None else await cross(chain, compactor, line)
        halted = crossing is not None and crossing.boundary.halted
        if crossing is not None and not halted:
            mitigations.add(chain, line, cycle)
        keys.append(store.put(_snapshot(chain, cycle, line, crossing)))
        if halted:
            break  # what comes after a context that is too large is no measurement of anything
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


def _snapshot(chain: Chain, cycle: int, line: Line, crossing: Crossing | None) -> Snapshot:
    bare, _ = messages.normalise(line.raw)
    view = mitigations.with_system(chain, line, bare) if crossing else bare
    world, beside = line.conversation.world, _beside(chain, line)
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
        provenance=_provenance(line, bare, view),
        world={"name": chain.scenario.world.name, "state": world.dump()},
        tools=[info.model_dump(mode="json", exclude_none=True) for info in tool_infos(world, beside)],
        shown=crossing.shown if crossing else [],
        boundary=asdict(_with_pin(chain, line, crossing.boundary, view)) if crossing else None,
        archive=dict(beside.archive),
        rules_file=beside.rules_file,
        guard=chain.mitigation is Mitigation.GUARD,
    )


def _beside(chain: Chain, line: Line) -> Desk:
    """What the agent has beside the world from this snapshot on."""
    return Desk(dict(line.archive), mitigations.rules_file(chain, line))


def _provenance(line: Line, bare: list[ChatMessage], view: list[ChatMessage]) -> list[dict[str, Any]]:
    """Where each message comes from; a pin in the system text does not make that an edited one."""
    made = messages.provenance(bare, line.record, line.conversation.said)
    return [*messages.provenance(view[: len(view) - len(bare)], line.record, line.conversation.said), *made]


def _with_pin(chain: Chain, line: Line, boundary: Boundary, view: list[ChatMessage]) -> Boundary:
    if boundary.halted:
        return boundary
    size, whole = mitigations.pinned(chain, line, view)
    return replace(boundary, pin_tokens=size, pin_whole=whole)
