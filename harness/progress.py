"""How far a run is: bars on a terminal, plain lines elsewhere. All of it goes to standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

EVERY = 10.0  # seconds between plain lines


class Lines:
    """Plain lines: one at the beginning, one every ten seconds, one at the end."""

    def __init__(self, file: TextIO) -> None:
        self.file = file

    @contextmanager
    def stage(self, name: str, total: int, done: int) -> Iterator[Callable[[str], None]]:
        count, said, start = done, time.monotonic(), time.monotonic()
        self._say(f"{name}: {total} in all, {done} done before" if done else f"{name}: {total}")

        def step(_: str) -> None:
            nonlocal count, said
            count += 1
            if time.monotonic() - said > EVERY:
                said = time.monotonic()
                self._say(f"{name}: {count}/{total}")

        yield step
        self._say(f"{name}: {count}/{total} in {time.monotonic() - start:.0f} s")

    def _say(self, line: str) -> None:
        print(line, file=self.file, flush=True)


class Bars:
    """A bar a stage."""

    @contextmanager
    def stage(self, name: str, total: int, done: int) -> Iterator[Callable[[str], None]]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True)) as bars:
            task = bars.add_task(name, total=total, completed=done)
            yield lambda _: bars.advance(task)


def on_stderr() -> Bars | Lines:
    """Bars where standard error is a terminal, else lines."""
    return Bars() if sys.stderr.isatty() else Lines(sys.stderr)
