"""Stage 2: one Inspect sample a trial, which is a probe put to an actor in an arm of a snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, Model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from . import arms, grading, messages
from .agents.loop import act
from .arms import Context, Opaque
from .grading import load_world
from .plan import Arm, Asked, Cell
from .scenario import Scenario
from .snapshots import Snapshot, Store, digest

TRIAL_FORMAT = "standfast-trial/1"  # rises when the same trial would be run in another way
Done = Callable[[str], None]


@dataclass
class Trial:
    """One trial to be run, and the cells that it answers (by index): equal trials are run once."""

    id: str
    scenario: Scenario
    source: str
    arm: Arm
    rule: str | None
    residue_kind: str | None
    probe: str
    epoch: int
    seed: int
    cells: list[int] = field(default_factory=list)

    @property
    def logged(self) -> dict[str, Any]:
        """What the sample's metadata says. Which cells a trial answers is not logged: another chain makes that grow."""
        return {
            "scenario": self.scenario.id,
            "scenario_digest": self.scenario.digest,
            "source": self.source,
            "arm": str(self.arm),
            "rule": self.rule,
            "residue_kind": self.residue_kind,
            "probe": self.probe,
            "epoch": self.epoch,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Trials:
    """The trials of a run by id, and the cells that have none, each with the reason."""

    by_id: Mapping[str, Trial]
    void: Mapping[int, str]


def trials(cells: Sequence[Cell], store: Store, asked: Asked) -> Trials:
    """The trials that the cells need; `void` names, by index, the cells whose context does not exist."""
    by_id: dict[str, Trial] = {}
    void: dict[int, str] = {}
    ids = _Ids(store, asked)
    for i, cell in enumerate(cells):
        keys = store.finished(cell.chain.id)
        if keys is None:
            void[i] = "the chain has no snapshot"
            continue
        try:
            id = ids.of(cell, keys[cell.cycle], asked.seed + cell.epoch - 1)
        except Opaque as reason:
            void[i] = str(reason)
            continue
        trial = by_id.setdefault(
            id,
            Trial(
                id,
                cell.chain.scenario,
                keys[cell.cycle],
                cell.arm,
                cell.rule,
                cell.residue_kind,
                cell.probe.id,
                cell.epoch,
                asked.seed + cell.epoch - 1,
            ),
        )
        trial.cells.append(i)
    return Trials(by_id, void)


class _Ids:
    """Trial ids: digests of what a trial depends on. The digest of a context is taken once, not once a probe."""

    def __init__(self, store: Store, asked: Asked) -> None:
        self.store, self.how = store, [asked.turns, dict(asked.config), dict(asked.model_args)]
        self._contexts: dict[tuple[Any, ...], str] = {}

    def of(self, cell: Cell, key: str, seed: int) -> str:
        context = self._context(cell, key)
        return digest([TRIAL_FORMAT, context, cell.probe.ask, self.how, seed, cell.epoch])

    def _context(self, cell: Cell, key: str) -> str:
        about = cell.rule if cell.arm not in (Arm.FULL, Arm.COMPACTED) else None
        place = (key, cell.arm, about, cell.residue_kind)
        if place not in self._contexts:
            snapshot = self.store.get(key)
            rule = cell.chain.scenario.rule(about) if about else None
            made = arms.context(snapshot, cell.arm, rule, cell.residue_kind)
            self._contexts[place] = context_digest(made, snapshot, cell.chain.scenario)
        return self._contexts[place]


def context_digest(context: Context, snapshot: Snapshot, scenario: Scenario) -> str:
    """The digest of all that an actor meets before the probe, and of the scenario that it will be graded by."""
    return digest([asdict(context), snapshot.tools, scenario.digest])


# ---- running


def replay_task(
    trials: Sequence[Trial], store: Store, asked: Asked, actor: Model | None, done: Done, name: str = "replay"
) -> Task:
    """The task of these trials. Its version is the digest of their ids: no log of other trials passes for it."""
    by_id = {trial.id: trial for trial in trials}
    samples = [
        Sample(id=trial.id, input=trial.scenario.probe(trial.probe).ask, metadata=trial.logged) for trial in trials
    ]
    return Task(
        name=name,
        dataset=samples,
        solver=run_trials(by_id, store, asked, done),
        scorer=behaviour(by_id, store),
        model=actor,
        version=digest(sorted(by_id)),
    )


def grouped(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    """The trials by scenario: a task each, so that a log is of a size that can be looked at."""
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial.scenario.id].append(trial)
    return dict(groups)


def run_trials(trials: Mapping[str, Trial], store: Store, asked: Asked, done: Done) -> Solver:
    """The solver of trials. The context comes from the store, the sample holds its digest only."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        trial = trials[str(state.sample_id)]
        try:
            snapshot = store.get(trial.source)
            rule = trial.scenario.rule(trial.rule) if trial.rule else None
            context = arms.context(snapshot, trial.arm, rule, trial.residue_kind)
            world = load_world(context.world)
            probe = ChatMessageUser(content=trial.scenario.probe(trial.probe).ask)
            config = GenerateConfig(seed=trial.seed, **asked.config)
            acted = await act([*messages.load(context.messages), probe], world, asked.turns, config)
        finally:
            done(trial.id)
        state.messages = acted.messages
        state.metadata["trial"] = {
            **{k: v for k, v in asdict(acted).items() if k != "messages"},
            "context": context_digest(context, snapshot, trial.scenario),
            "world_after": digest(world.dump()),
        }
        return state

    return solver(name="run_trials")(lambda: solve)()


def behaviour(trials: Mapping[str, Trial], store: Store) -> Scorer:
    """The scorer of trials: the behaviour's label, with the recorded trial beside it. Rows are graded from the record,
    not from the label. The arguments come by closure: those of a @scorer are logged in every sample."""

    async def score(state: TaskState, target: Target) -> Score:
        trial, recorded = trials[str(state.sample_id)], state.metadata.get("trial")
        if recorded is None:
            raise RuntimeError("the trial was ended by a limit before it was recorded")
        world = load_world(store.get(trial.source).world)
        grade = grading.behaviour(
            grading.recorded_trial(recorded, world), trial.scenario, trial.probe, grading.setting(world)
        )
        return Score(value=str(grade.behaviour), answer=recorded["reply"], explanation=grade.reason, metadata=recorded)

    return scorer(metrics=[], name="behaviour")(lambda: score)()
