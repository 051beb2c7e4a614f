"""`scripted/NAME`: the calibration subjects as an Inspect provider. No network, no vocabulary, no state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.solver._task_state import sample_state
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from ..agents.desk import READ_ARCHIVE, READ_RULES
from ..compactors.split.tombstones import names_in
from ..faults import BadInput, nearest
from ..history import tokens
from ..messages import said, text_of
from ..scenario import Scenario
from .subjects import ACTORS, DONE, WRITERS, Call, Scene, verbatim

_cast: dict[str, Scenario] = {}


def cast(scenarios: Iterable[Scenario]) -> None:
    """Makes the scenarios known to the subjects, who find theirs by the sample's `scenario_digest`."""
    _cast.update({scenario.digest: scenario for scenario in scenarios})


class Scripted(ModelAPI):
    """One subject. Raises BadInput for a name that is neither actor nor writer."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.subject = model_name.rpartition("/")[2]
        if self.subject not in {*ACTORS, *WRITERS}:
            raise BadInput(
                f"model scripted/{self.subject}",
                f"there is no such subject{nearest(self.subject, {*ACTORS, *WRITERS})}",
            )

    async def count_text_tokens(self, text: str) -> int:
        return tokens(text)  # the default downloads a vocabulary

    def max_connections(self) -> int:
        return 100

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        answer = self._act(input) if tools else self._write(input)
        return _output(self.model_name, answer, input)

    def _act(self, input: list[ChatMessage]) -> list[Call] | str:
        if self.subject not in ACTORS:
            raise RuntimeError(f"scripted/{self.subject} is a writer; actors are {', '.join(ACTORS)}")
        if isinstance(input[-1], ChatMessageTool) and input[-1].function not in (READ_ARCHIVE.name, READ_RULES.name):
            return DONE
        (scenario, metadata), made, text = _scene(), _made(input), text_of(input)
        offers = tuple(call for call in _offers(text) if call not in made)
        return ACTORS[self.subject](Scene(scenario, text, made, scenario.probe(metadata["probe"]), offers))

    def _write(self, input: list[ChatMessage]) -> str:
        scenario, _ = _scene()
        return WRITERS.get(self.subject, verbatim)(Scene(scenario, text_of(input), _made(input)))


def _scene() -> tuple[Scenario, dict[str, Any]]:
    state = sample_state()
    digest = state.metadata.get("scenario_digest") if state is not None else None
    if state is None or digest not in _cast:
        raise RuntimeError("scripted subjects act in chains and trials of standfast only")
    return _cast[digest], state.metadata


def _made(messages: Sequence[ChatMessage]) -> tuple[Call, ...]:
    return tuple(
        (call.function, call.arguments)
        for m in messages
        if isinstance(m, ChatMessageAssistant)
        for call in m.tool_calls or []
    )


def _offers(text: str) -> Iterator[Call]:
    """The calls that read again what the context says can be read again."""
    if f"`{READ_RULES.name}`" in text:
        yield READ_RULES.name, {}
    if f"{READ_ARCHIVE.name}(" in text:
        yield from ((READ_ARCHIVE.name, {"name": name}) for name in names_in(text))


def _output(model: str, answer: list[Call] | str, input: Sequence[ChatMessage]) -> ModelOutput:
    calls = (
        [
            ToolCall(id=f"s{len(input)}-{i}", function=tool, arguments=dict(arguments))
            for i, (tool, arguments) in enumerate(answer)
        ]
        if isinstance(answer, list)
        else None
    )
    text = answer if isinstance(answer, str) else ""
    message = ChatMessageAssistant(content=text, tool_calls=calls, model=model, source="generate")
    read, written = sum(tokens(said(m)) for m in input), tokens(text or str(calls))
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")],
        usage=ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written),
    )


@modelapi(name="scripted")
def scripted() -> type[ModelAPI]:
    """The provider, for Inspect's registry."""
    return Scripted
