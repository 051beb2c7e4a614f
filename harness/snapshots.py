"""The snapshot store: content-addressed, compressed JSON files, and the index of finished chains."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import zstandard

FORMAT = "standfast-snapshot/1"


@dataclass(frozen=True)
class Boundary:
    """One compaction event; tokens are a quarter of the characters, `writer_tokens` as the writer's provider counts."""

    fired: bool
    fallback: str | None = None
    empty: bool | None = None
    non_summary: bool | None = None
    pressure: float | None = None
    tokens_before: int = 0
    tokens_after: int = 0
    writer_tokens: int | None = None
    writer_calls: int = 0
    writer_stop: str | None = None
    cut_off: bool = False
    summary: str | None = None
    normalised: tuple[str, ...] = ()
    halted: bool = False
    halted_because: str | None = None
    notes: tuple[str, ...] = ()
    summary_tokens: int | None = None
    shown_tokens: int | None = None
    archived: int = 0
    back_pointer: bool | None = None
    orphans: int = 0
    pin_tokens: int | None = None
    pin_whole: bool | None = None


@dataclass(frozen=True)
class Snapshot:
    """What a chain left at one cycle. `messages` is what an agent sees now, `said` counts the messages of the
    uncompacted conversation that it stands for, `shown` is what the writer saw for it, `archive` what the agent can
    read again by name. `rules_file` and `guard` are what a mitigation puts beside the world's tools."""

    scenario: str
    scenario_digest: str
    chain: str
    compactor: str
    writer: str | None
    seed: int
    cycle: int
    said: int
    messages: list[dict[str, Any]]
    provenance: list[dict[str, Any]]
    world: dict[str, Any]
    tools: list[dict[str, Any]]
    shown: list[list[dict[str, Any]]] = field(default_factory=list)
    boundary: dict[str, Any] | None = None
    archive: dict[str, str] = field(default_factory=dict)
    rules_file: str | None = None
    guard: bool = False


def canonical(value: object) -> bytes:
    """The one JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(value: object) -> str:
    """The first 16 hex digits of the SHA-256 of a JSON value."""
    return hashlib.sha256(canonical(value)).hexdigest()[:16]


def _write(path: Path, data: bytes) -> None:
    """Writes whole or not at all: a killed run leaves no half file under a good name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


class Store:
    """The snapshots of one run folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read = lru_cache(maxsize=64)(self._load)
        self._finished: dict[str, list[str]] = {}

    def put(self, snapshot: Snapshot) -> str:
        """The digest under which the snapshot now lies; putting it again changes nothing."""
        return self._put({"format": FORMAT, **asdict(snapshot)}, self._path)

    def get(self, key: str) -> Snapshot:
        """The snapshot of a digest, checked against it; not to be changed. Raises ValueError for a damaged file."""
        return self._read(key)

    def put_context(self, context: dict[str, Any]) -> str:
        """The digest under which the context of an arm now lies."""
        return self._put(context, self._context_path)

    def get_context(self, key: str) -> dict[str, Any]:
        """The context of a digest, checked against it. Raises ValueError for a damaged file."""
        return _load(self._context_path(key), key)

    def _put(self, value: dict[str, Any], place: Callable[[str], Path]) -> str:
        key = digest(value)
        path = place(key)
        if not _is_whole(path, key):
            _write(path, zstandard.ZstdCompressor(level=9).compress(canonical(value)))
        return key

    def _load(self, key: str) -> Snapshot:
        value = _load(self._path(key), key)
        if value.pop("format", None) != FORMAT:
            raise ValueError(f"{self._path(key)}: is no {FORMAT}")
        return Snapshot(**value)

    def _whole(self, key: str) -> bool:
        try:
            self.get(key)
        except ValueError:
            return False
        return True

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json.zst"

    def _context_path(self, key: str) -> Path:
        return self.folder / "contexts" / f"{key}.json.zst"

    # ---- chains

    def finish(self, chain: str, keys: list[str]) -> None:
        """Marks a chain as done: its snapshots for cycle 0, 1 … are complete."""
        _write(self._chain(chain), canonical({"chain": chain, "snapshots": keys}))
        self._finished.pop(chain, None)

    def finished(self, chain: str) -> list[str] | None:
        """The digests of a finished chain's snapshots by cycle, or None; what a crashed chain left does not count."""
        if chain not in self._finished:
            keys = self._listed(chain)
            if keys is None or not all(self._whole(key) for key in keys):
                return None
            self._finished[chain] = keys
        return self._finished[chain]

    def _listed(self, chain: str) -> list[str] | None:
        try:
            keys = json.loads(self._chain(chain).read_bytes())["snapshots"]
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return keys if isinstance(keys, list) else None

    def _chain(self, chain: str) -> Path:
        return self.folder / "chains" / f"{chain}.json"


def _load(path: Path, key: str) -> dict[str, Any]:
    """The value of a file whose name is its digest. Raises ValueError where it is none, or cannot be read."""
    try:
        value: dict[str, Any] = json.loads(zstandard.ZstdDecompressor().decompress(path.read_bytes()))
    except (OSError, ValueError, zstandard.ZstdError) as fault:
        raise ValueError(f"{path}: cannot be read: {fault}") from None
    if (found := digest(value)) != key:
        raise ValueError(f"{path}: its content has the digest {found}")
    return value


def _is_whole(path: Path, key: str) -> bool:
    try:
        _load(path, key)
    except ValueError:
        return False
    return True


def boundary_of(value: Mapping[str, Any]) -> Boundary:
    """The boundary of its JSON."""
    lists = {name: tuple(value.get(name, ())) for name in ("normalised", "notes")}
    return Boundary(**{**value, **lists})


def halt(snapshots: Sequence[Snapshot]) -> str | None:
    """Where and why the compactor of a chain gave up, or None; `snapshots` are the chain's, the last one counts."""
    last = snapshots[-1].boundary if snapshots else None
    if last is None or not last.get("halted"):
        return None
    return f"halted at boundary {snapshots[-1].cycle}: {last.get('halted_because') or 'no reason given'}"
