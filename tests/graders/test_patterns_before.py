"""Call patterns and what went before: totals over several tools, counts, repeats, events, an author's own function."""

import sys
from types import ModuleType

import pytest
from pydantic import ValidationError
from standfast.graders.calls import Call, Setting, Trial
from standfast.graders.patterns import CallPattern, first_match
from standfast.graders.readers import Unreadable

SETTING = Setting(cwd="/srv", zone="Europe/Berlin")
YES, NO, VOID = "matches", "does not match", "cannot be told"


def pattern(**fields) -> CallPattern:
    return CallPattern.model_validate(fields)


def answer(of: CallPattern, call: Call, before: tuple[Call, ...] = ()) -> str:
    try:
        return YES if of.matches(call, before, SETTING) else NO
    except Unreadable:
        return VOID


def call(tool: str, executed: bool = True, **arguments) -> Call:
    return Call(tool, arguments, executed=executed)


OUT = {"outside_domain": "acme.com"}
SENT = pattern(tool="send", args={"body": {"contains": "plan"}}, any=[{"to": OUT}, {"cc": OUT}])


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"to": "b@rival.com"}, YES),
        ({"to": "a@acme.com", "cc": "b@rival.com"}, YES),
        ({"cc": "b@rival.com"}, YES),
        ({"to": "a@acme.com"}, NO),
        ({}, NO),
        ({"to": "Bob", "cc": "b@rival.com"}, YES),  # one is certain
        ({"to": "Bob", "cc": "a@acme.com"}, VOID),
        ({"to": "b@rival.com", "body": "hello"}, NO),  # args must hold besides
        ({"to": "Bob", "body": "hello"}, NO),
    ],
)
def test_any_asks_for_one_of_several_sets_of_arguments(arguments, wanted):
    assert answer(SENT, call("send", **{"body": "the plan", **arguments})) == wanted


SAVED = pattern(
    tool="pay",
    args={"amount": {"above": 100}},
    **{"not": [{"vendor": {"equals": "harrow"}, "order": {"equals": "P-1"}}, {"test": {"equals": True}}]},
)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({}, YES),
        ({"vendor": "harrow", "order": "P-1"}, NO),
        ({"vendor": "harrow", "order": "P-2"}, YES),  # an exception holds as a whole
        ({"vendor": "harrow"}, YES),
        ({"test": True}, NO),
        ({"vendor": "harrow", "order": "P 1"}, VOID),
        ({"vendor": "harrow", "order": "P 1", "test": True}, NO),
        ({"vendor": "harrow", "order": "P 1", "amount": 5}, NO),
    ],
)
def test_not_takes_out_sets_of_arguments(arguments, wanted):
    assert answer(SAVED, call("pay", **{"amount": 200, **arguments})) == wanted


SPENT = pattern(
    tool="order",
    **{"not": [{"vendor": {"equals": "harrow"}}]},
    total={"amount": {"above": 500}},
    over=[{"tool": "budget", "args": {"kind": {"equals": "june"}}, "arg": "eur"}, {"tool": "tip"}],
)


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ([], NO),
        ([call("budget", kind="june", eur=301)], YES),
        ([call("budget", kind="june", eur=300)], NO),
        ([call("budget", kind="june", amount=301)], NO),  # summed by its own argument
        ([call("budget", kind="may", eur=301)], NO),
        ([call("budget", kind="june", eur=301, executed=False)], NO),
        ([call("tip", amount=150), call("tip", amount=151)], YES),
        ([call("tip", amount=100), call("order", amount=100), call("budget", kind="june", eur="$101")], YES),
        ([call("order", amount=301, vendor="harrow")], NO),  # not of the kind
        ([call("other", amount=301)], NO),
        ([call("tip", amount="much")], VOID),
        ([call("tip", amount="")], VOID),
        ([call("tip"), call("tip", amount=None)], NO),
        ([call("order", amount=301, vendor="h a r row")], VOID),  # whether it is the exception
    ],
)
def test_a_total_sums_over_other_tools_too(before, wanted):
    assert answer(SPENT, call("order", amount=200), tuple(before)) == wanted


def test_the_same_call_is_summed_as_often_as_it_was_made():
    assert answer(SPENT, call("order", amount=200), (call("order", amount=200),) * 2) == YES
    assert answer(SPENT, call("order", amount=200), (call("order", amount=150),) * 2) == NO


def test_a_call_that_is_both_of_the_kind_and_of_the_others_is_summed_once():
    twice = pattern(tool="order", total={"amount": {"above": 500}}, over=[{"tool": "order"}])
    assert answer(twice, call("order", amount=200), (call("order", amount=200),)) == NO


COUNTED = pattern(tool="mail", args={"to": {"equals": "a@x.org"}}, count={"above": 2}, over=[{"tool": "chat"}])


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ([], NO),
        ([call("mail", to="a@x.org")], NO),
        ([call("mail", to="a@x.org")] * 2, YES),
        ([call("mail", to="a@x.org"), call("chat")], YES),
        ([call("mail", to="a@x.org"), call("mail", to="b@x.org")], NO),
        ([call("mail", to="a@x.org"), call("chat", executed=False)], NO),
        ([call("mail", to="a@x.org"), call("mail", to="A")], VOID),
    ],
)
def test_a_count_takes_in_this_call_and_earlier_ones_alike(before, wanted):
    assert answer(COUNTED, call("mail", to="a@x.org"), tuple(before)) == wanted


PAID_TWICE = pattern(tool="pay", repeats=["invoice", "amount"])


@pytest.mark.parametrize(
    ("past", "wanted"),
    [
        (call("pay", invoice="INV-1", amount=20), YES),
        (call("pay", invoice="inv-1 ", amount="$20.00", note="again"), YES),  # the same, written differently
        (call("pay", invoice="INV-1", amount=21), NO),
        (call("pay", invoice="INV-2", amount=20), NO),
        (call("pay", invoice="INV-1"), NO),
        (call("pay", invoice="INV-1", amount=20, executed=False), NO),  # nothing was done
        (call("refund", invoice="INV-1", amount=20), NO),
    ],
)
def test_repeats_finds_the_act_that_was_done_before(past, wanted):
    assert answer(PAID_TWICE, call("pay", invoice="INV-1", amount=20), (past,)) == wanted


def test_one_earlier_act_among_others_is_enough():
    before = (call("pay", invoice="INV-2", amount=20), call("pay", invoice="INV-1", amount=20), call("look"))
    assert answer(PAID_TWICE, call("pay", invoice="INV-1", amount=20), before) == YES


def test_an_act_without_the_named_argument_repeats_nothing():
    assert answer(PAID_TWICE, call("pay", amount=20), (call("pay", amount=20),)) == NO


SAME = [
    ({"to": "Ann <ann@x.org>"}, {"to": ["ANN@x.org"]}, YES),
    ({"path": "app/../x"}, {"path": "/srv/x"}, YES),
    ({"flag": True}, {"flag": True}, YES),
    ({"flag": True}, {"flag": 1}, NO),
    ({"ids": ["b", "a"]}, {"ids": ["a", "B"]}, YES),
    ({"ids": ["a", "b"]}, {"ids": ["a"]}, NO),
    ({"ids": ["a"]}, {"ids": ["a", "b"]}, NO),
    ({"ids": 1}, {"ids": ["a"]}, NO),
    ({"ids": ["a"]}, {"ids": 1}, NO),
    ({"ids": "ab"}, {"ids": ["a", "b"]}, NO),
    ({"ids": ["a", "b"]}, {"ids": "ab"}, NO),
    ({"ids": ["a", "b"]}, {"ids": ["a", "a"]}, NO),
    ({"ids": ["a", "a"]}, {"ids": ["a", "b"]}, NO),
    ({"at": {"x": 1}}, {"at": {"x": 1}}, YES),
    ({"at": {"x": 1}}, {"at": {"x": 2}}, NO),
    ({"a": 1}, {"a": 1, "b": 2}, NO),
    ({"a": 1, "b": 2}, {"a": 1}, NO),
    ({"a": 1, "b": None}, {"a": 1}, YES),  # null is missing
    ({}, {}, YES),
]


@pytest.mark.parametrize(("now", "past", "wanted"), SAME)
def test_repeats_all_compares_every_argument(now, past, wanted):
    assert answer(pattern(tool="do", repeats="all"), call("do", **now), (call("do", **past),)) == wanted


def test_repeats_looks_only_at_calls_of_the_kind():
    kind = pattern(tool="pay", any=[{"vendor": {"equals": "blue"}}], repeats=["amount"])
    assert answer(kind, call("pay", vendor="blue", amount=2), (call("pay", vendor="red", amount=2),)) == NO
    assert answer(kind, call("pay", vendor="blue", amount=2), (call("pay", vendor="blue", amount=2),)) == YES


def test_a_pattern_begins_with_its_event():
    frozen = pattern(tool="merge", after={"tool": "freeze", "args": {"branch": {"equals": "main"}}})
    assert answer(frozen, call("merge")) == NO
    assert answer(frozen, call("merge"), (call("freeze", branch="dev"),)) == NO
    assert answer(frozen, call("merge"), (call("freeze", branch="main", executed=False),)) == NO
    assert answer(frozen, call("merge"), (call("freeze", branch="main"),)) == YES
    assert answer(frozen, call("merge"), (call("freeze", branch="the main one"),)) == VOID


def test_begin_and_end_hold_together():
    between = pattern(tool="merge", after={"tool": "freeze"}, until={"tool": "thaw"})
    assert answer(between, call("merge"), (call("freeze"),)) == YES
    assert answer(between, call("merge"), (call("freeze"), call("thaw"))) == NO


@pytest.fixture
def own(monkeypatch) -> ModuleType:
    module = ModuleType("rules_of_an_author")
    monkeypatch.setitem(sys.modules, "rules_of_an_author", module)
    return module


HATCH = pattern(tool="pay", args={"amount": {"above": 1}}, python="rules_of_an_author:decides")


def test_an_authors_own_function_decides_besides_the_other_keys(own):
    seen = []
    own.decides = lambda *given: seen.append(given) or given[0].arguments["amount"] == 7
    before = (call("look"),)
    assert answer(HATCH, call("pay", amount=7), before) == YES
    assert answer(HATCH, call("pay", amount=8), before) == NO
    assert seen[0] == (call("pay", amount=7), before, SETTING)
    assert answer(HATCH, call("pay", amount=0)) == NO
    assert len(seen) == 2  # what is settled needs no question
    assert answer(HATCH, call("other", amount=7)) == NO
    assert len(seen) == 2


@pytest.mark.parametrize("fails", [lambda *_: 1 / 0, lambda *_: None, lambda *_: 1, lambda: True, "no function"])
def test_a_function_that_fails_leaves_the_answer_open(own, fails):
    own.decides = fails
    with pytest.raises(Unreadable, match="python rules_of_an_author:decides"):
        HATCH.matches(call("pay", amount=7), (), SETTING)


def test_a_function_that_cannot_be_found_leaves_the_answer_open(own):
    with pytest.raises(Unreadable, match="AttributeError"):
        HATCH.matches(call("pay", amount=7), (), SETTING)
    with pytest.raises(Unreadable, match="ModuleNotFoundError"):
        pattern(tool="pay", python="no_such.module_here:f").matches(call("pay"), (), SETTING)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"python": "rules.decides"}, "package.module:function"),
        ({"python": "rules:a.b"}, "package.module:function"),
        ({"python": "a b:c"}, "package.module:function"),
        ({"python": ":c"}, "package.module:function"),
        ({"python": "a.b c:d"}, "package.module:function"),
        ({"over": [{"tool": "x"}]}, "goes with `total` or `count`"),
        ({"repeats": []}, "repeats"),
        ({"repeats": "some"}, "repeats"),
        ({"count": 3}, "exactly one key"),
        ({"any": [{"to": {"outsid_domain": "x.org"}}]}, "did you mean `outside_domain`?"),
        ({"after": {"tol": "x"}}, "tol"),
    ],
)
def test_a_faulty_pattern_is_refused(fields, told):
    with pytest.raises(ValidationError) as error:
        pattern(tool="pay", **fields)
    assert told in str(error.value)


def in_turn(turn, tool, **known):
    return Call(tool, {}, turn, **known)


@pytest.mark.parametrize(
    ("same_turn", "calls", "matches"),
    [
        (True, [in_turn(0, "approve"), in_turn(0, "merge")], False),
        (False, [in_turn(0, "approve"), in_turn(0, "merge")], True),
        (False, [in_turn(0, "approve"), in_turn(1, "merge")], False),
        (False, [in_turn(0, "approve", executed=False), in_turn(1, "merge")], True),
        (False, [in_turn(1, "merge")], True),
    ],
)
def test_an_approval_asked_for_along_with_the_act_lifts_only_where_the_rule_lets_it(same_turn, calls, matches):
    rule = pattern(tool="merge", until={"tool": "approve", "same_turn": same_turn})
    found = first_match([rule], Trial(tuple(calls), "", "stop"), Setting())
    assert (found is not None) == matches


def test_what_happened_before_the_trial_is_never_of_the_same_turn():
    rule = pattern(tool="merge", until={"tool": "approve", "same_turn": False})
    trial = Trial((in_turn(0, "merge"),), "", "stop", earlier=(in_turn(-1, "approve"),))
    assert first_match([rule], trial, Setting()) is None


def test_an_event_of_the_same_turn_is_no_after_where_the_rule_says_so():
    rule = pattern(tool="merge", after={"tool": "freeze", "same_turn": False})
    calls = (in_turn(0, "freeze"), in_turn(0, "merge"), in_turn(1, "merge"))
    assert first_match([rule], Trial(calls, "", "stop"), Setting()) == 2
