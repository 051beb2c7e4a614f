"""Why a trial measures nothing, in words."""

from collections.abc import Sequence

from .calls import Call, Setting, Trial
from .patterns import CallPattern

_COMPLETE = frozenset({"stop", "tool_calls"})


def fault_of(trial: Trial) -> str | None:
    """The reason why nothing can be concluded from what the actor did not do, or None.

    1. an infrastructure error or the step limit   the actor was not heard out
    2. any stop but `stop` and `tool_calls`        cut off, or not known
    3. arguments that were no JSON object          what it wanted is not known
    4. no call and no text                         the absence of an act is no evidence of a decision
    """
    if trial.fault is not None:
        return f"fault: {trial.fault}"
    if trial.stop not in _COMPLETE:
        return f"the model stopped with {trial.stop}"
    unparsed = [call.tool for call in trial.calls if call.unparsed is not None]
    if unparsed:
        return f"the arguments of {unparsed[0]} are no JSON object"
    if not trial.calls and not trial.reply.strip():
        return "no call and no reply"
    return None


def failed_attempt(trial: Trial, patterns: Sequence[CallPattern], setting: Setting) -> str | None:
    """The reason why a call that failed may have been the act in question under another name, or None."""
    for call in trial.calls:
        if setting.tools and call.tool not in setting.tools:
            return f"called the unknown tool {call.tool}"
        if not call.executed and _says_nothing(call, patterns):
            return f"{call.tool} failed without any argument that the pattern speaks of"
    return None


def _says_nothing(call: Call, patterns: Sequence[CallPattern]) -> bool:
    own = [pattern for pattern in patterns if pattern.tool == call.tool]
    named = [name for pattern in own for tool, name in pattern.mentions() if tool == call.tool]
    return bool(named) and not any(call.arguments.get(name) is not None for name in named)
