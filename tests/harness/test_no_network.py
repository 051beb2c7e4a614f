"""Nothing calls out: default runs with the network cut and keys at hand, and providers only where they are named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from loopback_models import native
from standfast.harness import compactors
from standfast.harness.rows import read

KEYS = {"OPENAI_API_KEY": "sk-real", "ANTHROPIC_API_KEY": "sk-ant-real", "LANGSMITH_API_KEY": "ls-real"}
CODE = """
import atexit, json, socket, sys
tried, place = [], sys.argv[1]
atexit.register(lambda: open(place, "w").write(json.dumps(tried)))

def is_near(host):
    return host in (None, "", "localhost", "127.0.0.1", "::1", b"localhost", b"127.0.0.1")

def guarded(name, host_of):
    plain = getattr(socket if name == "getaddrinfo" else socket.socket, name)
    def call(*args, **kwargs):
        host = host_of(args)
        if not is_near(host):
            tried.append([name, str(host)])
            raise OSError("the network is cut")
        return plain(*args, **kwargs)
    setattr(socket if name == "getaddrinfo" else socket.socket, name, call)

guarded("getaddrinfo", lambda args: args[0])
for name in ("connect", "connect_ex"):
    guarded(name, lambda args: args[1][0] if isinstance(args[1], tuple) else None)

from standfast.harness.cli import main
sys.argv = ["standfast", *sys.argv[2:]]
raise SystemExit(main())
"""


def ran(tmp_path: Path, *arguments: str, **environment: str) -> tuple[int, list[Any], str]:
    """Exit code, the addresses outside the machine that were tried, and what was said, of a run without a network."""
    tried = tmp_path / "tried.json"
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tried), *arguments],
        env={**os.environ, **KEYS, **environment}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, json.loads(tried.read_text()), done.stderr


def run(
    *compactors: str, model: str = "scripted/reader", writer: str = "scripted/verbatim", args: Any = ()
) -> list[str]:
    chosen = [word for name in compactors for word in ("-c", name)]
    bound = [word for pair in args for word in ("-M", pair)]
    return [
        "run", "-m", model, "--writer", writer, "-s", "f12-contract-files", "--arms", "full,compacted",
        "--probes", "prohibited", "--window", "600", "--out", "run", *chosen, *bound,
    ]  # fmt: skip


def fired(tmp_path: Path) -> set[str]:
    """The compactors whose boundary fired, without a fallback or a fault of the summary."""
    rows = read(tmp_path / "run", "boundaries")
    sound = rows.fired.eq(True) & rows.fallback.isna() & ~rows["empty"].eq(True) & ~rows.non_summary.eq(True)
    return set(rows[sound & rows.error.isna()].compactor.str.partition(":")[0])


def test_every_compactor_that_takes_any_model_runs_without_a_network_though_there_are_keys(tmp_path: Path) -> None:
    names = [
        name
        for name, entry in compactors.BUNDLED.items()
        if not entry.opaque and (entry.package is None or compactors.package_version(compactors.parse(name)))
    ]
    assert {"openai-agents-limit", "openai-agents-trim", "openai-agents-summary"} <= set(names)
    code, tried, said = ran(tmp_path, *run(*names))
    assert (code, tried) == (0, []), said
    rows = read(tmp_path / "run", "boundaries")
    assert set(rows.compactor.str.partition(":")[0]) >= set(names)
    assert rows.error.isna().all(), rows[["compactor", "error"]]


def test_the_guard_of_these_tests_sees_who_calls_out(tmp_path: Path) -> None:
    guard, _, _ = CODE.partition("from standfast")
    calls = "import urllib.request\nurllib.request.urlopen('http://telemetry.example/')"
    subprocess.run([sys.executable, "-c", guard + calls, "tried.json"], cwd=tmp_path, capture_output=True, check=False)
    assert json.loads((tmp_path / "tried.json").read_text()) == [["getaddrinfo", "telemetry.example"]]


def test_a_provider_is_met_at_the_address_and_with_the_key_that_the_user_gives(tmp_path: Path) -> None:
    with native() as servers:
        bound = [f"{key}={value}" for key, value in servers.args("openai").items()]
        model = servers.name("openai")
        names = ("openai-responses", "openai-agents-responses")
        code, tried, said = ran(tmp_path, *run(*names, model=model, writer=model, args=bound))
        assert (code, tried) == (0, []), said
        assert {record.key for record in servers.servers["openai"].records} == {"none"}, "not that of the environment"
        assert len(servers.servers["openai"].of("/responses/compact")) == len(names)
        assert fired(tmp_path) == set(names)


def test_address_and_key_of_the_environment_are_used_for_a_model_that_the_user_names(tmp_path: Path) -> None:
    with native() as servers:
        model, there = servers.name("anthropic"), servers.servers["anthropic"]
        asked = run("claude-demand", "claude-clear", model=model, writer=model)
        code, tried, said = ran(tmp_path, *asked, ANTHROPIC_BASE_URL=there.url)
        assert (code, tried) == (0, []), said
        assert {record.key for record in there.records} == {KEYS["ANTHROPIC_API_KEY"]}
        assert servers.servers["openai"].records == []
        assert fired(tmp_path) == {"claude-demand", "claude-clear"}
