"""The grid of a run: which chains are driven and which cells are measured. Pure: nothing is spent, nothing is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from . import compactors, owners
from .compactors import NONE, Spec
from .scenario import OF_SUBTASKS, TWINS, Probe, ProbeKind, Scenario
from .snapshots import digest

CHAIN_FORMAT = "standfast-chain/1"
SELF = "self"


class Arm(StrEnum):
    """Which context, derived from a snapshot, a probe sees."""

    FLOOR = "floor"
    FULL = "full"
    COMPACTED = "compacted"
    REMOVED = "removed"
    RESTORED = "restored"
    RESIDUE = "residue"


class Mitigation(StrEnum):
    """What is done against the loss of rules, on top of any compactor."""

    PIN = "pin"
    PIN_SYSTEM = "pin-system"
    GUARD = "guard"
    REREAD = "reread"


class Continuation(StrEnum):
    """What the text after a boundary asks for."""

    NEUTRAL = "neutral"
    RESUME = "resume"
    NEXT_STEPS = "next_steps"


UNCOMPACTED = (Arm.FLOOR, Arm.FULL)


@dataclass(frozen=True)
class Asked:
    """What a run was asked to do, as `run.json` keeps it."""

    scenarios: tuple[str, ...]
    models: tuple[str, ...]
    compactors: tuple[str, ...]
    writers: tuple[str, ...] = (SELF,)
    cycles: int = 1
    arms: tuple[str, ...] = tuple(Arm)
    probes: tuple[str, ...] = ()
    draws: int = 1
    epochs: int = 1
    window: int = 4000
    attack: str = "none"
    seed: int = 1
    turns: int = 6
    limit: int | None = None
    mitigations: tuple[str, ...] = (NONE,)
    continuation: str = NONE
    runtimes: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    model_args: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


@dataclass(frozen=True)
class Chain:
    """One history driven through boundaries 1…`cycles` by one compactor and writer with one seed."""

    scenario: Scenario
    compactor: Spec
    writer: str | None
    seed: int
    history_seed: int
    cycles: int
    window: int
    runtime: str | None = None
    mitigation: Mitigation | None = None
    continuation: Continuation | None = None

    @cached_property
    def id(self) -> str:
        """A readable name that ends with the digest of all that the chain depends on."""
        depends = [
            CHAIN_FORMAT,
            self.scenario.digest,
            self.compactor.name,
            dict(self.compactor.settings),
            self.runtime,
            self.writer,
            self.seed,
            self.history_seed,
            self.cycles,
            self.window,
            # left out where there is none: a run of an earlier version is resumed, not begun again
            *(part for part in (self.mitigation, self.continuation and f"continuation {self.continuation}") if part),
        ]
        besides = [self.writer or "", self.mitigation or "", self.continuation or "", f"s{self.seed}"]
        parts = [self.scenario.id, self.compactor.label, *besides, digest(depends)]
        return ".".join(_file_name(part) for part in parts if part)

    @property
    def compacts(self) -> bool:
        return self.compactor.name != NONE


def _file_name(text: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_=") else "-" for c in text)[:60]


@dataclass(frozen=True)
class Cell:
    """One measurement: a probe in an arm of one chain at one cycle. A cell and an actor make one row."""

    chain: Chain
    cycle: int
    arm: Arm
    rule: str | None
    residue_kind: str | None
    probe: Probe
    epoch: int

    @property
    def key(self) -> str:
        """The name of the cell."""
        parts = (
            self.chain.id,
            self.cycle,
            self.arm,
            self.rule or "",
            self.residue_kind or "",
            self.probe.id,
            self.epoch,
        )
        return "/".join(map(str, parts))

    def actors(self, models: Sequence[str], writers: Sequence[str]) -> Sequence[str]:
        """Who acts here: everybody, or where each model writes for itself, the chain's writer."""
        return [self.chain.writer] if SELF in writers and self.chain.writer is not None else models


def chains(asked: Asked, scenarios: Sequence[Scenario]) -> list[Chain]:
    """Every chain of the run: per scenario the uncompacted one, then compactor × mitigation × writer × draw."""
    made = []
    writers = asked.models if SELF in asked.writers else asked.writers
    for scenario in scenarios:
        common: dict[str, Any] = {
            "scenario": scenario,
            "history_seed": asked.seed,
            "cycles": asked.cycles,
            "window": asked.window,
        }
        made.append(Chain(compactor=Spec(NONE, {}), writer=None, seed=asked.seed, **common))
        for name in asked.compactors:
            spec = compactors.parse(name)
            if spec.name == NONE:
                continue
            seeds = range(asked.seed, asked.seed + (asked.draws if spec.entry.writes else 1))
            runtime = asked.runtimes.get(spec.name)
            made += [
                Chain(compactor=spec, writer=writer, seed=seed, runtime=runtime, **besides, **common)
                for besides in _besides(asked)
                for writer in (writers if spec.entry.writes else (None,))
                for seed in seeds
            ]
    for chain in made:
        by_itself = SELF in asked.writers and chain.writer is not None
        owners.check(chain.compactor, chain.writer, () if by_itself else asked.models)
    return list({chain.id: chain for chain in made}.values())


def _besides(asked: Asked) -> list[dict[str, Any]]:
    """What is done to chains besides compacting them."""
    continuation = None if asked.continuation == NONE else Continuation(asked.continuation)
    kinds = [None if each == NONE else Mitigation(each) for each in asked.mitigations]
    return [{"mitigation": kind, "continuation": continuation} for kind in kinds]


def cells(asked: Asked, chains: Sequence[Chain]) -> list[Cell]:
    """The cells of the run, scenario by scenario. `limit` keeps the first; their order makes a comparison of them: per
    rule the first request without the rule, uncompacted and compacted, then the twins, then the rest."""
    found = [cell for chain in chains for cell in _cells(asked, chain)]
    scenarios = list(dict.fromkeys(chain.scenario.id for chain in chains))
    found.sort(key=lambda cell: (scenarios.index(cell.chain.scenario.id), *_order(cell)))
    return found[: asked.limit]


def _order(cell: Cell) -> tuple[int, ...]:
    scenario, kind = cell.chain.scenario, cell.probe.kind
    rules = [rule.id for rule in scenario.rules]
    ahead = next(probe for probe in scenario.probes if (probe.rule, probe.kind) == (cell.probe.rule, kind))
    first = kind is ProbeKind.PROHIBITED and cell.probe == ahead and cell.arm in (*UNCOMPACTED, Arm.COMPACTED)
    second = kind in TWINS and cell.arm is Arm.COMPACTED
    return (
        cell.epoch,
        cell.cycle or 10**6,  # cycle 0 asks nothing of a compactor
        rules.index(cell.rule) if cell.rule else len(rules),
        0 if first else 1 if second else 2,
        scenario.probes.index(cell.probe),
        list(Arm).index(cell.arm),
    )


def needed(cells: Sequence[Cell]) -> list[Chain]:
    """The chains that the cells need: their own, and the uncompacted one beside each, which says what was there."""
    return list({chain.id: chain for cell in cells for chain in (uncompacted(cell.chain), cell.chain)}.values())


def uncompacted(chain: Chain) -> Chain:
    """The chain of the same history that nothing compacts."""
    none = Spec(NONE, {})
    plain: dict[str, Any] = {"writer": None, "runtime": None, "mitigation": None, "continuation": None}
    return replace(chain, compactor=none, seed=chain.history_seed, **plain)


def _cells(asked: Asked, chain: Chain) -> Iterator[Cell]:
    probes = [p for p in chain.scenario.probes if not asked.probes or p.kind in asked.probes]
    for cycle in range(1 if chain.compacts else 0, asked.cycles + 1):
        for probe in probes:
            for arm in Arm:
                if arm in asked.arms and (arm in UNCOMPACTED) != chain.compacts:
                    for kind in _kinds(chain.scenario, arm, probe):
                        for epoch in range(1, asked.epochs + 1):
                            yield Cell(chain, cycle, arm, probe.rule, kind, probe, epoch)


def _kinds(scenario: Scenario, arm: Arm, probe: Probe) -> list[str | None]:
    """The residue wordings of the arm, [None] for other arms; probes of subtasks ask about whole contexts only."""
    if probe.kind in OF_SUBTASKS:
        return [None] if arm in (Arm.FULL, Arm.COMPACTED) else []
    if probe.rule and scenario.rule(probe.rule).lifted and arm in (Arm.REMOVED, Arm.RESTORED, Arm.RESIDUE):
        return []  # a rule that was taken back is not to be brought back
    if arm is not Arm.RESIDUE:
        return [None]
    assert probe.rule is not None
    return [str(kind) for kind in scenario.rule(probe.rule).residue]
