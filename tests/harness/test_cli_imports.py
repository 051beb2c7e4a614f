"""What only looks waits for no heavy import."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CODE = """
import contextlib, io, json, sys
from standfast.harness.cli import main
sys.argv = ["standfast", *sys.argv[1:]]
with contextlib.redirect_stdout(io.StringIO()) as out:
    try:
        code = main() or 0
    except SystemExit as end:
        code = end.code or 0
heavy = {"inspect_ai", "pandas", "pyarrow", "langmem", "langchain_core", "scipy", "xllamacpp"} & set(sys.modules)
print(json.dumps([code, len(out.getvalue()), sorted(heavy)]))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        "--help", "--version", "run --help", "list scenarios", "list compactors", "list worlds", "list models",
        "list models --json", "show f12-contract-files", "show f12-contract-files --json",
        "check --coverage f12-contract-files", "schema",
    ],
)  # fmt: skip
def test_looking_imports_neither_inspect_nor_pandas(arguments: str) -> None:
    command = [sys.executable, "-c", CODE, *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    code, printed, heavy = json.loads(done.stdout)
    assert (code, heavy) == (0, [])
    assert printed > 0


def test_a_whole_check_needs_no_heavy_import_either() -> None:
    command = [sys.executable, "-c", CODE, "check", "f12-contract-files"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout.splitlines()[-1])[2] == []


@pytest.mark.parametrize("arguments", ["show f99", "list world", "run -m gpt", "check nowhere"])
def test_a_usage_fault_is_told_without_a_heavy_import(arguments: str) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, *arguments.split()], capture_output=True, text=True, check=False)
    code, _, heavy = json.loads(done.stdout)
    assert (code, heavy) == (2, [])
