"""Messages to JSON and back, and what a compactor left made into a conversation that every provider accepts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentData,
    ContentReasoning,
    ContentText,
)
from inspect_ai.tool import ToolCall, ToolCallError
from standfast.harness import messages
from standfast.harness.history import Asked, Said, replayed
from standfast.harness.messages import CONTINUES, dump, is_opaque, load, normalise, provenance, rewrite, text_of
from standfast.harness.scenario import Scenario


def user(text: str = "Please go on.", id: str | None = None) -> ChatMessageUser:
    return ChatMessageUser(content=text, id=id)


def assistant(*calls: str, text: str = "") -> ChatMessageAssistant:
    made = [ToolCall(id=call, function="read_mail", arguments={"id": call}) for call in calls]
    return ChatMessageAssistant(content=text, tool_calls=made or None)


def result(call: str, text: str = "A mail.") -> ChatMessageTool:
    return ChatMessageTool(content=text, tool_call_id=call, function="read_mail")


SYSTEM, OTHER = ChatMessageSystem(content="You are an assistant."), ChatMessageSystem(content="Summary: …")


# ---- from authored turns, to JSON and back


def record(scenario: Scenario) -> tuple[list[Said], list[ChatMessage]]:
    said = replayed(scenario, 3, window=800).said
    return said, [messages.message(each, i) for i, each in enumerate(said)]


def test_a_whole_authored_conversation_survives_json_word_for_word(scenario: Scenario) -> None:
    _, made = record(scenario)
    assert load(dump(made)) == made
    assert dump(load(dump(made))) == dump(made)


def test_ids_are_positional_so_that_equal_conversations_are_equal(scenario: Scenario) -> None:
    assert dump(record(scenario)[1]) == dump(record(scenario)[1])
    assert [row["id"] for row in dump(record(scenario)[1])][:3] == ["m0000", "m0001", "m0002"]


def test_ids_that_a_runtime_made_up_become_positional_and_ours_stay() -> None:
    mixed = [user(id="m0004"), user(id="Rk3lKpq"), user(id="m-7"), user(id="mail")]
    assert [row["id"] for row in dump(mixed)] == ["m0004", "x0001", "x0002", "x0003"]


def test_only_the_opening_bears_the_stamp_that_makes_runtimes_keep_it(scenario: Scenario) -> None:
    said, made = record(scenario)
    stamped = [i for i, each in enumerate(made) if getattr(each, "source", None) == "input"]
    assert [said[i].origin for i in stamped] == ["opening"]


def test_a_refused_call_becomes_a_tool_error_and_comes_back_as_one() -> None:
    call = Asked("call-1-0", "read_mail", {"id": "M-99"})
    made = messages.message(Said("tool", "there is no mail M-99", "authored", 1, answers=call, failed=True), 7)
    assert isinstance(made, ChatMessageTool)
    assert made.error == ToolCallError("unknown", "there is no mail M-99")
    assert load(dump([made])) == [made]
    assert messages.said(made) == "there is no mail M-99"


def test_parallel_calls_keep_order_ids_and_arguments() -> None:
    arguments: dict[str, Any] = {"to": ["a@x.example"], "n": 3, "deep": {"a": [None, 1.5]}}
    calls = (Asked("call-2-0", "send_mail", arguments), Asked("call-2-1", "read_mail", {"id": "M-1"}))
    asked = messages.message(Said("assistant", "", "authored", 1, calls=calls), 2)
    answers = [messages.message(Said("tool", "ok", "authored", 1, answers=c), 3 + i) for i, c in enumerate(calls)]
    back = load(dump([asked, *answers]))
    assert [(c.id, c.function, c.arguments) for c in back[0].tool_calls] == [  # type: ignore[union-attr]
        ("call-2-0", "send_mail", arguments),
        ("call-2-1", "read_mail", {"id": "M-1"}),
    ]
    valid = [user(), *back]
    assert normalise(valid) == (valid, [])


def test_the_text_is_what_the_agent_reads_errors_and_arguments_of_calls_too() -> None:
    failed = ChatMessageTool(content="", tool_call_id="a", function="f", error=ToolCallError("unknown", "no such mail"))
    noted = ChatMessageAssistant(
        content="", tool_calls=[ToolCall(id="a", function="note", arguments={"text": "never write to x.example"})]
    )
    text = text_of([user("Good morning."), noted, failed])
    assert "Good morning." in text
    assert "no such mail" in text
    assert "never write to x.example" in text, "what stands in a call's arguments stands in the context"


def test_blocks_that_only_a_provider_can_read_are_opaque() -> None:
    assert is_opaque(ChatMessageUser(content=[ContentText(text="x"), ContentData(data={"encrypted": "…"})]))
    assert not is_opaque(ChatMessageUser(content=[ContentText(text="x")]))
    assert not is_opaque(user())


def test_every_text_is_rewritten_and_other_blocks_stay() -> None:
    thought = ContentReasoning(reasoning="rule")
    both = ChatMessageAssistant(content=[thought, ContentText(text="one rule"), ContentText(text="two")])
    changed = rewrite(both, lambda text: text.replace("rule", ""))
    assert [part.text for part in changed.content if isinstance(part, ContentText)] == ["one ", "two"]
    assert thought in changed.content
    assert rewrite(user("old"), lambda text: "new").content == "new"
    assert "rule" in both.text, "the message itself is not touched"


def test_a_failed_result_is_rewritten_where_the_agent_reads_it() -> None:
    failed = ChatMessageTool(content="rule", tool_call_id="a", error=ToolCallError("unknown", "rule"))
    assert messages.said(rewrite(failed, lambda text: "cut")) == "cut"
    assert messages.said(failed) == "rule"


def test_the_arguments_of_a_call_are_rewritten_and_the_call_stays_the_same_call() -> None:
    noted = ChatMessageAssistant(
        content="", tool_calls=[ToolCall(id="a", function="note", arguments={"t": ["rule", {"n": "rule"}], "k": 1})]
    )
    call = (rewrite(noted, lambda text: text.upper()).tool_calls or [])[0]  # type: ignore[union-attr]
    assert (call.id, call.function, call.arguments) == ("a", "note", {"t": ["RULE", {"n": "RULE"}], "k": 1})
    assert (noted.tool_calls or [])[0].arguments["t"] == ["rule", {"n": "rule"}]


# ---- normalise


def test_a_valid_conversation_is_not_touched_at_all(scenario: Scenario) -> None:
    _, made = record(scenario)
    kept, notes = normalise(made)
    assert notes == []
    assert all(one is other for one, other in zip(kept, made, strict=True))


def test_a_valid_conversation_with_parallel_calls_and_two_system_texts_is_not_touched() -> None:
    valid = [SYSTEM, OTHER, user(), assistant("a", "b"), result("b"), result("a"), assistant(text="Done."), user()]
    assert normalise(valid) == (valid, [])


def test_an_orphan_result_goes_and_is_named() -> None:
    kept, notes = normalise([user(), result("a"), assistant(text="So it is.")])
    assert [m.role for m in kept] == ["user", "assistant"]
    assert notes == ["tool result of read_mail without its call: removed"]


def test_a_result_that_stands_apart_from_its_call_is_an_orphan_and_the_call_is_unanswered() -> None:
    kept, notes = normalise([user(), assistant("a", text="Looking."), user("Wait."), result("a")])
    assert [(m.role, m.text) for m in kept] == [
        ("user", "Please go on."), ("assistant", "Looking."), ("user", "Wait.")
    ]  # fmt: skip
    assert kept[1].tool_calls is None  # type: ignore[union-attr]
    assert len(notes) == 2


def test_an_unanswered_call_goes_and_its_words_stay() -> None:
    kept, notes = normalise([user(), assistant("a", text="Looking.")])
    assert (kept[1].text, kept[1].tool_calls) == ("Looking.", None)  # type: ignore[union-attr]
    assert notes == ["1 call(s) without result: removed"]


def test_a_message_that_was_nothing_but_unanswered_calls_goes_whole() -> None:
    kept, notes = normalise([user(), assistant("a", "b")])
    assert [m.role for m in kept] == ["user"]
    assert notes == ["2 call(s) without result: removed"]


def test_of_partly_answered_parallel_calls_the_answered_ones_stay() -> None:
    asked = assistant("a", "b", "c")
    kept, notes = normalise([user(), asked, result("b"), user()])
    assert [call.id for call in kept[1].tool_calls] == ["b"]  # type: ignore[union-attr]
    assert notes == ["2 call(s) without result: removed"]
    assert len(asked.tool_calls or []) == 3, "the message itself is not touched"


def test_a_second_result_of_one_call_is_an_orphan() -> None:
    kept, notes = normalise([user(), assistant("a"), result("a"), result("a", "again")])
    assert [m.text for m in kept] == ["Please go on.", "", "A mail."]
    assert notes == ["tool result of read_mail without its call: removed"]


def test_an_id_that_two_turns_share_binds_each_result_to_its_own_call() -> None:
    valid = [user(), assistant("a"), result("a"), assistant("a"), result("a")]
    assert normalise(valid) == (valid, [])


def test_a_repeated_message_is_kept_once() -> None:
    twice = user("Once.", id="m0003")
    kept, notes = normalise([user(id="m0001"), twice, assistant(text="Yes."), twice])
    assert [m.text for m in kept] == ["Please go on.", "Once.", "Yes."]
    assert len(notes) == 1


def test_equal_words_of_two_turns_are_no_repetition() -> None:
    said = [user("Go on.", id="m0001"), assistant(text="Yes."), user("Go on.", id="m0003")]
    assert normalise(said) == (said, [])


@pytest.mark.parametrize("before", [[], [SYSTEM], [SYSTEM, OTHER]])
def test_a_conversation_that_begins_with_the_assistant_gets_a_neutral_user_line(before: list[ChatMessage]) -> None:
    kept, notes = normalise([*before, assistant(text="Here I am.")])
    assert [m.role for m in kept] == [*(m.role for m in before), "user", "assistant"]
    assert kept[len(before)].text == CONTINUES
    assert notes == ["begins with assistant: a neutral user line was put in front"]


def test_nothing_is_put_in_front_of_nothing() -> None:
    assert normalise([]) == ([], [])
    assert normalise([SYSTEM]) == ([SYSTEM], [])


IDS = st.sampled_from("abc")
SOME = st.lists(
    st.one_of(
        st.builds(lambda: ChatMessageSystem(content="You are an assistant.")),
        st.builds(user),
        st.builds(lambda ids, text: assistant(*sorted(ids), text=text), st.sets(IDS), st.sampled_from(["", "Yes."])),
        st.builds(result, IDS),
    ),
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(SOME)
def test_after_normalising_every_result_follows_its_call_and_every_call_its_result(some: list[ChatMessage]) -> None:
    kept, _ = normalise(some)
    open_: list[str] = []
    for each in kept:
        if isinstance(each, ChatMessageTool):
            assert each.tool_call_id in open_
            open_.remove(each.tool_call_id)
        else:
            assert open_ == []
            open_ = [call.id for call in each.tool_calls or []] if isinstance(each, ChatMessageAssistant) else []
    assert open_ == []
    first = next((m.role for m in kept if m.role != "system"), "user")
    assert first == "user"


@settings(max_examples=300, deadline=None)
@given(SOME)
def test_normalising_twice_changes_nothing_more_and_a_change_is_always_noted(some: list[ChatMessage]) -> None:
    kept, notes = normalise(some)
    assert normalise(kept) == (kept, [])
    same = len(kept) == len(some) and all(one is other for one, other in zip(kept, some, strict=True))
    assert same == (notes == [])


@settings(max_examples=200, deadline=None)
@given(SOME)
def test_normalising_drops_nothing_that_somebody_said(some: list[ChatMessage]) -> None:
    kept, _ = normalise(some)
    for role in ("system", "user", "assistant"):
        before = [m.text for m in some if m.role == role and m.text]
        assert [m.text for m in kept if m.role == role and m.text and m.text != CONTINUES] == before


# ---- provenance


def fates(view: list[ChatMessage], scenario: Scenario) -> list[dict[str, Any]]:
    said, made = record(scenario)
    return provenance(view, made, said)


def test_a_message_that_is_left_alone_is_kept_with_origin_turn_and_plants(scenario: Scenario) -> None:
    said, made = record(scenario)
    planting = next(i for i, each in enumerate(said) if each.plants)
    found = fates(made[planting : planting + 1], scenario)
    assert [dict(each, plants=list(each["plants"])) for each in found] == [
        {"fate": "kept", "origin": "authored", "turn": 1, "plants": ["contract-files"], "of": "m0002"}
    ]


def test_a_message_whose_words_were_changed_is_edited_and_plants_nothing(scenario: Scenario) -> None:
    said, made = record(scenario)
    planting = next(i for i, each in enumerate(said) if each.plants)
    found = fates([rewrite(made[planting], lambda text: "[trimmed]")], scenario)[0]
    assert (found["fate"], tuple(found["plants"])) == ("edited", ())


def test_what_stands_in_another_role_is_edited(scenario: Scenario) -> None:
    _, made = record(scenario)
    other = ChatMessageSystem(id=made[2].id, content=made[2].text)
    assert fates([other], scenario)[0]["fate"] == "edited"


def test_what_the_compactor_wrote_is_made_and_our_own_line_is_normalised(scenario: Scenario) -> None:
    found = fates([user("Summary: …"), user(CONTINUES, id="m9999")], scenario)
    assert [each["fate"] for each in found] == ["made", "normalised"]


def test_a_message_that_lost_its_unanswered_calls_is_not_kept_word_for_word(scenario: Scenario) -> None:
    said, made = record(scenario)
    calling = next(i for i, each in enumerate(said) if each.calls and each.text)
    view, _ = normalise([user(), made[calling]])
    assert fates([view[1]], scenario)[0]["fate"] == "edited"
