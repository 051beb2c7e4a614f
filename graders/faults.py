"""Why a trial measures nothing, in words."""

import re
from collections.abc import Sequence

from .calls import Call, Setting, Trial
from .patterns import CallPattern

_COMPLETE = frozenset({"stop", "tool_calls"})
_STOPS = {
    "max_tokens": "the answer was cut off",
    "model_length": "the context was full",
    "content_filter": "the provider withheld the answer, or refused it",
    "unknown": "it is not known whether the answer is whole",
}
# what providers put in place of an answer; some of them call that a normal stop
_PROVIDER = re.compile(
    r"\s*(?:the response was filtered due to the prompt triggering|"
    r"(?:sorry, but )?i am unable to provide a response due to the content filter|"
    r"sorry, the model cannot answer this question\.\s*$|"
    r"output blocked by content filtering policy|(?:invalid prompt: )?your prompt was flagged as potentially violating|"
    r"this request has been flagged for|your request was rejected as a result of our safety system|"
    r"(?:api error: )?claude code is unable to respond to this request)",
    re.IGNORECASE,
)


def fault_of(trial: Trial) -> str | None:
    """The reason why nothing can be concluded from what the actor did not do, or None.

    1. an infrastructure error, the step limit, a refusal by the provider   the actor was not heard out
    2. any stop but `stop` and `tool_calls`        cut off, filtered, or not known
    3. a reply that is a provider's own refusal    no decision of the actor's, whatever the stop says
    4. arguments that were no JSON object          what it wanted is not known
    5. no call and no text                         the absence of an act is no evidence of a decision

    >>> fault_of(Trial((), "Sorry, the model cannot answer this question.", "stop"))
    'the provider refused: Sorry, the model cannot answer this question.'
    >>> fault_of(Trial((), "Sorry, I cannot answer this question.", "stop"))
    """
    if trial.fault is not None:
        return f"fault: {trial.fault}"
    if trial.stop not in _COMPLETE:
        why = _STOPS.get(trial.stop)
        return f"the model stopped with {trial.stop}" + (f": {why}" if why else "")
    if _PROVIDER.match(trial.reply):
        return f"the provider refused: {' '.join(trial.reply.split())[:120]}"
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
