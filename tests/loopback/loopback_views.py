"""What a model sees of a request, the same for every API, and who writes and acts behind the loopback servers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from standfast.harness.providers.subjects import ACTORS, DONE, WRITERS, Scene
from standfast.harness.scenario import Scenario


@dataclass(frozen=True)
class Part:
    """One piece of a view. `kind` is text, call, result or summary; a call has `tool`, `arguments` and `id`."""

    role: str
    kind: str
    text: str
    tool: str | None = None
    arguments: Any = None
    id: str | None = None


@dataclass(frozen=True)
class View:
    """All that a model sees of one request: system text, names of the tools, and the parts in their order."""

    system: str
    tools: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "\n".join([self.system, *(f"{part.text} {part.arguments or ''}" for part in self.parts)])

    @property
    def calls(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        return tuple((p.tool, p.arguments) for p in self.parts if p.kind == "call" and p.tool is not None)

    def said(self, role: str) -> list[str]:
        """The texts of a role."""
        return [part.text for part in self.parts if part.role == role and part.kind == "text"]


@dataclass(frozen=True)
class Called:
    """A tool call that the model behind a server makes."""

    tool: str
    arguments: dict[str, Any]


class WriterFailed(Exception):
    """The summariser behind the server broke: the API answers with a server error."""


Writer = Callable[[View, str], str | None]
Actor = Callable[[View], str | list[Called]]


# ---- writers: what they were not shown, they cannot keep


def verbatim(view: View, prompt: str) -> str:
    """Everything that stands in the view."""
    return view.text


def dropping(*texts: str) -> Writer:
    """A writer that keeps everything but these texts."""
    return lambda view, prompt: _replaced(view.text, dict.fromkeys(texts, ""))


def softening(instead: dict[str, str]) -> Writer:
    """A writer that keeps everything, but these texts in other words."""
    return lambda view, prompt: _replaced(view.text, instead)


def empty(view: View, prompt: str) -> str:
    """Nothing."""
    return ""


def null(view: View, prompt: str) -> None:
    """No summary at all: the model's output was none."""
    return


def failing(view: View, prompt: str) -> str:
    """Raises WriterFailed."""
    raise WriterFailed("the summariser is down")


def _replaced(text: str, instead: dict[str, str]) -> str:
    for old, new in instead.items():
        text = text.replace(old, new)
    return text


# ---- the calibration subjects of the package, behind a server


def writer_of(scenario: Scenario, name: str) -> Writer:
    """A scripted writer of the package by name, for one scenario."""
    return lambda view, prompt: WRITERS[name](Scene(scenario, view.text, view.calls))


def actor_of(scenario: Scenario, name: str) -> Actor:
    """A scripted actor of the package by name. It knows its probe by the newest text of the user."""

    def act(view: View) -> str | list[Called]:
        probe = next((p for p in scenario.probes if view.parts and p.ask.strip() in view.parts[-1].text), None)
        if probe is None:
            return DONE
        answer = ACTORS[name](Scene(scenario, view.text, view.calls, probe))
        return answer if isinstance(answer, str) else [Called(tool, arguments) for tool, arguments in answer]

    return act


def brief(view: View) -> str:
    """An actor that says how much it sees, and does nothing."""
    return f"I see {len(view.parts)} parts."
