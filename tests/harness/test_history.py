"""The authored work between boundaries: deterministic, as large as the window, with every mark and tracer in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standfast.harness import catalogue
from standfast.harness.faults import BadInput
from standfast.harness.history import MARK, Conversation, Said, replayed, tokens, with_rules, without
from standfast.harness.scenario import Scenario, Turn

Edited = Callable[[Callable[[dict[str, Any]], None]], Scenario]
Bundled = Callable[[str], Scenario]
BUNDLED = [path.stem for path in catalogue.files()]


def size(said: list[Said]) -> int:
    return sum(tokens(each.text) for each in said)


@pytest.mark.parametrize("name", BUNDLED)
def test_the_same_scenario_seed_and_window_give_the_same_conversation_and_world(bundled: Bundled, name: str) -> None:
    one, other = (replayed(bundled(name), 4, seed=3, window=600) for _ in range(2))
    assert one.said == other.said
    assert one.world.dump() == other.world.dump()


def test_another_seed_changes_the_filler_and_nothing_else(scenario: Scenario) -> None:
    one, other = (replayed(scenario, 3, seed=seed, window=800) for seed in (1, 2))
    bulk = [[s.text for s in each.said if s.origin == "filler"] for each in (one, other)]
    assert bulk[0] != bulk[1]
    words = [[s.text for s in each.said if s.origin != "filler" and s.role != "tool"] for each in (one, other)]
    assert words[0] == words[1]


@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.parametrize("window", [600, 2000])
def test_every_chunk_reaches_the_window_also_past_the_authored_ones(bundled: Bundled, name: str, window: int) -> None:
    story = Conversation(bundled(name), 1, window)
    sizes = [size(story.grow()) for _ in range(len(story.scenario.history.chunks) + 2)]
    assert min(sizes) >= window


@pytest.mark.parametrize("name", BUNDLED)
def test_filler_stops_as_soon_as_the_window_is_reached(bundled: Bundled, name: str) -> None:
    story = Conversation(bundled(name), 1, 3000)
    for _ in range(4):
        chunk = story.grow()
        asks = [i for i, said in enumerate(chunk) if said.origin == "filler" and said.role == "user"]
        piece = chunk[asks[-1] : asks[-1] + 4]  # ask, call, result, remark
        # tracers, and what authored calls after the filler will answer, are not measured with it
        unmeasured = [said.text for said in chunk[asks[-1] + 4 :] if said.role == "tool"]
        unmeasured += [tracer.text for tracer in story.scenario.history.tracers]
        assert size(chunk) - size(piece) - sum(map(tokens, unmeasured)) < 3000


@pytest.mark.parametrize("window", [0, 600, 3000])
@pytest.mark.parametrize("name", BUNDLED)
def test_every_tracer_is_said_in_chunk_zero_and_nowhere_else(bundled: Bundled, name: str, window: int) -> None:
    story = Conversation(bundled(name), 1, window)
    first = "\n".join(said.text for said in story.grow())
    later = "\n".join(said.text for _ in range(3) for said in story.grow())
    for tracer in story.scenario.history.tracers:
        assert first.count(tracer.text) == 1
        assert tracer.key not in later


def test_filler_stands_where_the_mark_is(scenario: Scenario) -> None:
    story = Conversation(scenario, 1, 2000)
    for chunk in (story.grow(), story.grow()):
        filler = [i for i, said in enumerate(chunk) if said.origin == "filler"]
        assert filler == list(range(filler[0], filler[-1] + 1)), "one block"
        assert {said.origin for said in chunk[: filler[0]]} == {"authored"}
        assert {said.origin for said in chunk[filler[-1] + 1 :]} == {"authored"}
    assert chunk[filler[-1] + 1].text.startswith("Thanks.")


def test_without_a_mark_filler_stands_before_the_last_user_turn_or_after_a_lone_one(
    scenario: Scenario, edited: Edited
) -> None:
    def unmark(data: dict[str, Any]) -> None:
        data["history"]["chunks"][0] = [turn for turn in data["history"]["chunks"][0] if "filler" not in turn]

    chunk = Conversation(edited(unmark), 1, 1500).grow()
    after = chunk[max(i for i, said in enumerate(chunk) if said.origin == "filler") + 1 :]
    assert [said.text for said in after if said.role == "user"] == ["What does Omar say about his afternoon?"]
    lone = replayed(scenario, 2, window=1500).grow()  # chunk 2 has one user turn, and no mark
    assert lone[0].origin == "authored"
    assert lone[-1].origin == "filler"


def test_filler_calls_only_tools_that_look_and_none_fails(scenario: Scenario) -> None:
    story = replayed(scenario, 3, window=2000)
    filler = [said for said in story.said if said.origin == "filler"]
    assert {call.tool for said in filler for call in said.calls} <= story.world.setting().reads
    assert not any(said.failed for said in filler)


def test_a_piece_of_filler_is_used_once_over_all_chunks(scenario: Scenario) -> None:
    story = replayed(scenario, 4, window=1500)
    calls = [(call.tool, str(call.arguments)) for s in story.said if s.origin == "filler" for call in s.calls]
    assert len(calls) == len(set(calls))


def test_looking_ahead_for_the_size_does_not_move_the_worlds_clock(scenario: Scenario) -> None:
    story = replayed(scenario, 2, window=2000)
    made = [(call.tool, call.arguments) for said in story.said for call in said.calls]
    assert [(entry["tool"], entry["arguments"]) for entry in story.world.log] == made


def test_no_window_asks_for_one_piece_of_filler_only_because_of_the_tracers(scenario: Scenario) -> None:
    story = Conversation(scenario, 1, 0)
    asks = [sum(s.origin == "filler" and s.role == "user" for s in story.grow()) for _ in range(4)]
    assert asks == [1, 0, 0, 0]


# ---- rules in the conversation


@pytest.mark.parametrize("name", BUNDLED)
def test_every_mark_is_rendered_and_every_rule_is_planted(bundled: Bundled, name: str) -> None:
    scenario = bundled(name)
    story = replayed(scenario, len(scenario.history.chunks))
    assert not any(MARK.search(said.text) for said in story.said)
    assert not MARK.search(str(story.world.dump()))
    assert {rule for said in story.said for rule in said.plants} == {rule.id for rule in scenario.rules}


@pytest.mark.parametrize("name", BUNDLED)
def test_the_opening_and_the_system_text_hold_no_rule_unless_the_channel_is_system(bundled: Bundled, name: str) -> None:
    scenario = bundled(name)
    for said in Conversation(scenario).said:
        assert all(scenario.rule(id).plant.channel == "system" and said.role == "system" for id in said.plants)


@pytest.mark.parametrize("name", BUNDLED)
def test_rules_are_planted_in_chunk_zero(bundled: Bundled, name: str) -> None:
    scenario = bundled(name)
    planted = {rule for said in replayed(scenario, 1).said for rule in said.plants}
    assert planted == {rule.id for rule in scenario.rules}


def test_a_rule_that_is_first_said_after_the_first_boundary_is_refused(edited: Edited) -> None:
    def late(data: dict[str, Any]) -> None:
        chunks = data["history"]["chunks"]
        chunks[0][0]["user"] = "Please look what Priya wrote."
        chunks[1][0]["user"] = "Before we go on: {rule:contract-files} What did Castellan write?"
        data["rules"][0]["plant"]["turn"] = 11

    with pytest.raises(BadInput, match="chunk 0"):
        edited(late)


def test_a_planting_turn_is_numbered_over_authored_turns_alone(scenario: Scenario) -> None:
    story = replayed(scenario, 3, window=2000)
    planting = [said for said in story.said if said.plants]
    assert [(said.turn, said.role, said.origin) for said in planting] == [(1, "user", "authored")]
    turns = [said.turn for said in story.said if said.origin == "authored"]
    assert turns == sorted(turns)  # type: ignore[type-var]
    assert all(said.turn is None for said in story.said if said.origin == "filler")


def test_marks_inside_lists_and_mappings_are_rendered_and_unknown_ones_stay() -> None:
    value = {"a": ["x {rule:r} y", {"b": "{rule:r}"}], "c": 3, "d": None, "e": "{rule:other}"}
    wanted = {"a": ["x NEVER. y", {"b": "NEVER."}], "c": 3, "d": None, "e": "{rule:other}"}
    assert with_rules(value, {"{rule:r}": "NEVER."}) == wanted


def test_a_rules_text_that_holds_a_mark_itself_is_not_rendered_twice() -> None:
    assert with_rules("{rule:a}", {"{rule:a}": "see {rule:b}", "{rule:b}": "B"}) == "see {rule:b}"


PLAIN = st.recursive(
    st.text(alphabet="xRULE ", max_size=12) | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=10,
)


@given(PLAIN)
def test_without_cuts_every_text_and_keeps_the_shape(value: object) -> None:
    cut = without(value, "RULE")
    assert shape(cut) == shape(value)
    assert leaves(cut) == [leaf.replace("RULE", "") for leaf in leaves(value)]


def leaves(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [leaf for each in inner for leaf in leaves(each)]


def shape(value: object) -> object:
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    return [shape(each) for each in value] if isinstance(value, list) else type(value).__name__


def test_without_cuts_the_text_from_every_depth_and_changes_nothing_in_place() -> None:
    value = {"a": ["say RULE now", {"b": "RULE"}], "RULE": 1}
    assert without(value, "RULE") == {"a": ["say  now", {"b": ""}], "RULE": 1}
    assert value == {"a": ["say RULE now", {"b": "RULE"}], "RULE": 1}


# ---- calls


def test_every_call_is_answered_at_once_by_the_world_and_ids_are_unique(scenario: Scenario) -> None:
    said = replayed(scenario, 3, window=1000).said
    asked = [call.id for each in said for call in each.calls]
    assert len(asked) == len(set(asked))
    for i, each in enumerate(said):
        answers = [s.answers.id for s in said[i + 1 : i + 1 + len(each.calls)] if s.answers]
        assert answers == [call.id for call in each.calls]


def test_a_call_that_the_world_refuses_is_a_failed_answer_in_the_worlds_words(scenario: Scenario) -> None:
    looking = Turn.model_validate({"assistant": "Looking.", "calls": [{"read_mail": {"id": "M-99"}}]})
    chunks = ((*scenario.history.chunks[0], looking),)
    wrong = scenario.model_copy(update={"history": scenario.history.model_copy(update={"chunks": chunks})})
    said = replayed(wrong, 1).said
    assert [each for each in said if each.failed] == [said[-1]]
    assert "M-99" in said[-1].text


@settings(max_examples=30)
@given(st.text(max_size=40))
def test_the_size_of_a_text_is_a_quarter_of_its_characters_and_never_nothing(text: str) -> None:
    assert tokens(text) == max(1, len(text) // 4)
