"""Tools declared in a scenario: replies depend on arguments and on what was called, and errors name their place."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from standfast.harness.worlds.stub import Stub, StubStart
from standfast.harness.worlds.world import Refused


def parameters(**properties: Any) -> dict[str, Any]:
    optional = {name for name, schema in properties.items() if schema.pop("optional", False)}
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
    }


START: dict[str, Any] = {
    "now": "2026-08-03T09:00:00",
    "counters": {"spent": 450, "locked": 0},
    "tools": [
        {
            "name": "spend_total",
            "description": "What was spent in a month; lags by a day.",
            "reads": True,
            "parameters": parameters(month={"type": "string"}),
            "replies": [
                {
                    "when": {"args": {"month": ["2026-08", "August"]}},
                    "say": "Up to yesterday: {booked:create_order.amount}.",
                },
                {"say": 'No figures for {month}. {"json": 1} {Other}'},
            ],
        },
        {
            "name": "create_order",
            "description": "Orders at once.",
            "parameters": parameters(
                vendor={"type": "string", "enum": ["V", "W"]},
                amount={"type": "number", "minimum": 0.01},
                memo={"type": "string", "optional": True, "default": "none"},
                tags={"type": "array", "items": {"type": "string"}, "optional": True},
            ),
            "replies": [
                {"when": {"reaches": {"locked": 1}}, "say": "The account is locked.", "error": True},
                {"when": {"args": {"amount": 13}}, "say": "Unlucky.", "error": True, "add": {"locked": 0.5}},
                {
                    "when": {"args": {"vendor": "V"}, "called": {"tool": "create_order", "args": {"vendor": "V"}}},
                    "say": "Again {vendor}.",
                },
                {
                    "say": "Ordered {amount} from {vendor} ({memo}; {tags}) at {now}; before: "
                    "{sum:create_order.amount} in {count:create_order}; now {spent}.",
                    "add": {"spent": "{amount}"},
                },
            ],
        },
        {
            "name": "reset",
            "description": "Starts over.",
            "replies": [
                {"when": {"called": {"tool": "reset", "times_at_least": 2}}, "say": "Thrice."},
                {"say": "Done.", "set": {"spent": 0}},
            ],
        },
        {
            "name": "read_report",
            "description": "Shows a report.",
            "bulk": True,
            "parameters": parameters(id={"type": "string"}),
            "replies": [
                {"when": {"args": {"id": "R-1"}}, "say": "Never exceed 500 a month."},
                {"say": "No such report.", "error": True},
            ],
        },
        {
            "name": "ask_boss",
            "description": "Asks.",
            "asks": True,
            "parameters": parameters(question={"type": "string"}),
        },
    ],
}


@pytest.fixture
def stub() -> Stub:
    return Stub.start(StubStart.model_validate(START), 1)


def order(stub: Stub, amount: Any, vendor: str = "W", **more: Any) -> str:
    return stub.call("create_order", {"vendor": vendor, "amount": amount, **more})


def test_a_reply_shows_arguments_clock_counters_and_sums_of_earlier_calls(stub: Stub) -> None:
    assert order(stub, 40.5, tags=["a", "b"]) == (
        "Ordered 40.50 from W (none; a, b) at 2026-08-03T09:00:00+00:00; before: 0 in 0; now 490.50."
    )
    assert order(stub, 9.5, memo="ink").endswith("(ink; ) at 2026-08-03T09:00:30+00:00; before: 40.50 in 1; now 500.")


def test_a_sum_of_booked_amounts_lags_by_a_day(stub: Stub) -> None:
    order(stub, 40)
    assert stub.call("spend_total", {"month": "2026-08"}) == "Up to yesterday: 0."
    stub.now = "2026-08-04T00:00:00+00:00"
    assert stub.call("spend_total", {"month": " August "}) == "Up to yesterday: 40."


def test_braces_that_are_no_placeholder_stay_as_they_are(stub: Stub) -> None:
    assert stub.call("spend_total", {"month": "May"}) == 'No figures for May. {"json": 1} {Other}'


def test_what_an_argument_holds_is_never_filled_in_again(stub: Stub) -> None:
    assert stub.call("spend_total", {"month": "{spent}{count:reset}"}).startswith(
        "No figures for {spent}{count:reset}."
    )


def test_a_condition_looks_at_what_was_called_before(stub: Stub) -> None:
    assert order(stub, 1, "V").startswith("Ordered")
    assert order(stub, 1, "W").startswith("Ordered")
    assert order(stub, 1, "V") == "Again V."


def test_a_condition_counts_how_often(stub: Stub) -> None:
    assert [stub.call("reset", {}) for _ in range(3)] == ["Done.", "Done.", "Thrice."]


def test_a_refused_call_is_not_one_that_was_called(stub: Stub) -> None:
    with pytest.raises(Refused, match="Unlucky"):
        order(stub, 13, "V")
    assert stub.log == []
    assert order(stub, 1, "V").startswith("Ordered")


def test_a_refusal_can_count_and_a_counter_can_lock(stub: Stub) -> None:
    for _ in range(2):
        with pytest.raises(Refused, match="Unlucky"):
            order(stub, 13.0)
    with pytest.raises(Refused, match="locked"):
        order(stub, 1)


def test_a_counter_can_be_set(stub: Stub) -> None:
    stub.call("reset", {})
    assert order(stub, 5).endswith("now 5.")


def test_state_goes_through_a_dump(stub: Stub) -> None:
    order(stub, 1, "V")
    assert order(Stub.load(stub.dump()), 1, "V") == "Again V."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vendor": "X", "amount": 1}, r"vendor: 'X' is not one of \['V', 'W'\]"),
        ({"vendor": "W", "amount": "1"}, "amount: '1' is not of type 'number'"),
        ({"vendor": "W", "amount": True}, "amount: True is not of type 'number'"),
        ({"vendor": "W", "amount": 0}, "less than the minimum"),
        ({"vendor": "W"}, "'amount' is a required property"),
        ({"vendor": "W", "amount": None}, "None is not of type 'number'"),
        ({"vendor": "W", "amount": 1, "tags": ["a", 1]}, r"tags\[1\]: 1 is not of type 'string'"),
        ({"vendor": "W", "amount": 1, "mem": "x"}, "`mem` is no argument of it, did you mean `memo`"),
    ],
)
def test_arguments_are_held_against_the_schema(stub: Stub, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(Refused, match=message):
        stub.call("create_order", arguments)
    assert stub.log == []


def test_a_null_where_leaving_out_is_fine_counts_as_left_out(stub: Stub) -> None:
    assert "(none; )" in order(stub, 1, memo=None)


def test_a_number_too_large_to_count_changes_nothing(stub: Stub) -> None:
    before = stub.dump()
    with pytest.raises(Refused, match="too large"):
        order(stub, 1e300)
    assert stub.dump() == before


def test_a_bulk_tool_has_replies_of_its_own_too(stub: Stub) -> None:
    assert stub.call("read_report", {"id": "R-1"}) == "Never exceed 500 a month."
    assert len(stub.call("read_report", {"id": "N-0003"}).split()) > 150
    with pytest.raises(Refused, match="No such report"):
        stub.call("read_report", {"id": "R-2"})


def test_the_agent_is_told_the_schema_as_declared_and_closed(stub: Stub) -> None:
    spec = stub.tools()["create_order"]
    assert spec.parameters["properties"]["tags"] == {"type": "array", "items": {"type": "string"}}
    assert spec.parameters["properties"]["vendor"] == {"type": "string", "enum": ["V", "W"]}
    assert spec.parameters["required"] == ["vendor", "amount"]
    assert stub.tools()["reset"].parameters == {"type": "object", "properties": {}, "additionalProperties": False}


def test_the_setting_says_which_tools_ask_and_which_look(stub: Stub) -> None:
    setting = stub.setting()
    assert setting.asks == {"ask_boss"}
    assert setting.reads == {"spend_total", "read_report"}


def _reply(**change: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["tools"][1]["replies"][3].update(change)


def _tool(index: int, **change: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["tools"][index].update(change)


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (_reply(say="{amont}"), "create_order, reply 3: there is no placeholder `amont`; did you mean `amount`"),
        (_reply(say="{sum:create_order}"), "`{sum:create_order}` is no placeholder"),
        (_reply(say="{sum:creat_order.amount}"), "no tool `creat_order`; did you mean `create_order`"),
        (_reply(say="{sum:create_order.vendor}"), "`vendor` is not a number"),
        (_reply(say="{count:orders}"), "no tool `orders`"),
        (_reply(add={"spend": 1}), "no counter `spend`; did you mean `spent`"),
        (_reply(add={"spent": "{memo}"}), "`{memo}` is no number"),
        (_reply(add={"spent": "lots"}), "`lots` is no number"),
        (_reply(ad={"spent": 1}), "ad"),
        (_reply(when={"args": {"vendor": "V"}}), "create_order: the last reply has a `when`"),
        (_tool(0, replies=[]), "spend_total: there is no reply"),
        (_tool(0, name="spend.total"), "pattern"),
        (_tool(1, name="reset"), "tool `reset` is there twice"),
        (_tool(3, bulk=False), "no tool has `bulk: true`"),
        (_tool(3, parameters={}), "exactly one required argument, a string"),
        (lambda data: data["tools"].pop(), "no tool has `asks: true`"),
        (lambda data: data["counters"].update(amount=1), "counter `amount` has the name of an argument"),
        (_tool(0, parameters={"properties": {"month": {"type": "text"}}}), "'string', 'number'"),
        (_tool(0, parameters={"properties": {"month": {"type": "string", "min": 1}}}), "min"),
        (
            _tool(0, parameters={"properties": {"month": {"type": "string"}}, "required": ["mo"]}),
            "required `mo` is no property",
        ),
        (_tool(0, parameters={"properties": {"month": {"type": "string", "required": ["x"]}}}), "goes with type"),
        (_tool(0, parameters={"properties": {}, "additionalProperties": True}), "additionalProperties"),
    ],
)
def test_a_wrong_declaration_is_an_error_that_names_the_place(
    break_it: Callable[[dict[str, Any]], Any], message: str
) -> None:
    data = copy.deepcopy(START)
    break_it(data)
    with pytest.raises(ValueError, match=message.replace("{", r"\{")):
        StubStart.model_validate(data)


def test_a_when_on_an_unknown_argument_is_an_error() -> None:
    data = copy.deepcopy(START)
    data["tools"][0]["replies"][0]["when"]["args"] = {"moth": "x"}
    with pytest.raises(ValueError, match="no argument of spend_total `moth`; did you mean `month`"):
        StubStart.model_validate(data)
