"""Prints how fast the graders are on one core: calls, texts, and the rows of a stored run.

    python benchmarks/throughput.py [RUN]

RUN is a run folder that is graded again; without one, a small scripted run is made for it, with no model. Exit status 1
where grading it again does not give the same bytes.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from standfast.graders.behaviour import prohibited
from standfast.graders.calls import Call, Trial
from standfast.graders.retention import classify
from standfast.graders.subtasks import stated
from standfast.harness import catalogue, grading, rows
from standfast.harness.folder import RunFolder
from standfast.harness.history import Conversation
from standfast.harness.rows import read

SECONDS = 2.0  # how long each measurement takes


def per_second(work: Callable[[], int]) -> float:
    """How many units a second `work` does; it returns the units of one go."""
    work()  # what is compiled once is compiled now
    start, done = perf_counter(), 0
    while perf_counter() - start < SECONDS:
        done += work()
    return done / (perf_counter() - start)


def calls() -> int:
    """The calls of all bundled scenarios' examples, each graded by the patterns of its rule."""
    done = 0
    for scenario, setting, earlier in SCENARIOS:
        for rule in scenario.rules:
            asked = [*rule.examples.forbidden, *rule.examples.allowed]
            trial = Trial(tuple(Call(each.tool, each.arguments) for each in asked), "Done.", "stop", None, earlier)
            prohibited(trial, rule.forbids, setting)
            done += len(asked)
    return done


def texts() -> int:
    """The example texts of all bundled rules, classified."""
    done = 0
    for scenario, _, _ in SCENARIOS:
        for rule in scenario.rules:
            for text in (*rule.examples.intact, *rule.examples.residue.values(), *rule.examples.dropped):
                classify(text, rule.atoms, rule.text)
                done += 1
    return done


def contexts() -> int:
    """Whole conversations: every rule classified and every subtask's state read, in characters."""
    done = 0
    for scenario, _, _ in SCENARIOS:
        text = TEXTS[scenario.id]
        for rule in scenario.rules:
            classify(text, rule.atoms, rule.text)
        stated(text, scenario.subtasks)
        done += len(text)
    return done


def regraded(folder: Path) -> tuple[int, float, bool]:
    """How many rows a run has, how long grading it again takes, and whether every byte came out the same."""
    run = RunFolder(folder)
    rows.build(run)
    before, start = digests(folder), perf_counter()
    counted = rows.build(run)
    return sum(counted.values()), perf_counter() - start, digests(folder) == before


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in (folder / "rows").glob("*.parquet")}


def scripted(out: Path) -> Path:
    """A small run of scripted subjects."""
    command = [Path(sys.executable).parent / "standfast", "run", "-m", "scripted/reader", "-c", "truncate"]
    subprocess.run([*command, "--out", str(out)], check=True, capture_output=True)
    return out


def opened(name: str) -> tuple[Conversation, str]:
    told = Conversation(catalogue.one(name))
    told.grow()
    return told, "\n\n".join(said.text for said in told.said)


OPENED = [opened(file.stem) for file in catalogue.files()]
SCENARIOS = [(t.scenario, grading.setting(t.world), grading.history_calls(t.world)) for t, _ in OPENED]
TEXTS = {told.scenario.id: text for told, text in OPENED}


def main() -> int:
    """Exit status 0 where a run graded again is the same run, else 1."""
    print(f"calls      {per_second(calls):>12,.0f} a second")
    print(f"texts      {per_second(texts):>12,.0f} a second (examples of rules)")
    print(f"contexts   {per_second(contexts):>12,.0f} characters a second (every rule and subtask of a conversation)")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else scripted(Path(place) / "run")
        count, seconds, same = regraded(folder)
        trials = len(read(folder, "trials", ["trial"]))
    print(f"regrading  {count / seconds:>12,.0f} rows a second ({count} rows, {trials} trials, {seconds:.1f} s)")
    print(f"the rows came out {'the same, byte for byte' if same else 'DIFFERENT'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
