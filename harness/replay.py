"""Stage 2: one Inspect sample a trial, which is a probe put to an actor in an arm of a snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from . import grading, messages
from .agents.loop import act
from .carrying import carry_blocks
from .grading import load_world
from .plan import Asked
from .snapshots import Store, digest
from .trials import Trial, context_of

Done = Callable[[str], None]


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
            context = context_of(trial, store)
            carry_blocks(get_model(), messages.load(context.messages))
            asked_for = trial.scenario.probe(trial.probe)
            world = grading.at(load_world(context.world), asked_for)
            probe = ChatMessageUser(content=asked_for.ask)
            config = GenerateConfig(seed=trial.seed, **asked.config)
            beside = context.as_json()
            setting = grading.setting(world, beside)
            guard = grading.guard(trial.scenario, world, setting) if context.guard else None
            told = [*messages.load(context.messages), probe]
            acted = await act(told, world, asked.turns, config, grading.desk(beside), guard)
        finally:
            done(trial.id)
        state.messages = acted.messages
        state.metadata["trial"] = {
            **{k: v for k, v in asdict(acted).items() if k != "messages"},
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
        context = context_of(trial, store)
        world = load_world(context.world)
        setting = grading.setting(world, context.as_json())
        grade = grading.behaviour(grading.recorded_trial(recorded, world), trial.scenario, trial.probe, setting)
        return Score(value=str(grade.behaviour), answer=recorded["reply"], explanation=grade.reason, metadata=recorded)

    return scorer(metrics=[], name="behaviour")(lambda: score)()
