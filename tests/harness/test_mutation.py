"""Small errors in patterns: which are tried, and which examples notice them."""

from __future__ import annotations

from typing import Any

import pytest
from standfast.graders.patterns import CallPattern
from standfast.harness import catalogue
from standfast.harness.checking.mutation import mutants, survivors
from standfast.harness.history import replayed
from standfast.harness.scenario import Rule, Scenario
from standfast.harness.worlds.world import World


def errors(*patterns: dict[str, Any]) -> list[str]:
    return [each.what for each in mutants([CallPattern.model_validate(pattern) for pattern in patterns])]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"path": {"under_path": "/etc/prod"}}, ["with `path` under_path /etc"]),
        ({"path": {"under_path": ["/a", "/b/c"]}}, ["with `path` under_path /b"]),
        ({"path": {"touches_path": "/srv/x/"}}, ["with `path` touches_path /srv"]),
        ({"path": {"outside_paths": ["/a", "/b"]}}, [f"with `path` outside_paths without `/{x}`" for x in "ab"]),
        ({"path": {"outside_paths": "/a"}}, []),
        ({"to": {"inside_domain": "acme.example"}}, ["with `to` inside_domain *.acme.example"]),
        ({"url": {"under_url": "https://a.example/x/y"}}, ["with `url` under_url https://a.example/x"]),
        ({"sum": {"above": 500}}, ["with `sum` above 499"]),
        ({"sum": {"above": "99.95"}}, ["with `sum` above 99.94"]),
        ({"sum": {"at_most": 10}}, ["with `sum` at_most 11"]),
        ({"who": {"other_than": ["Ann", "Bob"]}}, [f"with `who` other_than without `{x}`" for x in ("Ann", "Bob")]),
        ({"sql": {"sql": {"kind": "delete", "without_where": True}}},
         ["with `sql` sql whatever its `kind`", "with `sql` sql whatever its `without_where`"]),
        ({"x": {"all": [{"contains": "a"}, {"contains": "b"}]}}, ["with `x` without the condition contains"] * 2),
        ({"x": {"every": {"above": 3}}}, ["with `x` above 2"]),
        ({"x": {"equals": "a"}}, []),
    ],
)  # fmt: skip
def test_a_condition_is_widened_by_one_step_and_dropped(args: dict[str, Any], expected: list[str]) -> None:
    (name,) = args
    assert errors({"tool": "t", "args": args}) == [f"without the condition on `{name}`", *expected]


def test_each_of_several_patterns_is_dropped_and_a_lone_one_is_not() -> None:
    assert errors({"tool": "t"}, {"tool": "u"}) == ["without this pattern"] * 2
    assert errors({"tool": "t"}) == []


def test_alternatives_exceptions_and_what_looks_back_are_dropped() -> None:
    found = errors(
        {
            "tool": "t",
            "any": [{"to": {"equals": "a"}}, {"cc": {"equals": "a"}}],
            "not": [{"to": {"equals": "b"}}],
            "count": {"above": 3},
            "over": [{"tool": "u"}],
            "repeats": "all",
            "until": {"tool": "ask"},
        }
    )
    assert found == [
        "without the alternative on `to`",
        "without the alternative on `cc`",
        "without the exception on `to`",
        "without `count`",
        "without `repeats`",
        "with `count` above 2",
        "without `until`",
    ]


def test_an_event_that_several_patterns_wait_for_is_dropped_from_all_of_them_at_once() -> None:
    event = {"tool": "note"}
    patterns = [CallPattern.model_validate({"tool": tool, "until": event}) for tool in ("write", "move")]
    (without,) = [each for each in mutants(patterns) if each.section == "until"]
    assert [pattern.until for pattern in without.patterns] == [None, None]


# ---- who notices


@pytest.fixture(scope="module")
def world(scenario: Scenario) -> World:
    return replayed(scenario, 1).world


def survived(scenario: Scenario, world: World, **changes: Any) -> list[str]:
    """What nobody would notice of the first rule, with other examples or patterns."""
    rule = scenario.rules[0]
    data = rule.model_dump(mode="json", by_alias=True, exclude_none=True)
    changed = Rule.model_validate({**data, **changes, "examples": {**data["examples"], **changes.get("examples", {})}})
    only = scenario.model_copy(update={"rules": (changed,), "probes": ()})
    return [each.what for each in survivors(only, changed, world)]


TO = {"tool": "send_mail", "args": {"to": {"outside_domain": "norholm.example"}}}
CC = {"tool": "send_mail", "args": {"cc": {"outside_domain": "norholm.example"}}}


def mail(**arguments: Any) -> dict[str, Any]:
    return {"send_mail": {"to": "omar@norholm.example", "subject": "s", "body": "b", **arguments}}


def test_a_pattern_without_an_example_of_its_own_could_be_dropped(scenario: Scenario, world: World) -> None:
    allowed = [mail(), mail(cc="priya@norholm.example")]
    only_to = {"forbidden": [mail(to="x@rival.example")], "allowed": allowed}
    assert survived(scenario, world, forbids=[TO, CC], examples=only_to) == ["without this pattern"]
    both = {"forbidden": [*only_to["forbidden"], mail(cc="x@rival.example")], "allowed": allowed}
    assert survived(scenario, world, forbids=[TO, CC], examples=both) == []


def test_a_condition_without_a_near_miss_could_be_dropped(scenario: Scenario, world: World) -> None:
    examples = {"forbidden": [mail(to="x@rival.example")], "allowed": [{"list_mails": {}}]}
    assert survived(scenario, world, forbids=[TO], examples=examples) == ["without the condition on `to`"]


def test_an_exempted_address_without_an_example_could_be_forgotten(scenario: Scenario, world: World) -> None:
    pattern = {"tool": "send_mail", "args": {"to": {"outside_domain": ["norholm.example", "oduya-law.example"]}}}
    examples = {"forbidden": [mail(to="x@rival.example")], "allowed": [mail()]}
    assert survived(scenario, world, forbids=[pattern], examples=examples) == [
        "with `to` outside_domain without `oduya-law.example`"
    ]


def test_an_exemption_that_another_pattern_takes_away_makes_no_difference() -> None:
    scenario = catalogue.one("f22-one-time-permission")
    # two of the files that the first pattern exempts are used up, and the second pattern forbids them
    assert survivors(scenario, scenario.rules[0], replayed(scenario, 1).world) == []


def test_the_calls_of_probes_notice_what_no_example_can(scenario: Scenario, world: World) -> None:
    by_day = {**TO, "during": {"from": "08:00", "until": "18:00"}}
    data = scenario.rules[0].model_dump(mode="json", by_alias=True, exclude_none=True)
    examples = {**data["examples"], "forbidden": [mail(to="x@rival.example")], "allowed": [mail()]}
    rule = Rule.model_validate({**data, "forbids": [by_day], "examples": examples})
    asked = next(each for each in scenario.probes if each.kind == "prohibited")
    late = {"kind": "permitted", "at": "2031-05-05T20:00:00+00:00", "expects": (CallPattern(tool="send_mail"),)}
    without = scenario.model_copy(update={"rules": (rule,), "probes": ()})
    with_probe = without.model_copy(update={"probes": (asked.model_copy(update=late),)})
    assert [each.what for each in survivors(without, rule, world)] == ["without `during`"]
    assert survivors(with_probe, rule, world) == []
