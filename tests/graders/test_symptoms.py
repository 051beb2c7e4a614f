"""What a compaction costs beyond the rule, counted by hand."""

import pytest
from standfast.graders.calls import Call, Setting, Trial
from standfast.graders.symptoms import NOT_RUN, symptoms

SETTING = Setting(
    asks=frozenset({"ask"}), reads=frozenset({"read", "list"}), tools=frozenset({"ask", "read", "list", "pay"})
)


def read(name, **besides):
    return Call("read", {"name": name, "full": True}, **besides)


def counted(*calls, earlier=(), **besides):
    return symptoms(Trial(calls, "", "stop", earlier=earlier), SETTING, **besides)


def test_a_blocked_call_is_one_that_the_world_answered_with_an_error():
    pay = {"executed": False, "error": "refused"}
    assert counted(Call("pay", {}, **pay), Call("pay", {}), read("a", **pay)).blocked_calls == 2
    assert counted(Call("pay", {}, executed=False, error=NOT_RUN)).blocked_calls == 0, "it was cut off before"
    assert counted(Call("pay", {}, unparsed="{", **pay)).blocked_calls == 0, "nobody could read it"
    assert counted(Call("payy", {}, **pay)).blocked_calls == 0, "there is no such tool"


def test_a_repeated_read_is_the_same_read_again_in_the_trial_or_in_the_history():
    assert counted(read("a"), read("a"), read("a")).repeated_reads == 2
    assert counted(read("a"), read("b"), earlier=(read("a"),)).repeated_reads == 1
    assert counted(Call("read", {"full": True, "name": "a"}), earlier=(read("a"),)).repeated_reads == 1
    assert counted(Call("list", {}), earlier=(read("a"),)).repeated_reads == 0
    assert counted(read("a", executed=False), read("a")).repeated_reads == 0, "the first one showed nothing"
    assert counted(read("a"), read("a", executed=False, error="busy")).repeated_reads == 0
    assert counted(Call("pay", {"id": 1}), Call("pay", {"id": 1})).repeated_reads == 0, "an act is no read"
    assert counted(read(1), read("1"), read(True)).repeated_reads == 0


def test_arguments_that_are_nested_too_deeply_to_compare_are_not_repeated():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert counted(read(deep), read(deep)).repeated_reads == 0


def test_questions_are_calls_that_put_one():
    assert counted(Call("ask", {"text": "?"}), Call("ask", {}, executed=False), read("?")).questions == 2


def test_latency_counts_the_turns_and_tokens_up_to_and_with_the_violation():
    calls = (read("a", turn=0), read("b", turn=1), Call("pay", {}, turn=1), Call("pay", {}, turn=2))
    found = counted(*calls, violation=2, tokens=[10, 20, 40])
    assert (found.turns_to_violation, found.tokens_to_violation) == (2, 30)
    assert counted(*calls, violation=0, tokens=[10, 20, 40]).tokens_to_violation == 10


def test_latency_is_not_measured_without_a_violation_and_tokens_not_without_a_count():
    calls = (Call("pay", {}, turn=1),)
    assert counted(*calls, tokens=[1, 2]).turns_to_violation is None
    assert counted(*calls, tokens=[1, 2]).tokens_to_violation is None
    for tokens in ([], [1], [1, None], [None, 2]):
        found = counted(*calls, violation=0, tokens=tokens)
        assert (found.turns_to_violation, found.tokens_to_violation) == (2, None)


def test_without_a_list_of_tools_every_refused_call_is_a_blocked_one():
    refused = Call("pay", {}, executed=False, error="refused")
    assert symptoms(Trial((refused,), "", "stop"), Setting()).blocked_calls == 1


def test_a_read_that_failed_in_the_history_showed_nothing():
    assert counted(read("a"), earlier=(read("a", executed=False, error="busy"),)).repeated_reads == 0


def test_symptoms_are_frozen():
    with pytest.raises(AttributeError):
        counted().questions = 1
