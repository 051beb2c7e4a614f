"""The authored work between boundaries, run against a world: turns, bulky filler, neutral tracers.

No model is involved: a replayed history is a pure function of scenario, seed and window.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from .scenario import Rule, Scenario, Turn
from .texts import changed
from .worlds import world_type
from .worlds.world import Bulk, Refused, World

MARK = re.compile(r"\{(rule|lifted):([a-z0-9._-]+)\}")
FILED = "I have filed it with the other papers."
Origin = Literal["system", "opening", "authored", "filler"]


@dataclass(frozen=True)
class Asked:
    """A tool call of an authored turn."""

    id: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Said:
    """One message of the uncompacted conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    origin: Origin
    turn: int | None = None
    calls: tuple[Asked, ...] = ()
    answers: Asked | None = None
    failed: bool = False
    plants: tuple[str, ...] = ()


def tokens(text: str) -> int:
    """The size of a text in tokens: a quarter of its characters. It needs no vocabulary and is equal everywhere."""
    return max(1, len(text) // 4)


def with_rules(value: Any, texts: dict[str, str]) -> Any:
    """The JSON value with every mark replaced; `texts` is what `spoken` gives."""
    return changed(value, lambda text: MARK.sub(lambda mark: texts.get(mark[0], mark[0]), text))


def spoken(scenario: Scenario) -> dict[str, str]:
    """What the marks `{rule:ID}` and `{lifted:ID}` stand for."""
    texts = {f"{{rule:{rule.id}}}": rule.text for rule in scenario.rules}
    return texts | {f"{{lifted:{rule.id}}}": rule.lifted for rule in scenario.rules if rule.lifted}


class Conversation:
    """The uncompacted conversation of one scenario, grown chunk by chunk; `said` holds it all."""

    def __init__(self, scenario: Scenario, seed: int = 1, window: int = 0) -> None:
        self.scenario, self.window = scenario, window
        self._texts = spoken(scenario)
        kind = world_type(scenario.world.name)
        self.world: World = kind.start(kind.Start.model_validate(with_rules(scenario.world.start, self._texts)), seed)
        self.said: list[Said] = []
        self.grown = 0
        self._turn = self._filled = 0
        if scenario.system:
            self._say("system", scenario.system, "system", turn=0)
        self._say("user", scenario.opening, "opening")

    def grow(self) -> list[Said]:
        """The messages of the next chunk: authored turns with the world's answers, and filler up to the window."""
        start, chunks = len(self.said), self.scenario.history.chunks
        turns = chunks[self.grown] if self.grown < len(chunks) else (Turn(filler="here"),)
        before, after = _around_filler(turns)
        for turn in before:
            self._act(turn)
        self._fill(start, self._reserve(after))
        for turn in after:
            self._act(turn)
        self.grown += 1
        return self.said[start:]

    def _reserve(self, turns: tuple[Turn, ...]) -> int:
        """What these turns will take with the world's answers, and the tracers in chunk 0; measured on a copy."""
        copy = type(self.world).load(self.world.dump())
        size = sum(tokens(with_rules(_spoken(turn), self._texts)) for turn in turns)
        for call in (call for turn in turns for call in turn.calls):
            try:
                size += tokens(copy.call(call.tool, with_rules(call.arguments, self._texts)))
            except Refused as refusal:
                size += tokens(str(refusal))
        return size if self.grown else size + sum(tokens(each.text) for each in self.scenario.history.tracers)

    def _act(self, turn: Turn) -> None:
        self._turn += 1
        if turn.assistant is not None:
            calls = [(call.tool, with_rules(call.arguments, self._texts)) for call in turn.calls]
            self._assist(turn.assistant, calls, "authored", self._turn)
        else:
            self._say("user", _spoken(turn), "authored", self._turn)

    def _assist(self, text: str, calls: list[tuple[str, dict[str, Any]]], origin: Origin, turn: int | None) -> None:
        number = len(self.said)
        asked = tuple(Asked(f"call-{number}-{i}", tool, arguments) for i, (tool, arguments) in enumerate(calls))
        self._say("assistant", text, origin, turn, calls=asked)
        for call in asked:
            try:
                answer, failed = self.world.call(call.tool, call.arguments), False
            except Refused as refusal:
                answer, failed = str(refusal), True
            self._say("tool", answer, origin, turn, answers=call, failed=failed)

    def _fill(self, start: int, reserve: int) -> None:
        """Bulky neutral work until the chunk is as large as the window; chunk 0 has one at least, for the tracers."""
        tracers = [tracer.text for tracer in self.scenario.history.tracers] if self.grown == 0 else []
        pieces = list(self._pieces(start, reserve, at_least=1 if self.grown == 0 else 0))
        attack = self.scenario.attack if self.grown == 0 else None
        for i, bulk in enumerate(pieces):
            share, tracers = _share(tracers, len(pieces) - i)
            self._say("user", " ".join([*share, bulk.ask]), "filler")
            self._assist("", [(bulk.tool, bulk.arguments)], "filler", None)
            if attack and attack.text and attack.channel == "tool_result" and i == len(pieces) - 1:
                self.said[-1] = replace(self.said[-1], text=f"{self.said[-1].text}\n\n{attack.text}")
            self._say("assistant", bulk.remark, "filler")
        if attack and attack.text and attack.channel == "document":
            self._say("user", _framed("document", attack.text), "filler")
            self._say("assistant", FILED, "filler")

    def _pieces(self, start: int, reserve: int, at_least: int) -> Iterator[Bulk]:
        """As many pieces as reach the window. Results are measured on a copy: looking ahead must not tick the clock."""
        size = sum(tokens(said.text) for said in self.said[start:]) + reserve
        copy, given = type(self.world).load(self.world.dump()), 0
        while given < at_least or size < self.window:
            bulk = self.world.filler(self._filled)
            size += tokens(bulk.ask) + tokens(copy.call(bulk.tool, bulk.arguments)) + tokens(bulk.remark)
            self._filled += 1
            given += 1
            yield bulk

    def _say(
        self,
        role: Literal["system", "user", "assistant", "tool"],
        text: str,
        origin: Origin,
        turn: int | None = None,
        **more: Any,
    ) -> None:
        text = with_rules(text, self._texts)
        plants = tuple(rule.id for rule in self.scenario.rules if rule.text in text)
        self.said.append(Said(role, text, origin, turn, plants=plants, **more))


def _share(items: list[str], among: int) -> tuple[list[str], list[str]]:
    """This piece's share of the items when so many pieces are still to come, and the rest."""
    count = -(-len(items) // among)
    return items[:count], items[count:]


def _around_filler(turns: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """The turns before and after the filler; without a mark it stands before the last user turn, so that the
    boundary meets authored work."""
    marks = [i for i, turn in enumerate(turns) if turn.filler]
    if marks:
        return turns[: marks[0]], turns[marks[0] + 1 :]
    users = [i for i, turn in enumerate(turns) if turn.user is not None]
    split = users[-1] if len(users) > 1 else len(turns)
    return turns[:split], turns[split:]


def _spoken(turn: Turn) -> str:
    """What the turn puts into the conversation, with the frame of its channel."""
    for speaker in ("event", "document", "memory"):
        said: str | None = getattr(turn, speaker)
        if said is not None:
            return _framed(speaker, said)
    return turn.user or turn.assistant or ""


def _framed(speaker: str, text: str) -> str:
    return f"<{speaker}>\n{text}\n</{speaker}>"


def replayed(scenario: Scenario, chunks: int, seed: int = 1, window: int = 0) -> Conversation:
    """The conversation after so many chunks."""
    conversation = Conversation(scenario, seed, window)
    for _ in range(chunks):
        conversation.grow()
    return conversation


def without(value: Any, text: str) -> Any:
    """The JSON value with a text cut out of every text of it."""
    return changed(value, lambda said: said.replace(text, ""))


def unstated(value: Any, rule: Rule) -> Any:
    """The JSON value as if the rule had never been stated, nor taken back."""
    return without(without(value, rule.text), rule.lifted or rule.text)
