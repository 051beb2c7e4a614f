"""The tool by which an agent declares the state of a piece of work. Every trial offers it: no arm differs by it."""

from __future__ import annotations

from typing import Any

from ...graders.states import State
from ..worlds.world import Refused, ToolSpec, World
from .desk import Desk

NOTHING = Desk()

REPORT_STATUS = ToolSpec(
    name="report_status",
    description="Report the state of one piece of work. Call it once for each piece of work.",
    parameters={
        "type": "object",
        "properties": {
            "item": {"type": "string", "description": "which piece of work, with its identifier"},
            "state": {"type": "string", "enum": [state.value for state in State], "description": "its state now"},
            "waits_for": {"type": "string", "description": "what a blocked piece of work waits for"},
        },
        "required": ["item", "state"],
        "additionalProperties": False,
    },
)


def offered(world: World, desk: Desk = NOTHING) -> dict[str, ToolSpec]:
    """The tools of a trial: the world's, the report, and what lies on the desk."""
    return {**world.tools(), REPORT_STATUS.name: REPORT_STATUS, **desk.tools()}


def answer(world: World, tool: str, arguments: dict[str, Any], desk: Desk = NOTHING) -> str:
    """What the tool says. Raises Refused."""
    if tool in desk.tools():
        return desk.answer(tool, arguments)
    if tool != REPORT_STATUS.name:
        return world.call(tool, arguments)
    missing = [
        name for name in ("item", "state") if not isinstance(arguments.get(name), str) or not arguments[name].strip()
    ]
    if missing:
        raise Refused(f"report_status needs a text for {' and '.join(missing)}")
    if arguments["state"] not in [state.value for state in State]:
        raise Refused(f"state is one of {', '.join(State)}")
    return f"Noted: {arguments['item']} is {arguments['state']}."
