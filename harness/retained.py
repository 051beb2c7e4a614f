"""What the compacted contexts of a chain still say: retention and locus of each rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..graders.locus import locus as locus_of
from ..graders.retention import Retention, classify, invented
from . import messages
from .scenario import Rule, Scenario
from .snapshots import Boundary, Snapshot, boundary_of, halt

INVENTED = "(invented)"


@dataclass(frozen=True)
class Retained:
    """What the context of one cycle says of one rule; every field but cycle and rule may be None: not measured."""

    cycle: int
    rule: str
    retention: str | None = None
    residue_kind: str | None = None
    locus: str | None = None
    evidence: str | None = None
    start: int | None = None
    end: int | None = None

    def label(self) -> dict[str, Any]:
        return {"retention": self.retention, "residue_kind": self.residue_kind, "locus": self.locus}

    def as_row(self) -> dict[str, Any]:
        return {
            "cycle": self.cycle,
            "rule": self.rule,
            **self.label(),
            "evidence": self.evidence,
            "start": self.start,
            "end": self.end,
        }


def label_of(text: str, rule: Rule, stated: bool) -> dict[str, Any]:
    """Retention and residue kind of a rule in a text; `stated` is False where the rule was never said."""
    found = classify(text, rule.atoms, rule.text)
    if not stated and found.retention is Retention.DROPPED:
        return {"retention": str(Retention.NEVER_STATED)}
    return {"retention": str(found.retention), "residue_kind": None if found.kind is None else str(found.kind)}


def rules(scenario: Scenario, snapshots: Sequence[Snapshot]) -> Iterator[Retained]:
    """The retention of every rule at every cycle of a chain, and the rules that were invented on the way."""
    for rule in scenario.rules:
        locus: str | None = None
        for cycle, snapshot in enumerate(snapshots):
            found = _retained(rule, cycle, snapshots[: cycle + 1])
            locus = _locus(found, locus, rule, snapshot)
            yield Retained(
                cycle, rule.id, found.retention, found.residue_kind, locus, found.evidence, found.start, found.end
            )
    yield from _invented(scenario, snapshots)


def _retained(rule: Rule, cycle: int, snapshots: Sequence[Snapshot]) -> Retained:
    if halt(snapshots):
        return Retained(cycle, rule.id)  # nothing was compacted: there is no compacted text to read
    loaded = messages.load(snapshots[-1].messages)
    found = classify(messages.text_of(loaded), rule.atoms, rule.text)
    if found.retention is Retention.DROPPED:
        if any(messages.is_sealed(message) for message in loaded):
            return Retained(cycle, rule.id, str(Retention.UNREADABLE))
        if any(
            boundary.non_summary or boundary.cut_off for boundary in map(_boundary, snapshots) if boundary is not None
        ):
            # what is no summary of this conversation, or half of one, drops things; that is no loss of a rule
            return Retained(cycle, rule.id)
    kind = None if found.kind is None else str(found.kind)
    return Retained(cycle, rule.id, str(found.retention), kind, None, found.evidence, found.start, found.end)


def _boundary(snapshot: Snapshot) -> Boundary | None:
    return None if snapshot.boundary is None else boundary_of(snapshot.boundary)


def _locus(found: Retained, before: str | None, rule: Rule, snapshot: Snapshot) -> str | None:
    """Where the rule was lost, by what the writer of this boundary was shown; see `graders.locus`."""
    shown: str | None = None
    if found.retention == Retention.DROPPED and before not in ("omitted", "unseen"):
        texts = "\n\n".join(messages.text_of(messages.load(rows)) for rows in snapshot.shown)
        shown = str(classify(texts, rule.atoms, rule.text).retention)
    where = locus_of(found.retention, shown, before)
    return None if where is None else str(where)


def _invented(scenario: Scenario, snapshots: Sequence[Snapshot]) -> Iterator[Retained]:
    """Rules in a writer's text that no rule of the scenario and nothing that was shown to it accounts for."""
    known, said = (
        [rule.atoms for rule in scenario.rules],
        messages.text_of(messages.load(snapshots[0].messages)) if snapshots else "",
    )
    for cycle, snapshot in enumerate(snapshots):
        boundary = _boundary(snapshot)
        if boundary is None or not boundary.summary:
            continue
        shown = "\n\n".join([said, *(messages.text_of(messages.load(rows)) for rows in snapshot.shown)])
        for found in invented(boundary.summary, known, shown):
            yield Retained(cycle, INVENTED, "invented", None, None, found.evidence, found.start, found.end)
