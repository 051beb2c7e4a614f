"""The fate of every message of a conversation at every boundary: the same table for every compactor."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import messages
from .compactors.split.classes import span_class
from .grading import load_world
from .snapshots import Snapshot, halt

Row = dict[str, Any]
FATES = {"kept": "verbatim", "edited": "edited", "tombstoned": "tombstoned"}
HEAD = 200  # a runtime that cuts long results shows the writer their beginning
SHORT = 12  # fewer letters stand in any text by chance


def spans(snapshots: Sequence[Snapshot], record: Snapshot) -> Iterator[Row]:
    """The fate of each message of the uncompacted conversation at each boundary of a chain that was crossed.

    | fate | the message |
    |---|---|
    | verbatim | stands in the context as it was |
    | edited | stands there in part, or in other words |
    | tombstoned | is gone, and a mark in its place says so |
    | summarised | is gone, and a writer (or a provider's endpoint) was shown it, or its beginning, at some boundary |
    | evicted | is gone without a trace |
    """
    reads = load_world(record.world).setting().reads
    shown: set[str] = set()
    for cycle, snapshot in enumerate(snapshots[1:], start=1):
        if halt([snapshot]):
            return
        so_far = list(zip(record.messages, record.provenance, strict=True))[: snapshot.said]
        shown |= _shown(snapshot, (row for row, _ in so_far))
        left = {
            made.get("of") or row["id"]: FATES.get(made["fate"])
            for row, made in zip(snapshot.messages, snapshot.provenance, strict=True)
        }
        for row, made in so_far:
            yield {
                "cycle": cycle,
                "span": row["id"],
                "class": str(span_class(messages.load([row])[0], reads)),
                "provenance": made["origin"] + (f" turn {made['turn']}" if made["turn"] is not None else ""),
                "fate": left.get(row["id"]) or ("summarised" if row["id"] in shown else "evicted"),
            }


def _shown(snapshot: Snapshot, rows: Iterable[Row]) -> set[str]:
    """The ids of the messages that were shown at this boundary: as messages, or written out in one text."""
    ids = {row["id"] for rows in snapshot.shown for row in rows}
    text = letters(" ".join(messages.text_of(messages.load(rows)) for rows in snapshot.shown))
    return ids | {row["id"] for row in rows if row["id"] not in ids and _stands_in(text, row)}


def _stands_in(text: str, row: Row) -> bool:
    (message,) = messages.load([row])
    said = letters(messages.said(message)[:HEAD]) or letters("".join(messages.arguments(message)))
    return len(said) >= SHORT and said in text


def letters(text: str) -> str:
    """The letters and digits of a text, however a runtime has escaped it: runtimes write histories out as XML, JSON or
    Python literals.

    >>> letters("Do &quot;not&quot; pay\\\\nJos\\\\u00e9")
    'donotpayjosé'
    """
    plain = html.unescape(text).replace("\\n", " ").replace("\\t", " ").replace("\\r", " ")
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), plain)
    return "".join(filter(str.isalnum, plain)).casefold()
