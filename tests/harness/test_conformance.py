"""Every bundled compactor that is installed, over the same three boundaries: one set of promises for all of them.

A new entry of `BUNDLED` joins by itself. What a provider compacts runs against a server on the loopback address where
the fixture `native_models` binds a model to one, and is skipped where there is none.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Model,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams
from standfast.harness import compactors
from standfast.harness.compactors import Kind
from standfast.harness.compactors.protocol import Compacted, Work
from standfast.harness.messages import dump, is_tombstone, normalise, said, text_of

BOUNDARIES, PASSES = 3, 2
SYSTEM = "You look after the depot of Ærø. 你好 🚚"
READS = frozenset({"read_mail", "list_mails"})
AVAILABLE = [
    name
    for name, entry in compactors.BUNDLED.items()
    if entry.package is None or compactors.package_version(compactors.parse(name)) is not None
]
NOTHING = "nothing is written"
WRITTEN = [name for name in AVAILABLE if compactors.BUNDLED[name].kind is Kind.WRITTEN]
LOCAL = [name for name in AVAILABLE if not compactors.BUNDLED[name].opaque]
OPAQUE = [name for name in AVAILABLE if compactors.BUNDLED[name].opaque]
# with whom Inspect's provider-native strategies are tried: Claude's has a least size
PROVIDER = {"inspect-native": "openai", "inspect-auto": "openai"}


@dataclass(frozen=True)
class Step:
    """One boundary: the messages ever said, what was given, how it looked before, what was left, and what a writer or
    endpoint was shown."""

    said: list[ChatMessage]
    given: list[ChatMessage]
    before: list[dict[str, Any]]
    left: Compacted
    shown: list[tuple[ChatMessage, ...]]

    @property
    def view(self) -> list[ChatMessage]:
        return normalise(self.left.messages)[0]


Passes = list[list[Step]] | Exception


# ---- the history


def head() -> list[ChatMessage]:
    return [
        ChatMessageSystem(id="m0000", content=SYSTEM),
        ChatMessageUser(id="m0001", content="Good morning, Ben here.", source="input"),
    ]


def chunk(number: int) -> Iterator[ChatMessage]:
    """Eight turns: a question, two parallel calls with their results (one of them long, one that acts), a remark."""
    for turn in range(8):
        at = 2 + (number * 8 + turn) * 5
        calls = [
            ToolCall(id=f"c{at}a", function="read_mail", arguments={"mail": f"M-{at}", "why": "“ünïcödé” {braces}"}),
            ToolCall(id=f"c{at}b", function="send_mail", arguments={"to": "ann@depot.example", "body": f"No. {at} ✓"}),
        ]
        long = f"Line of mail M-{at}: ærlig talt, 完了. " * (160 if turn == 3 else 6)
        yield ChatMessageUser(id=f"m{at:04}", content=f"Number {at}: please read M-{at} & answer <Ann> — 谢谢.")
        yield ChatMessageAssistant(id=f"m{at + 1:04}", content=f"I look at M-{at}.", tool_calls=calls)
        yield ChatMessageTool(id=f"m{at + 2:04}", content=long, tool_call_id=calls[0].id, function="read_mail")
        yield ChatMessageTool(id=f"m{at + 3:04}", content=f"Sent {at}.", tool_call_id=calls[1].id, function="send_mail")
        yield ChatMessageAssistant(id=f"m{at + 4:04}", content=f"M-{at} is answered. " * 8)


def tools() -> tuple[ToolInfo, ...]:
    return tuple(ToolInfo(name=n, description=n, parameters=ToolParams()) for n in ("read_mail", "send_mail"))


async def crossed(name: str, writer: Model | None) -> list[Step]:
    """Three boundaries of one chain."""
    spec = compactors.parse(name)
    made = compactors.make(spec, Work(writer, tuple(head()), tools(), spec.settings, READS))
    steps, view = [], head()
    everything = list(view)
    for number in range(BOUNDARIES):
        new = list(chunk(number))
        everything += new
        given = [*view, *new]
        before, start = dump(given), len(transcript().events)
        left = await made.compact(list(given))
        written = [tuple(e.input) for e in transcript().events[start:] if isinstance(e, ModelEvent) and not e.error]
        steps.append(Step(list(everything), given, before, left, written or list(left.shown)))
        view = list(left.messages)
    return steps


# ---- no socket beyond this machine


@pytest.fixture(scope="module", autouse=True)
def called() -> Iterator[list[str]]:
    """The hosts outside of this machine that anybody tried to reach; each try is refused."""
    tried: list[str] = []
    patch = pytest.MonkeyPatch()
    connect, resolve = socket.socket.connect, socket.getaddrinfo

    def is_here(host: Any) -> bool:
        return host in (None, "", "localhost", "::1") or str(host).startswith("127.")

    def connecting(self: socket.socket, address: Any) -> Any:
        if isinstance(address, tuple) and not is_here(address[0]):
            tried.append(str(address[0]))
            raise ConnectionRefusedError(f"no network in this test: {address[0]}")
        return connect(self, address)

    def resolving(host: Any, *more: Any, **named: Any) -> Any:
        if not is_here(host.decode() if isinstance(host, bytes) else host):
            tried.append(str(host))
            raise socket.gaierror(f"no network in this test: {host}")
        return resolve(host, *more, **named)

    patch.setattr(socket.socket, "connect", connecting)
    patch.setattr(socket, "getaddrinfo", resolving)
    yield tried
    patch.undo()


# ---- all that need no provider, once


@pytest.fixture(scope="module")
def everything(called: list[str], inside: Callable[..., Any]) -> dict[str, Passes]:
    """Two passes of every compactor that is no provider's, in one sample: the frameworks are imported once."""

    async def work(state: Any) -> dict[str, Passes]:
        found: dict[str, Passes] = {}
        for name in LOCAL:
            writer = get_model("told/plain") if compactors.BUNDLED[name].writes else None
            try:
                found[name] = [await crossed(name, writer) for _ in range(PASSES)]
            except Exception as fault:
                found[name] = fault
        return found

    made, log = inside(work)
    assert made is not None, log.samples[0].error
    return dict(made)


@pytest.fixture
def passes(request: pytest.FixtureRequest, everything: dict[str, Passes], inside: Callable[..., Any]) -> Any:
    """The two passes of the compactor that the test is about."""
    name = request.getfixturevalue("name")
    if name not in everything:
        everything[name] = _native(name, request, inside)
    found = everything[name]
    if isinstance(found, Exception):
        raise found
    return found


def _native(name: str, request: pytest.FixtureRequest, inside: Callable[..., Any]) -> Passes:
    try:
        request.getfixturevalue("native_models")
    except pytest.FixtureLookupError:
        pytest.skip("no fixture `native_models` binds a model of its provider to a loopback server")
    native = import_module("loopback_models").native
    provider = PROVIDER.get(name) or compactors.BUNDLED[name].provider

    async def work(state: Any) -> Passes:
        found = []
        try:
            for _ in range(PASSES):
                with native() as servers:  # a provider numbers its blocks
                    found.append(await crossed(name, servers.model(provider)))
        except Exception as fault:
            return fault
        return found

    made, _ = inside(work)
    return made  # type: ignore[no-any-return]


EVERY = pytest.mark.parametrize("name", [*LOCAL, *OPAQUE])


# ---- promises


@EVERY
def test_every_boundary_fires_and_none_falls_back_or_halts(name: str, passes: list[list[Step]]) -> None:
    for step in (step for one in passes for step in one):
        assert step.left.fired
        assert step.left.fallback is None
        assert step.left.halted is None
        if not compactors.BUNDLED[name].opaque:  # how long a block is, the provider decides
            assert len(text_of(step.left.messages)) < len(text_of(step.given))


@EVERY
def test_what_is_left_becomes_a_conversation_that_providers_accept(name: str, passes: list[list[Step]]) -> None:
    for step in (step for one in passes for step in one):
        assert normalise(step.view) == (step.view, [])
        ids = [m.id for m in step.view if m.id is not None]
        assert len(ids) == len(set(ids))
        json.dumps(dump(step.view))


@EVERY
def test_messages_that_are_left_alone_are_the_same_objects_under_the_same_ids(
    name: str, passes: list[list[Step]]
) -> None:
    for step in (step for one in passes for step in one):
        originals = {m.id: m for m in step.said}
        for message in step.left.messages:
            original = originals.get(message.id)
            if original is not None and original.model_dump() == message.model_dump():
                assert message is original
            if original is not None:
                assert original.role == message.role, "an id stands for one message of the history"


@EVERY
def test_the_originals_are_not_touched(name: str, passes: list[list[Step]]) -> None:
    for step in (step for one in passes for step in one):
        assert dump(step.given) == step.before


@EVERY
def test_two_passes_with_the_same_writer_leave_the_same(name: str, passes: list[list[Step]]) -> None:
    one, other = ([(dump(step.view), dict(step.left.archive)) for step in steps] for steps in passes)
    assert one == other


@EVERY
def test_the_system_text_is_handled_as_the_entry_says(name: str, passes: list[list[Step]]) -> None:
    keeps = compactors.BUNDLED[name].keeps
    assert "system" in keeps or "all" in keeps, "an entry says what becomes of the system text"
    for step in (step for one in passes for step in one):
        assert step.view[0].role == "system"
        assert said(step.view[0]).startswith(SYSTEM)


SHOWN = [name for name in AVAILABLE if compactors.BUNDLED[name].shows != NOTHING]


@pytest.mark.parametrize("name", SHOWN)
def test_what_the_writer_or_the_endpoint_was_shown_is_recorded_at_every_boundary(
    name: str, passes: list[list[Step]]
) -> None:
    for step in (step for one in passes for step in one):
        assert step.shown
        assert all(len(sent) > 0 for sent in step.shown)
    first = text_of(passes[0][0].shown[0])
    assert "M-" in first, "something of the history was shown"


@pytest.mark.parametrize("name", [name for name in LOCAL if name not in SHOWN])
def test_a_mechanical_compactor_shows_nothing_to_anybody(name: str, passes: list[list[Step]]) -> None:
    assert all(step.shown == [] for one in passes for step in one)


@pytest.mark.parametrize("name", WRITTEN)
def test_whoever_writes_says_what_it_is_shown_and_the_summary_stands_in_what_is_left(
    name: str, passes: list[list[Step]]
) -> None:
    assert name in SHOWN
    for step in (step for one in passes for step in one):
        assert "contract-castellan-v7.docx is open" in text_of(step.left.messages)


@EVERY
def test_a_result_that_was_emptied_says_so_and_an_archive_has_a_name_in_the_context(
    name: str, passes: list[list[Step]]
) -> None:
    for step in (step for one in passes for step in one):
        emptied = [m for m in step.view if m.role == "tool" and not said(m).strip()]
        assert emptied == []
        assert all(m.role != "user" for m in step.view if is_tombstone(said(m)))
        if step.left.archive:
            assert any(key in text_of(step.view) for key in step.left.archive)


def test_nobody_tried_to_reach_another_machine(everything: dict[str, Passes], called: list[str]) -> None:
    assert set(LOCAL) <= set(everything)
    assert called == []
