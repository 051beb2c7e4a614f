"""Prints how long `standfast --help` takes against `inspect --help`, both measured here and now, in turns.

    python benchmarks/help_time.py [RUNS]

Exit status 1 where the ratio of the medians is above a tenth: the help must not wait for imports it does not need.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

LIMIT = 0.1
COMMANDS = ("standfast", "inspect")


def seconds(command: str) -> float:
    """The wall time of one `COMMAND --help`, of the command that is installed beside this Python."""
    start = perf_counter()
    subprocess.run([Path(sys.executable).parent / command, "--help"], check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start


def measure(runs: int) -> dict[str, list[float]]:
    """The times of each command. They take turns, so that what else the machine does falls on both."""
    times: dict[str, list[float]] = {command: [] for command in COMMANDS}
    for turn in range(runs + 1):
        for command in COMMANDS:
            taken = seconds(command)
            if turn > 0:  # the first turn only fills the disk cache
                times[command].append(taken)
    return times


def main() -> int:
    """Exit status 0 where the ratio is within the limit, else 1."""
    times = measure(runs=int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    for command, taken in times.items():
        print(f"{command + ' --help':18} min {min(taken):6.3f} s   median {median(taken):6.3f} s   n {len(taken)}")
    ratio = median(times["standfast"]) / median(times["inspect"])
    print(f"ratio of medians   {ratio:.3f} (at most {LIMIT})")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
