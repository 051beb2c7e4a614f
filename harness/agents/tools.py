"""A world's tools as Inspect tools."""

from __future__ import annotations

from typing import Any

from inspect_ai.tool import ToolDef, ToolError, ToolInfo, ToolParams

from ..worlds.world import Refused, ToolSpec, World
from .desk import Desk, Guard
from .status import NOTHING, answer, offered


def tools_for(world: World, desk: Desk = NOTHING, guard: Guard | None = None) -> list[ToolDef]:
    """Fresh Inspect tools bound to this world only; definitions, which Inspect need not read again for every call."""
    return [_tool(world, spec, desk, guard) for spec in offered(world, desk).values()]


def tool_infos(world: World, desk: Desk = NOTHING) -> list[ToolInfo]:
    """What a model is told of the tools."""
    return [
        ToolInfo(name=spec.name, description=spec.description, parameters=_params(spec))
        for spec in offered(world, desk).values()
    ]


def _params(spec: ToolSpec) -> ToolParams:
    """The parameters; Inspect refuses one without a description, and a scenario's own tools may leave it out."""
    described = {
        name: {"description": name.replace("_", " "), **schema}
        for name, schema in spec.parameters.get("properties", {}).items()
    }
    return ToolParams.model_validate({**spec.parameters, "properties": described})


def _tool(world: World, spec: ToolSpec, desk: Desk, guard: Guard | None) -> ToolDef:
    # `**kwargs: Any` hands the arguments over as the model gave them: the world reads them, not Inspect
    async def execute(**kwargs: Any) -> str:
        try:
            return _guarded(world, spec.name, kwargs, desk, guard)
        except Refused as refusal:
            raise ToolError(str(refusal)) from None

    return ToolDef(execute, spec.name, spec.description, _params(spec))


def _guarded(world: World, tool: str, arguments: dict[str, Any], desk: Desk, guard: Guard | None) -> str:
    """What the tool says, if the guard lets the call through. Raises Refused."""
    if guard is None:
        return answer(world, tool, arguments, desk)
    at, executed = world.now, False
    guard.check(tool, arguments, at)
    try:
        said = answer(world, tool, arguments, desk)
        executed = True
        return said
    finally:
        guard.note(tool, arguments, at, executed)
