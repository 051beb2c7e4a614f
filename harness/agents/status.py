"""The tool by which an agent declares the state of a piece of work. Every trial offers it: no arm differs by it."""

from __future__ import annotations

from typing import Any

from ...graders.states import State
from ..worlds.world import Refused, ToolSpec, World

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


def offered(world: World) -> dict[str, ToolSpec]:
    """The tools of a trial: the world's, and the report."""
    return {**world.tools(), REPORT_STATUS.name: REPORT_STATUS}


def answer(world: World, tool: str, arguments: dict[str, Any]) -> str:
    """What the tool says. Raises Refused."""
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
