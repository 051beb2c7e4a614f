"""No runtime calls anybody: imported and used with the network refused, with keys and tracing asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

PACKAGES = ("langmem", "langchain", "deepagents", "google.adk", "agent_framework")
# what a user's environment may hold; none of it is ours to use
TEMPTING = {
    "LANGSMITH_TRACING": "true",
    "LANGCHAIN_TRACING_V2": "true",
    "LANGSMITH_API_KEY": "not-a-key",
    "OPENAI_API_KEY": "not-a-key",
    "ANTHROPIC_API_KEY": "not-a-key",
    "GOOGLE_API_KEY": "not-a-key",
    "ENABLE_INSTRUMENTATION": "true",
}
SCRIPT = """
import asyncio, json, socket, sys

called = []

def refuse(place):
    def refused(*args, **kwargs):
        called.append(f"{place} {args[-1] if args else kwargs}")
        raise OSError("the network is refused")
    return refused

socket.getaddrinfo = refuse("getaddrinfo")
socket.create_connection = refuse("create_connection")
socket.socket.connect = refuse("connect")
socket.socket.connect_ex = refuse("connect_ex")
socket.socket.sendto = refuse("sendto")

from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from standfast.harness import compactors
from standfast.harness.compactors.protocol import Work

def answer(*asked):
    output = ModelOutput.from_content("mockllm/model", "A summary.")
    output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
    return output

async def compact(name):
    spec = compactors.parse(name)
    writer = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    history = [ChatMessageSystem(id="m0", content="You are an assistant.")]
    for n in range(30):
        history.append(ChatMessageUser(id=f"u{n}", content=f"Mail {n}. " * 9))
        history.append(ChatMessageAssistant(id=f"a{n}", content="Read. " * 9))
    return (await compactors.make(spec, Work(writer, (), (), spec.settings)).compact(history)).fired

families = ("langmem", "langchain", "deepagents", "adk", "agent-framework")
names = [name for name in compactors.BUNDLED if name.startswith(families)]
fired = {name: asyncio.run(compact(name)) for name in names}
import time
time.sleep(1)  # what would be sent in the background is tried by now
print(json.dumps({"fired": fired, "called": called}))
"""


@pytest.mark.skipif(any(find_spec(p.split(".")[0]) is None for p in PACKAGES), reason="needs every runtime")
def test_importing_and_compacting_calls_nobody() -> None:
    environment = {**os.environ, **TEMPTING}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["called"] == []
    assert len(found["fired"]) == 15
    silent = {name for name, fired in found["fired"].items() if not fired}
    assert silent == {"agent-framework-tool-calls", "agent-framework-tool-results"}, "there are no calls to fold"
