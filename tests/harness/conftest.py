"""What the harness tests share: one scenario, one small run, and a provider whose models do as their name says."""

from __future__ import annotations

import copy
import io
from collections.abc import Awaitable, Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    Content,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from loopback_models import Native, native
from standfast.harness import catalogue, compactors, yaml_text
from standfast.harness.asking import asked
from standfast.harness.folder import RunFolder
from standfast.harness.progress import Lines
from standfast.harness.run import QUIET, run
from standfast.harness.scenario import Scenario, load, validate

F12 = catalogue.BUNDLED / "core" / "f12-contract-files.yaml"
LOOK = ToolCall(id="a", function="list_mails", arguments={})
GARBLED = ToolCall(id="a", function="send_mail", arguments={}, parse_error="no JSON: {to: ")


class Told(ModelAPI):
    """`told/NAME`: a model that does what its name says, as writer and as actor."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None, **config: Any) -> None:
        super().__init__(model_name, base_url, api_key, [], GenerateConfig())

    async def count_text_tokens(self, text: str) -> int:
        return len(text) // 4

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        name = self.model_name.rpartition("/")[2]
        if name == "broken":
            raise RuntimeError("the provider is down")
        if name == "garbled" and input[-1].role == "tool":
            name = "plain"
        if name == "off-topic-at-first":
            name = "plain" if any("A poem" in message.text for message in input) else "off-topic"
        return _output(name, *_ANSWERS[name])


_ANSWERS: dict[str, tuple[str | list[Content], list[ToolCall], Any]] = {
    "plain": ("Summary: mail M-11 was read, the draft of contract-castellan-v7.docx is open.", [], "stop"),
    "refused-by-provider": ([ContentText(text="I can't help with that.", refusal=True)], [], "stop"),
    "refused-in-a-call": ([ContentText(text="I can't.", refusal=True)], [LOOK], "tool_calls"),
    "filtered-half-way": ("Summary: mail M-11 was read, and", [], "content_filter"),
    "off-topic": ("A poem of the sea, and of nothing else.", [], "stop"),
    "blank": (" \n ", [], "stop"),
    "silent": ("", [], "stop"),
    "cut-off": ("I will now look into", [], "max_tokens"),
    "too-long": ("", [], "model_length"),
    "filtered": ("", [], "content_filter"),
    "unknown-stop": ("Fine.", [], "unknown"),
    "never-ending": ("", [LOOK], "tool_calls"),
    "garbled": ("", [GARBLED], "tool_calls"),
    "cut-off-in-a-call": ("", [LOOK], "max_tokens"),
}


def _output(model: str, text: str | list[Content], calls: list[ToolCall], stop: Any) -> ModelOutput:
    message = ChatMessageAssistant(content=text, tool_calls=calls or None, model=model, source="generate")
    usage = ModelUsage(input_tokens=900, output_tokens=100, total_tokens=1000)
    return ModelOutput(model=model, choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=usage)


@modelapi(name="told")
def told() -> type[ModelAPI]:
    return Told


@pytest.fixture(scope="session")
def scenario() -> Scenario:
    """The scenario f12-contract-files."""
    return catalogue.one("f12-contract-files")


@pytest.fixture(scope="session")
def bundled() -> Callable[[str], Scenario]:
    """Bundled scenarios by id, each loaded once."""
    paths = {path.stem: path for path in catalogue.files()}
    return cache(lambda name: load(paths[name]))


@pytest.fixture(scope="session")
def edited() -> Callable[[Callable[[dict[str, Any]], None]], Scenario]:
    """The scenario f12-contract-files after an edit of its data, loaded with every check."""
    parsed = yaml_text.read(F12)

    def loaded(edit: Callable[[dict[str, Any]], None]) -> Scenario:
        data = copy.deepcopy(parsed.data)
        edit(data)
        return validate(yaml_text.Parsed("edited.yaml", data, parsed.lines))

    return loaded


@pytest.fixture(scope="session")
def small_run() -> Callable[..., RunFolder]:
    """A run of f12-contract-files with a small window, by what is asked for besides."""

    def started(out: Path, **besides: Any) -> RunFolder:
        options = besides.pop("options", {})
        wanted: dict[str, Any] = {
            "scenarios": ["f12-contract-files"],
            "folders": [],
            "models": ["scripted/reader"],
            "compactors": ["truncate"],
            "writers": ["scripted/verbatim"],
            "arms": "",
            "probes": "",
            "config": {},
            "model_args": [],
            "cycles": 1,
            "draws": 1,
            "epochs": 1,
            "limit": None,
            "window": 600,
            "seed": 1,
            "turns": 6,
        }
        what, found = asked(**{**wanted, **besides})
        return run(what, found, out, Lines(io.StringIO()), **options)

    return started


@pytest.fixture(scope="session")
def tiny(small_run: Callable[..., RunFolder], tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """One finished run: reader, a compactor of each kind that is installed, the writer verbatim. Not to be changed."""
    installed = [name for name in ("truncate", "inspect-neutral", "langmem") if _is_installed(name)]
    return small_run(tmp_path_factory.mktemp("tiny") / "run", compactors=installed)


def _is_installed(name: str) -> bool:
    return compactors.BUNDLED[name].package is None or compactors.package_version(compactors.parse(name)) is not None


@pytest.fixture(scope="session")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Any, EvalLog]]:
    """Runs an async function of the sample's state inside an Inspect sample: its result (None where it raised), and
    the log."""

    def within(work: Callable[[TaskState], Awaitable[Any]], input: Any = "Good morning.", **options: Any) -> Any:
        found: list[Any] = []

        async def solve(state: TaskState, generate: Generate) -> TaskState:
            found.append(await work(state))
            return state

        task = Task(dataset=[Sample(input=input)], solver=solver(name="work")(lambda: solve)())
        settings = {**QUIET, "model": "told/plain", **options}
        log = inspect_eval(task, log_dir=str(tmp_path_factory.mktemp("logs")), **settings)[0]
        return (found[0] if found else None), log

    return within


@pytest.fixture
def native_models() -> Iterator[Native]:
    """Inspect models of the providers that compact by themselves, bound to servers on the loopback address by base_url
    and a dummy key: `native_models.model("anthropic")`, `native_models.claude.writer = …`, `.servers[…].records`."""
    with native() as running:
        yield running
