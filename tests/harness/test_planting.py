"""Why rules are planted by the solver: what stands in `Sample.input` survives a summary word for word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, ChatMessageUser, get_model
from standfast.graders.retention import Retention, classify
from standfast.harness import compactors
from standfast.harness.compactors.protocol import Compacted, Work
from standfast.harness.history import replayed
from standfast.harness.messages import message, text_of
from standfast.harness.scenario import Scenario

Inside = Callable[..., tuple[Any, Any]]
SUMMARY = "Summary: mail M-11 was read, the draft of contract-castellan-v7.docx is open."


def compacted(inside: Inside, scenario: Scenario, name: str, input: list[ChatMessage], planted: bool) -> Compacted:
    """The history of chunk 0 behind the sample's input, compacted by a writer that keeps no rule."""
    spec = compactors.parse(name)
    said = replayed(scenario, 1, window=600).said
    first = 2  # behind system text and opening, which the input stands for
    history = [message(each, i) for i, each in enumerate(said) if i >= first and (planted or not each.plants)]

    async def work(state: Any) -> Compacted:
        given = [*state.messages, *history]
        made = compactors.make(spec, Work(get_model("told/plain"), tuple(state.messages), (), spec.settings))
        return await made.compact(given)

    found, log = inside(work, input=input)
    assert log.status == "success"
    assert found.fired
    return found  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["truncate", "inspect", "inspect-neutral"])
def test_a_rule_that_the_solver_planted_is_gone_after_the_boundary(
    inside: Inside, scenario: Scenario, name: str
) -> None:
    rule = scenario.rules[0]
    view = compacted(inside, scenario, name, [ChatMessageUser(content=scenario.opening)], planted=True).messages
    assert rule.text not in text_of(view)
    assert classify(text_of(view), rule.atoms, rule.text).retention is Retention.DROPPED


@pytest.mark.parametrize("name", ["inspect", "inspect-neutral"])
def test_the_same_rule_in_the_samples_input_survives_the_summary_word_for_word(
    inside: Inside, scenario: Scenario, name: str
) -> None:
    # why it is not done: Inspect keeps every message of `Sample.input`, and no compaction would ever lose a rule
    rule = scenario.rules[0]
    stated = ChatMessageUser(content=f"{scenario.opening} {rule.text}")
    view = compacted(inside, scenario, name, [stated], planted=False).messages
    assert SUMMARY in text_of(view), "the writer wrote, and kept no rule"
    assert rule.text in text_of(view)
    assert classify(text_of(view), rule.atoms, rule.text).retention is Retention.INTACT
    assert [m.text for m in view if rule.text in m.text] == [stated.text]


def test_it_is_the_stamp_of_the_input_that_keeps_it_and_not_its_place(inside: Inside, scenario: Scenario) -> None:
    rule = scenario.rules[0]
    opening = ChatMessageUser(content=scenario.opening)
    said = ChatMessageUser(content=rule.text)
    kept = compacted(inside, scenario, "inspect-neutral", [opening, said], planted=False).messages
    assert rule.text in text_of(kept)

    async def work(state: Any) -> Compacted:
        unstamped = [m.model_copy(update={"source": None}) for m in state.messages]
        spec = compactors.parse("inspect-neutral")
        made = compactors.make(spec, Work(get_model("told/plain"), tuple(unstamped[:1]), (), spec.settings))
        return await made.compact(unstamped)

    gone = inside(work, input=[opening, said])[0].messages
    assert rule.text not in text_of(gone)
