"""How long a report of a million trial rows takes, and how much memory; and loading beside a plain Arrow scan.

    .venv/bin/python benchmarks/report_size.py [ROWS]

Rows are drawn at random; each step runs in a process of its own, whose peak memory is printed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from standfast.harness.schemas import SCHEMAS

FAMILIES, SCENARIOS, CYCLES = 24, 5, 5
ACTORS, WRITERS, COMPACTORS = ("m/1", "m/2", "m/3"), ("w/1", "w/2", "w/3", "w/4"), ("a", "b", "c", "d", "e")
ARMS = {"compacted": 0.4, "removed": 0.9, "restored": 0.05, "residue": 0.5}
PLAIN = {"run": "run", "pack": "core", "scenario_version": "1-A", "history": "replayed", "seed": 1, "epoch": 1,
         "lifted": False, "norm": "soft", "channel": "user", "model_calls": 1, "tokens_in": 900, "tokens_out": 100,
         "tokens_cached": 0, "attempts": 0, "executions": 0, "blocked_calls": 0, "repeated_reads": 0, "questions": 0,
         "grader_version": "2", "twin_state": "armed"}  # fmt: skip


def grid(**columns: object) -> pd.DataFrame:
    """Every combination of these values."""
    return pd.MultiIndex.from_product(list(columns.values()), names=list(columns)).to_frame(index=False)  # type: ignore[arg-type]


def written(folder: Path, rows: int) -> int:
    """How many trials were written."""
    random = np.random.default_rng(1)
    draws = max(1, ceil(rows / (FAMILIES * SCENARIOS * 5 * 4 * CYCLES * len(ACTORS) * len(ARMS) * 2)))
    scenarios = range(FAMILIES * SCENARIOS)
    points = grid(s=scenarios, compactor=COMPACTORS, writer=WRITERS, draw=range(draws), cycle=range(1, CYCLES + 1))
    points["chain"] = points.groupby(["s", "compactor", "writer", "draw"]).ngroup().map("c{:07}".format)
    points["retention"] = random.choice(["intact", "residue", "dropped"], len(points))
    points["locus"] = points.retention.map({"intact": "kept", "residue": "kept", "dropped": "omitted"})
    made = points.merge(grid(actor=ACTORS, arm=list(ARMS), probe_kind=["prohibited", "permitted"]), how="cross")
    base = grid(s=scenarios, cycle=range(1, CYCLES + 1), actor=ACTORS, arm=["floor", "full"], probe_kind=["prohibited"])
    base = base.assign(compactor="none", chain="none-" + base.s.astype(str))
    trials = pd.concat([made, base], ignore_index=True)
    chance = trials.arm.map({**ARMS, "floor": 0.95, "full": 0.02})
    hit = random.uniform(size=len(trials)) < chance
    tempted = trials.probe_kind.eq("prohibited")
    labels = np.where(tempted, np.where(hit, "violated", "held"), np.where(hit, "served", "overblocked"))
    trials = trials.assign(behaviour=labels, valid=random.uniform(size=len(trials)) < 0.9, probe=trials.probe_kind)
    trials["invalid_because"] = np.where(trials.valid, None, "empty summary")
    trials["residue_arm"] = np.where(trials.arm.eq("residue"), "softened", None)
    trials["trial"] = [f"{number:016x}" for number in range(len(trials))]
    trials["reply"] = "I have done that. " + trials.trial
    trials["calls"] = '[{"tool": "send_mail", "arguments": {"to": "' + trials.trial + '"}}]'
    boundaries = points.assign(fired=True, non_summary=False, pressure=0.5, tokens_before=9000, tokens_after=900)
    boundaries["summary"] = "The mail was read. Drafts wait for a review, said chain " + boundaries.chain
    (folder / "rows").mkdir(parents=True)
    for name, frame in (("trials", trials), ("rules", points), ("boundaries", boundaries), ("spans", None),
                        ("subtasks", None)):  # fmt: skip
        _write(folder / "rows" / f"{name}.parquet", name, frame)
    return len(trials)


def _write(file: Path, table: str, frame: pd.DataFrame | None) -> None:
    schema = SCHEMAS[table]
    if frame is None:
        pq.write_table(schema.empty_table(), file)
        return
    number = frame["s"]
    full = frame.assign(
        family=(number % FAMILIES).map("F{:02}".format), scenario=number.map("s{}".format), rule="r",
        scenario_digest=number.map("d{}".format), **PLAIN,
    )  # fmt: skip
    columns = [pa.array(full[each.name], each.type, from_pandas=True) if each.name in full
               else pa.nulls(len(full), each.type) for each in schema]  # fmt: skip
    pq.write_table(pa.table(columns, schema=schema), file)


STEPS = {
    "report, terminal": "from standfast.harness.cli import app; app(['report', FOLDER], standalone_mode=False)",
    "report, html": "from standfast.harness.cli import app; "
    "app(['report', FOLDER, '--html', FOLDER + '/report.html'], standalone_mode=False)",
    "report, json": "from standfast.harness.cli import app; app(['report', FOLDER, '--json'], standalone_mode=False)",
}
LOADING = """
import time
from pathlib import Path
import pyarrow.parquet as pq
from standfast.harness.loading import Runs
import pandas
columns = ["actor", "arm", "cycle", "behaviour", "retention", "family", "chain", "valid"]
def best(load):
    times = []
    for _ in range(3):
        start = time.perf_counter(); load(); times.append(time.perf_counter() - start)
    return min(times)
scan = best(lambda: pq.read_table(Path(FOLDER) / "rows" / "trials.parquet", columns=columns))
arrow = best(lambda: Runs.of([FOLDER]).arrow("trials", columns))
frame = best(lambda: Runs.of([FOLDER]).pandas("trials", columns))
print(f"scan {scan:.2f} s, arrow {arrow / scan:.2f} times, pandas {frame / scan:.2f} times")
"""


def measured(code: str, folder: Path) -> tuple[float, float, str]:
    """Seconds, peak GiB and last line of a process."""
    peak = "import resource, sys; sys.stderr.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))"
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", f"FOLDER = {str(folder)!r}\n{code}\n{peak}"], capture_output=True, text=True, check=True
    )
    size = int(done.stderr.split("\n")[-1]) * (1 if sys.platform == "darwin" else 1024) / 2**30
    return time.perf_counter() - start, size, done.stdout.strip().split("\n")[-1]


def main(rows: int) -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        print(f"{written(folder, rows):,} trial rows")
        for step, code in STEPS.items():
            seconds, size, _ = measured(code, folder)
            print(f"{step:18} {seconds:6.1f} s  {size:.2f} GiB", flush=True)
        print(f"{'loading':18} {measured(LOADING, folder)[2]}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
