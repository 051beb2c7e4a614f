"""The split compactor on conversations: what stays, what leaves a mark, what can be read again, when it gives up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
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
    get_model,
)
from inspect_ai.tool import ToolCall, ToolCallError
from standfast.harness.compactors.protocol import Compacted, Work
from standfast.harness.compactors.split.classes import SpanClass, span_class
from standfast.harness.compactors.split.planner import CompactionInvariantError
from standfast.harness.compactors.split.splitting import Split, verify
from standfast.harness.compactors.split.tombstones import is_mark, names_in
from standfast.harness.history import tokens
from standfast.harness.messages import normalise, said, text_of

READS = frozenset({"read_mail", "list_mails"})
LONG = "The quarterly figures of the northern depots, line by line. "


def split(target: int | None = None, keep: int = 0, store: str = "on", **more: Any) -> Split:
    wanted = {"target": target, "keep": keep, "store": store, **more}
    return Split(Work(None, (), (), wanted, READS))


def run(made: Split, messages: list[ChatMessage]) -> Compacted:
    return asyncio.run(made.compact(list(messages)))


def user(id: str, text: str) -> ChatMessage:
    return ChatMessageUser(id=id, content=text)


def pair(id: str, tool: str, result: str, text: str = "", **arguments: Any) -> list[ChatMessage]:
    call = ToolCall(id=f"c{id}", function=tool, arguments=arguments)
    return [
        ChatMessageAssistant(id=f"{id}a", content=text, tool_calls=[call]),
        ChatMessageTool(id=f"{id}r", content=result, tool_call_id=call.id, function=tool),
    ]


def story() -> list[ChatMessage]:
    return [
        ChatMessageSystem(id="m0000", content="You look after the depot."),
        user("m0001", f"Never write to anybody outside the depot. {LONG}"),
        *pair("m0002", "read_mail", LONG * 5, "Let me look. " * 20, mail="M-1"),
        ChatMessageAssistant(id="m0004", content="What I conclude is this. " * 20),
        *pair("m0005", "send_mail", f"Sent. {LONG * 3}", f"I write to Ann. {LONG}", to="ann@depot.example"),
        user("m0007", "Thank you."),
    ]


# ---- classes


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (ChatMessageSystem(content="x"), SpanClass.AUTHORITATIVE),
        (ChatMessageUser(content="x"), SpanClass.AUTHORITATIVE),
        (pair("1", "read_mail", "x")[1], SpanClass.RECOVERABLE),
        (pair("1", "send_mail", "x")[1], SpanClass.AUTHORITATIVE),
        (pair("1", "ask_person", "x")[1], SpanClass.AUTHORITATIVE),
        (pair("1", "read_mail", "x")[0], SpanClass.DISPOSABLE),
        (pair("1", "send_mail", "x")[0], SpanClass.AUTHORITATIVE),
        (pair("1", "report_status", "x")[0], SpanClass.AUTHORITATIVE),
        (ChatMessageAssistant(content="Never do that."), SpanClass.DISPOSABLE),
        (ChatMessageAssistant(content=[ContentData(data={"sealed": "x"})]), SpanClass.AUTHORITATIVE),
    ],
)
def test_the_class_of_a_message_is_its_type_and_provenance(message: ChatMessage, kind: SpanClass) -> None:
    assert span_class(message, READS) is kind


# ---- one boundary


def test_what_nobody_could_say_again_stays_as_the_same_objects() -> None:
    messages = story()
    left = run(split(), messages)
    assert left.fired
    assert [m.id for m in left.messages] == [m.id for m in messages], "every message has its place, at least a mark"
    for i in (0, 1, 5, 6, 7):
        assert left.messages[i] is messages[i]


def test_what_goes_leaves_a_mark_that_says_how_to_have_it_again() -> None:
    left = run(split(), story()).messages
    assert said(left[3]) == "[EVICTED:tool_result@t3:recover=read_archive(t3) or read_mail again]"
    assert said(left[4]) == "[EVICTED:assistant@t4:recover=read_archive(t4)]"
    assert said(left[2]) == "[EVICTED:assistant@t2:recover=read_archive(t2)]"
    assert left[2].tool_calls == story()[2].tool_calls  # type: ignore[union-attr]


def test_the_archive_holds_the_originals_word_for_word_with_their_reasoning() -> None:
    thinking = ChatMessageAssistant(
        id="m0008", content=[ContentReasoning(reasoning="Hm. " * 60), ContentText(text="So be it.")]
    )
    left = run(split(), [*story(), thinking])
    assert left.archive["t3"] == LONG * 5
    assert left.archive["t4"] == "What I conclude is this. " * 20
    assert left.archive["t8"] == "Hm. " * 60 + "\nSo be it."
    assert is_mark(left.messages[-1])


def test_without_a_store_a_read_can_be_made_again_and_the_rest_cannot() -> None:
    left = run(split(store="off"), story())
    assert left.archive == {}
    assert said(left.messages[3]) == "[EVICTED:tool_result@t3:recover=read_mail again]"
    assert said(left.messages[4]) == "[EVICTED:assistant@t4:recover=NO]"


def test_a_read_that_failed_leaves_a_mark_and_no_error() -> None:
    messages = story()
    messages[3] = messages[3].model_copy(update={"error": ToolCallError("unknown", LONG * 4)})
    left = run(split(), messages)
    assert is_mark(left.messages[3])
    assert left.archive["t3"] == LONG * 4


def test_a_rule_in_a_result_that_can_be_read_again_is_never_silently_gone() -> None:
    rule = "Nobody pays more than 500 without Mara."
    messages = [*story(), *pair("m0008", "read_mail", f"{rule} {LONG * 4}"), user("m0010", "Go on.")]
    left = run(split(), messages)
    assert rule not in text_of(left.messages)
    (name,) = [name for name, text in left.archive.items() if rule in text]
    assert f"read_archive({name})" in text_of(left.messages)


def test_the_newest_messages_go_only_where_a_target_asks_for_it() -> None:
    assert run(split(keep=8), story()).fired is False
    assert run(split(keep=8, target=260), story()).fired


def test_a_target_that_is_met_already_changes_nothing() -> None:
    messages = story()
    left = run(split(target=10_000), messages)
    assert (left.fired, left.halted, left.messages) == (False, None, messages)


def test_a_target_that_only_authoritative_spans_could_meet_halts_and_leaves_everything() -> None:
    messages = story()
    left = run(split(target=50), messages)
    assert left.halted is not None
    assert "the target of 50 tokens cannot be met" in left.halted
    assert (left.messages, left.fired) == (messages, False)


def test_a_threshold_that_is_not_reached_leaves_everything() -> None:
    assert run(split(trigger="threshold", window=5000), story()).fired is False
    assert run(split(trigger="threshold", window=100), story()).fired is True


# ---- whatever the conversation


def conversations() -> st.SearchStrategy[list[ChatMessage]]:
    turn = st.one_of(
        st.tuples(st.just("user"), st.integers(1, 60)),
        st.tuples(st.just("say"), st.integers(1, 60)),
        st.tuples(st.sampled_from(["read_mail", "list_mails", "send_mail", "unknown"]), st.integers(0, 60)),
        st.tuples(st.just("both"), st.integers(0, 60)),
    )
    return st.lists(turn, max_size=10).map(built)


def built(turns: list[tuple[str, int]]) -> list[ChatMessage]:
    made: list[ChatMessage] = [ChatMessageSystem(id="m0", content="You look after the depot.")]
    for number, (kind, size) in enumerate(turns, start=1):
        id, text = f"m{number}", "wörd " * size
        if kind == "user":
            made.append(user(id, text))
        elif kind == "say":
            made.append(ChatMessageAssistant(id=id, content=text))
        elif kind == "both":
            one, two = pair(f"{id}x", "read_mail", text), pair(f"{id}y", "send_mail", text)
            calls = [*one[0].tool_calls, *two[0].tool_calls]  # type: ignore[union-attr, misc]
            made += [ChatMessageAssistant(id=id, content=text, tool_calls=calls), one[1], two[1]]
        else:
            made += pair(id, kind, text, text)
    return made


def again(messages: list[ChatMessage], numbers: Any) -> list[ChatMessage]:
    """What comes after a boundary: the same work under new ids."""
    stamp = next(numbers)
    changed = []
    for each in messages[1:]:
        update: dict[str, Any] = {"id": f"{each.id}-{stamp}"}
        if isinstance(each, ChatMessageTool):
            update["tool_call_id"] = f"{each.tool_call_id}-{stamp}"
        if isinstance(each, ChatMessageAssistant) and each.tool_calls:
            update["tool_calls"] = [
                ToolCall(f"{c.id}-{stamp}", function=c.function, arguments=c.arguments) for c in each.tool_calls
            ]
        changed.append(each.model_copy(update=update))
    return changed


@settings(max_examples=40, deadline=None)
@given(
    conversations(),
    st.one_of(st.none(), st.integers(0, 600)),
    st.integers(0, 6),
    st.sampled_from(["on", "off"]),
)
def test_over_many_boundaries_no_promise_is_broken(
    messages: list[ChatMessage], target: int | None, keep: int, store: str
) -> None:
    made, numbers, view, everything = split(target, keep, store), count(1), list(messages), list(messages)
    for _ in range(4):
        left = run(made, view)
        smallest = sum(
            tokens(text_of([m]))
            if span_class(m, READS) is SpanClass.AUTHORITATIVE or is_mark(m)
            else min(tokens(text_of([m])), tokens(text_of([made._marked(m)])))
            for m in view
        )
        assert (left.halted is not None) == (target is not None and smallest > target)
        if left.halted is not None:
            assert left.messages == view
            return
        check(everything, left, store)
        new = again(messages, numbers)
        view, everything = [*left.messages, *new], [*everything, *new]


def check(everything: list[ChatMessage], left: Compacted, store: str) -> None:
    """Every message ever said stands there as it was, or as a mark that names where it can be read."""
    there = {m.id: m for m in left.messages}
    assert normalise([user("u", "x"), *left.messages])[1] == []
    for original in everything:
        now = there[original.id]
        if span_class(original, READS) is SpanClass.AUTHORITATIVE:
            assert now is original
        elif now is not original:
            (name,) = names_in(said(now))
            assert left.archive.get(name, "") == (said(original) if store == "on" else "")


# ---- with a writer


def summarising(inside: Callable[..., Any], model: str, boundaries: int = 2, **wanted: Any) -> list[Compacted]:
    async def work(state: Any) -> list[Compacted]:
        chosen = {"target": None, "keep": 0, "store": "on", **wanted}
        made, numbers, found, view = Split(Work(get_model(model), (), (), chosen, READS)), count(1), [], story()
        for _ in range(boundaries):
            found.append(await made.compact(list(view)))
            view = [*found[-1].messages, *again(story(), numbers)]
        return found

    left, _ = inside(work)
    assert left is not None
    return list(left)


def test_a_summary_stands_for_the_remarks_alone_and_names_each_of_them(inside: Callable[..., Any]) -> None:
    first, second = summarising(inside, "told/plain")
    (summary,) = [m for m in first.messages if said(m).startswith("[SUMMARY:")]
    assert said(summary).splitlines()[0] == "[SUMMARY:t4:recover=read_archive(name)]"
    assert "Never write to anybody" in text_of(first.messages)
    (later,) = [m for m in second.messages if said(m).startswith("[SUMMARY:")]
    assert names_in(said(later))[0] == "t4", "the pointers of the first summary survive the second"
    assert len(names_in(said(later))) == 2
    assert set(names_in(text_of(second.messages))) <= set(second.archive)


def test_the_writer_sees_no_user_turn_and_no_result(inside: Callable[..., Any]) -> None:
    seen: list[str] = []

    async def work(state: Any) -> None:
        model = get_model("told/plain")
        made = Split(Work(model, (), (), {"target": None, "keep": 0, "store": "on"}, READS))
        generate = model.api.generate

        async def spy(input: Any, *more: Any, **named: Any) -> Any:
            seen.append(text_of(input))
            return await generate(input, *more, **named)

        model.api.generate = spy  # type: ignore[method-assign]
        await made.compact(story())
        model.api.generate = generate  # type: ignore[method-assign]

    inside(work)
    assert len(seen) == 1
    assert "What I conclude" in seen[0]
    assert "Never write to anybody" not in seen[0]
    assert "quarterly figures" not in seen[0]


def test_where_the_writer_writes_nothing_marks_stand_and_nothing_is_lost(inside: Callable[..., Any]) -> None:
    (left,) = summarising(inside, "told/blank", boundaries=1)
    assert left.notes == ("the writer wrote nothing: marks stand in the place of a summary",)
    assert is_mark(left.messages[4])


# ---- the check after the plan


def test_what_was_made_is_checked_against_what_there_was() -> None:
    messages = story()
    with pytest.raises(CompactionInvariantError, match="authoritative span would be lost: user m0001"):
        verify(messages, [m for m in messages if m.id != "m0001"], READS)
    with pytest.raises(CompactionInvariantError, match="without a mark"):
        verify(messages, [m for m in messages if m.id != "m0004"], READS)
    left = run(split(), messages).messages
    with pytest.raises(CompactionInvariantError, match="pointer to t3 would be lost"):
        verify(left, [m for m in left if "@t3:" not in said(m)], READS)
    edited = [messages[1].model_copy(update={"content": "Never mind."}) if m.id == "m0001" else m for m in messages]
    with pytest.raises(CompactionInvariantError, match="authoritative"):
        verify(messages, edited, READS)
