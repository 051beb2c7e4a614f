"""Inspect's logs of a run, sample by sample: what was recorded, and what failed. No log is held whole."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    read_eval_log_samples_by_id,
)

# everything comes from scores and metadata: `store` is empty in samples recovered after a crash
AT_ONCE = 50  # samples in memory at a time
UNREAD = {"events", "messages", "attachments", "store"}


@dataclass(frozen=True)
class Logged:
    """One finished trial of one actor."""

    id: str
    actor: str
    recorded: dict[str, Any]
    log: str
    uuid: str | None


def _samples(folder: Path) -> Iterator[tuple[str, str, EvalSampleSummary]]:
    """Log, actor and summary of every logged sample, in the order of the runs. A log whose run was killed counts with
    what it had flushed; one that holds nothing readable is passed over."""
    if not folder.exists():
        return
    for info in sorted(list_eval_logs(str(folder), descending=False), key=lambda info: info.name):
        try:
            header = read_eval_log(info, header_only=True)
            summaries = read_eval_log_sample_summaries(info)
        except Exception:  # a log that was cut off in its first write; what it held is run again
            continue
        yield from ((info.name, header.eval.model, summary) for summary in summaries)


def finished(folder: Path) -> set[tuple[str, str]]:
    """Trial id and actor of every trial that was recorded without an error."""
    return {(str(summary.id), actor) for _, actor, summary in _samples(folder / "replay") if _whole(summary)}


def _whole(summary: EvalSampleSummary) -> bool:
    return summary.error is None and bool(summary.scores)


def trials(folder: Path, wanted: Container[str]) -> Iterator[Logged]:
    """The finished trials among `wanted`, each actor's once: the first that was recorded counts."""
    seen: set[tuple[str, str]] = set()
    for (log, actor), found in groupby(_samples(folder / "replay"), key=lambda each: each[:2]):
        keys = [(str(s.id), s.epoch) for _, _, s in found if _whole(s) and s.id in wanted and (s.id, actor) not in seen]
        for some in (keys[i : i + AT_ONCE] for i in range(0, len(keys), AT_ONCE)):
            for sample in read_eval_log_samples_by_id(log, some, exclude_fields=UNREAD):
                score = (sample.scores or {}).get("behaviour")
                if score is not None and score.metadata is not None:
                    seen.add((str(sample.id), actor))
                    yield Logged(str(sample.id), actor, score.metadata, Path(log).name, sample.uuid)


def trial_errors(folder: Path) -> dict[tuple[str, str], str]:
    """The last error of each trial that failed, by trial id and actor."""
    return {(str(s.id), actor): f"error: {_line(s.error)}" for _, actor, s in _samples(folder / "replay") if s.error}


def chain_errors(folder: Path) -> dict[str, str]:
    """The last error of each chain that failed."""
    return {str(s.id): f"chain error: {_line(s.error)}" for _, _, s in _samples(folder / "compact") if s.error}


def _line(error: str | None) -> str:
    return " ".join((error or "").split())[:300]
