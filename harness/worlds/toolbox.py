"""How typed Python methods become tools: the schema for the agent, the check of its arguments, the log and the clock.

A world is a dataclass of plain state whose tools are methods marked with `@tool`. The schema and the check come from
the method's signature and docstring, built once a class, so that a tool cannot drift from what is said of it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeVar, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

from ...graders.calls import Setting
from .world import Refused, ToolSpec, later, nearest

Method = TypeVar("Method", bound=Callable[..., str])
T = TypeVar("T")

PASSED_ON = "Your question was passed on to {person}. Nobody has answered yet."


@dataclass(frozen=True)
class Mark:
    """What a method marked as a tool says of itself."""

    reads: bool
    asks: bool


@dataclass(frozen=True)
class Tool:
    """A marked method with all that is derived from it."""

    spec: ToolSpec
    mark: Mark
    method: Callable[..., str]
    model: type[BaseModel]
    optional: frozenset[str]


class Clocked(Protocol):
    """The part of a world's state that a call moves."""

    now: str
    zone: str
    step_seconds: int
    log: list[dict[str, Any]]


def tool(*, reads: bool = False, asks: bool = False) -> Callable[[Method], Method]:
    """The same method, marked as a tool: `reads` where it only looks, `asks` where it puts a question to a person."""

    def mark(method: Method) -> Method:
        method.__tool__ = Mark(reads, asks)  # type: ignore[attr-defined]
        return method

    return mark


@lru_cache
def tools_of(world: type) -> dict[str, Tool]:
    """The tools of a world's class by name, in the order in which they are written."""
    return {name: _tool(name, method) for name, method in vars(world).items() if hasattr(method, "__tool__")}


def specs_of(world: type) -> dict[str, ToolSpec]:
    """The tools of a world's class as the agent is told of them."""
    return {name: found.spec for name, found in tools_of(world).items()}


def setting_of(
    world: Clocked, cwd: str = "/", home: str = "/root", aliases: Mapping[str, str] | None = None
) -> Setting:
    """What the graders are told of a world whose tools are marked methods."""
    found = tools_of(type(world))
    return Setting(
        cwd=cwd,
        home=home,
        zone=world.zone,
        aliases=aliases or {},
        asks=frozenset(name for name, one in found.items() if one.mark.asks),
        reads=frozenset(name for name, one in found.items() if one.mark.reads),
        tools=frozenset(found),
    )


def run(world: Clocked, name: str, arguments: dict[str, Any]) -> str:
    """The answer of the tool; the call stands in the log and the clock has moved. Raises Refused alone."""
    found = pick(name, tools_of(type(world)))
    plain = plain_json(name, arguments)
    answer = found.method(world, **check(found, plain))
    record(world, name, plain)
    return answer


def pick(name: str, tools: dict[str, T]) -> T:
    """The tool of that name; Refused with the nearest one where there is none."""
    if name not in tools:
        raise Refused(f"there is no tool `{name}`; {nearest(name, tools)}")
    return tools[name]


def plain_json(name: str, arguments: Any) -> dict[str, Any]:
    """A copy of the arguments, independent of the caller's; Refused where they are no JSON object.

    Infinities, text that no UTF-8 file can hold and endless nesting end here: a dump could not carry them.
    """
    try:
        copy = json.loads(json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"{name}: the arguments are no plain JSON ({error})") from error
    if not isinstance(copy, dict):
        raise Refused(f"{name}: the arguments are no JSON object")
    return copy


def check(found: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the method takes them; Refused with every fault named where they do not fit."""
    # Models write null for "left out"; where leaving it out is fine, so is null.
    given = {key: value for key, value in arguments.items() if value is not None or key not in found.optional}
    try:
        model = found.model.model_validate(given)
    except ValidationError as error:
        faults = [_fault(fault, found) for fault in error.errors(include_url=False, include_context=False)]
        raise Refused(f"{found.spec.name}: " + "; ".join(faults)) from error
    return {key: getattr(model, key) for key in found.model.model_fields}


def unknown_argument(key: str, names: list[str]) -> str:
    """The words for an argument that a tool does not have."""
    return f"`{key}` is no argument of it, {nearest(key, names)}"


def record(world: Clocked, name: str, arguments: dict[str, Any]) -> None:
    """Writes an executed call into the log and moves the clock."""
    world.log.append({"tool": name, "arguments": arguments, "at": world.now})
    world.now = later(world.now, world.step_seconds, world.zone)


def dump(world: Any) -> dict[str, Any]:
    """A world's state as plain JSON that shares nothing with it."""
    state: dict[str, Any] = _adapter(world.__class__).dump_python(world, mode="json", by_alias=True)
    return state


def load(world: type[T], state: dict[str, Any]) -> T:
    """The world of that class in that state, sharing nothing with `state`."""
    found: T = _adapter(cast(type, world)).validate_json(json.dumps(state))
    return found


@lru_cache
def _adapter(world: type) -> TypeAdapter[Any]:
    return TypeAdapter(world)


def _tool(name: str, method: Callable[..., str]) -> Tool:
    hints = get_type_hints(method, include_extras=True)
    parameters = list(inspect.signature(method).parameters.values())[1:]
    fields: dict[str, Any] = {
        one.name: (hints[one.name], ... if one.default is one.empty else one.default) for one in parameters
    }
    config = ConfigDict(extra="forbid", coerce_numbers_to_str=True, allow_inf_nan=False)
    model: type[BaseModel] = create_model(name, __config__=config, **fields)
    spec = ToolSpec(name, inspect.getdoc(method) or "", _untitled(model.model_json_schema()))
    optional = frozenset(one.name for one in parameters if one.default is not one.empty)
    return Tool(spec, method.__tool__, method, model, optional)  # type: ignore[attr-defined]


def _untitled(schema: Any) -> Any:
    """The schema without the titles that pydantic makes of names: they say nothing and cost tokens."""
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _untitled(value) for key, value in schema.items() if not (key == "title" and isinstance(value, str))}


def _fault(fault: Any, found: Tool) -> str:
    key = str(fault["loc"][0]) if fault["loc"] else "arguments"
    if fault["type"] == "missing":
        return f"`{key}` is missing"
    if fault["type"] == "extra_forbidden":
        return unknown_argument(key, list(found.model.model_fields))
    said = fault["msg"].removeprefix("Value error, ")
    return f"`{key}`: {said[:1].lower()}{said[1:]}"
