"""The snapshot store: content-addressed, and no half or damaged file passes for a whole one."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from standfast.harness import snapshots
from standfast.harness.snapshots import Boundary, Snapshot, Store, boundary_of, canonical, digest


def snapshot(**changes: Any) -> Snapshot:
    values: dict[str, Any] = {
        "scenario": "s",
        "scenario_digest": "d",
        "chain": "c",
        "compactor": "truncate",
        "writer": None,
        "seed": 1,
        "cycle": 1,
        "said": 2,
        "messages": [{"role": "user", "content": "Grüße, „wörtlich“", "id": "m0000"}],
        "provenance": [{"fate": "kept", "origin": "opening", "turn": None, "plants": []}],
        "world": {"name": "stub", "state": {"n": 1.5, "deep": [None, {"a": True}]}},
        "tools": [],
    }
    return Snapshot(**{**values, **changes})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "snapshots")


def file_of(store: Store, key: str) -> Path:
    return store.folder / f"{key}.json.zst"


def test_what_is_put_comes_back_equal_under_its_digest(store: Store) -> None:
    made = snapshot(boundary={"fired": True, "pressure": 0.25, "normalised": ["a"]}, shown=[[{"role": "user"}]])
    assert store.get(store.put(made)) == made
    assert Store(store.folder).get(store.put(made)) == made


def test_equal_snapshots_are_one_file_and_different_ones_are_two(store: Store) -> None:
    keys = {store.put(snapshot()), store.put(snapshot()), store.put(snapshot(cycle=2))}
    assert len(keys) == len(list(store.folder.glob("*.zst"))) == 2


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Snapshot)])
def test_the_digest_depends_on_every_field(store: Store, field: str) -> None:
    other = {
        "writer": "w",
        "boundary": {"fired": True},
        "shown": [[]],
        "tools": [{}],
        "archive": {"t1": "x"},
        "rules_file": "x",
    }
    value = getattr(snapshot(), field)
    changed = other.get(field, value + 1 if isinstance(value, int) else type(value)())
    assert store.put(snapshot()) != store.put(snapshot(**{field: changed}))


def test_putting_what_is_there_does_not_write_it_again(store: Store) -> None:
    path = file_of(store, store.put(snapshot()))
    before = path.stat().st_mtime_ns
    store.put(snapshot())
    assert path.stat().st_mtime_ns == before


def test_the_order_of_keys_does_not_count() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1})
    assert digest({"a": 1}) != digest({"a": "1"})
    assert digest([1, 2]) != digest([2, 1])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_any_json_value_has_one_text_and_survives_it(value: object) -> None:
    import json

    try:
        text = canonical(value)
    except UnicodeEncodeError:  # a lone surrogate is no text
        return
    assert canonical(json.loads(text)) == text


def test_ten_thousand_small_changes_have_ten_thousand_digests() -> None:
    assert len({digest([n, str(n)]) for n in range(10_000)}) == 10_000


# ---- damage


def damages(whole: bytes) -> dict[str, bytes]:
    other = canonical({"format": snapshots.FORMAT, **dataclasses.asdict(snapshot(cycle=7))})
    return {
        "cut off": whole[: len(whole) // 2],
        "empty": b"",
        "no zstd": b"not compressed",
        "no json": zstandard.compress(b"{"),
        "another snapshot": zstandard.compress(other),
        "another format": zstandard.compress(canonical({"format": "standfast-snapshot/99", "new": 1})),
        "one bit": bytes([*whole[:-9], whole[-9] ^ 1, *whole[-8:]]),
    }


@pytest.mark.parametrize("damage", list(damages(b"0123456789")))
def test_a_damaged_file_raises_value_error_and_never_comes_back_as_a_snapshot(store: Store, damage: str) -> None:
    key = store.put(snapshot())
    path = file_of(store, key)
    path.write_bytes(damages(path.read_bytes())[damage])
    with pytest.raises(ValueError, match=key):
        Store(store.folder).get(key)


def test_putting_a_snapshot_again_mends_a_damaged_file(store: Store) -> None:
    key = store.put(snapshot())
    file_of(store, key).write_bytes(b"")
    assert store.put(snapshot()) == key
    assert Store(store.folder).get(key) == snapshot()


def test_a_snapshot_of_another_format_with_a_right_digest_is_refused(store: Store) -> None:
    value = {"format": "standfast-snapshot/99", "messages": []}
    store.folder.mkdir()
    file_of(store, digest(value)).write_bytes(zstandard.compress(canonical(value)))
    with pytest.raises(ValueError, match="is no standfast-snapshot"):
        store.get(digest(value))


# ---- writing whole or not at all


def test_a_write_that_dies_leaves_nothing_under_the_good_name(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(source: str, target: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", dies)
    with pytest.raises(KeyboardInterrupt):
        store.put(snapshot())
    assert not list(store.folder.glob("*.zst"))
    monkeypatch.undo()
    assert store.get(store.put(snapshot())) == snapshot()


def test_a_half_written_part_file_is_nobodys_snapshot(store: Store) -> None:
    key = store.put(snapshot())
    store.finish("c", [key])
    (store.folder / "tmpabc.part").write_bytes(b"half")
    (store.folder / "chains" / "tmpdef.part").write_bytes(b'{"chain": "d", "snap')
    assert store.finished("c") == [key]
    assert store.finished("d") is None


# ---- chains


def test_a_chain_is_finished_only_after_it_was_marked(store: Store) -> None:
    key = store.put(snapshot())
    assert store.finished("c") is None
    store.finish("c", [key])
    assert store.finished("c") == [key]
    assert Store(store.folder).finished("c") == [key]


def test_a_chain_with_a_missing_snapshot_is_unfinished(store: Store) -> None:
    keys = [store.put(snapshot(cycle=cycle)) for cycle in (0, 1)]
    store.finish("c", keys)
    file_of(store, keys[1]).unlink()
    assert store.finished("c") is None


@pytest.mark.parametrize("text", ["", '{"chain": "c", "snap', "[]", "\x00\x01"])
def test_a_chain_whose_index_is_damaged_is_unfinished(store: Store, text: str) -> None:
    store.finish("c", [store.put(snapshot())])
    (store.folder / "chains" / "c.json").write_text(text)
    assert store.finished("c") is None


def test_a_chain_that_is_finished_again_has_its_new_snapshots(store: Store) -> None:
    keys = [store.put(snapshot(cycle=cycle)) for cycle in (0, 1, 2)]
    store.finish("c", keys[:1])
    assert store.finished("c") == keys[:1]
    store.finish("c", keys)
    assert store.finished("c") == keys


# ---- boundaries


def test_a_boundary_survives_json() -> None:
    made = Boundary(fired=True, normalised=("a", "b"), summary="S", pressure=0.0)
    back = boundary_of({**dataclasses.asdict(made), "normalised": ["a", "b"]})
    assert back == made
    assert boundary_of({"fired": False}) == Boundary(fired=False)
