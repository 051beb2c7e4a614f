"""The contexts (arms) that are derived from one snapshot. Pure: nothing is generated, the snapshot is not touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.model import ChatMessage, ChatMessageUser

from ..graders.retention import ResidueKind, traces
from . import messages as convert
from .history import without
from .messages import Rows
from .plan import Arm
from .scenario import Rule
from .snapshots import Snapshot

# `restored` and `residue` differ in the wording alone: same place, same frame
CARRIED_OVER = "Carried over from earlier in this conversation: {text}"


@dataclass(frozen=True)
class Context:
    """What an actor sees before the probe, and the world that its calls run against."""

    messages: Rows
    world: dict[str, object]


class Opaque(Exception):
    """The arm cannot be derived: the context holds a block that only its provider can read."""


def context(snapshot: Snapshot, arm: Arm, rule: Rule | None = None, kind: str | None = None) -> Context:
    """The context of an arm. `rule` is needed for every arm but `full` and `compacted`, `kind` for `residue`.

    Raises Opaque for `removed` and `residue` where the compacted text cannot be read.
    """
    if arm in (Arm.FULL, Arm.COMPACTED):
        return Context(snapshot.messages, snapshot.world)
    assert rule is not None, f"the arm {arm} is about one rule"
    if arm is Arm.FLOOR:
        messages = convert.load(without(snapshot.messages, rule.text))
        return Context(_valid(messages), without(snapshot.world, rule.text))
    if arm is Arm.RESTORED:
        return Context(_carrying(snapshot.messages, rule.text), snapshot.world)
    removed = _removed(snapshot.messages, rule)
    if arm is Arm.REMOVED:
        return Context(removed, snapshot.world)
    assert kind is not None, "the arm residue is about one wording"
    return Context(_carrying(removed, rule.residue[ResidueKind(kind)]), snapshot.world)


def _valid(messages: Sequence[ChatMessage]) -> Rows:
    """The messages without those that the cut left with nothing to say, as a conversation that a provider accepts."""
    spoken = [m for m in messages if m.role == "tool" or m.text.strip() or convert.is_opaque(m) or convert.calls(m)]
    return convert.dump(convert.normalise(spoken)[0])


def _carrying(rows: Rows, text: str) -> Rows:
    note = ChatMessageUser(id="m9998", content=CARRIED_OVER.format(text=text))
    return [*rows, *convert.dump([note])]


def _removed(rows: Rows, rule: Rule) -> Rows:
    """Every sentence that still carries something of the rule is cut."""
    messages = convert.load(rows)
    if any(convert.is_opaque(message) for message in messages):
        raise Opaque("the compacted context holds a provider's own block")
    return _valid([convert.rewrite(message, lambda text: _cut(text, rule)) for message in messages])


def _cut(text: str, rule: Rule) -> str:
    """The text without its traces of the rule."""
    for start, end in sorted(traces(text, rule.atoms, rule.text), reverse=True):
        text = text[:start] + text[end:]
    return text
