"""YAML as plain data: nothing is guessed, nothing can blow up, and every fault has a place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standfast.harness.faults import BadInput
from standfast.harness.yaml_text import MAX_BYTES, MAX_DEPTH, dotted, parse, read


def data(text: str) -> object:
    return parse(text, "f.yaml").data


def fault(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse(text, "f.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    "word",
    ["no", "No", "yes", "on", "off", "y", "n", "True", "FALSE", "Null", "12:30", "1:20:30", "2026-03-02",
     "2026-03-02T09:00:00+01:00", "0x1F", "0o17", "017", "1_000", "1e3", ".5", "5.", "+1", ".inf", ".nan", "=",
     "1.0.0"],
)  # fmt: skip
def test_words_that_yaml_would_guess_at_stay_text(word: str) -> None:
    assert data(f"key: {word}") == {"key": word}


@pytest.mark.parametrize(
    ("word", "value"),
    [("true", True), ("false", False), ("null", None), ("~", None), ("", None), ("0", 0), ("-7", -7), ("41.80", 41.8)],
)
def test_the_plain_words_for_true_false_null_and_numbers_are_read(word: str, value: object) -> None:
    found = data(f"key: {word}")
    assert found == {"key": value}
    assert type(found["key"]) is type(value)  # type: ignore[index]


def test_quotes_make_text_of_anything() -> None:
    assert data("a: 'true'\nb: \"5\"") == {"a": "true", "b": "5"}


@pytest.mark.parametrize("key", ["no", "1", "true", "null", "12:30", "2026-03-02"])
def test_a_key_is_always_the_word_that_stands_there(key: str) -> None:
    assert data(f"{key}: 1") == {key: 1}


def test_a_key_that_stands_twice_is_refused_with_its_line_and_path() -> None:
    said = fault("a: 1\nrules:\n  - id: x\n    text: y\n    id: z\n")
    assert said == "f.yaml:5 rules[0].id: the key `id` stands twice"


def test_the_same_key_at_other_places_is_no_repeat() -> None:
    assert data("a: {x: 1}\nb: {x: 2}") == {"a": {"x": 1}, "b": {"x": 2}}


def test_a_billion_laughs_ends_at_the_first_anchor() -> None:
    lines = ["a: &a [x, x]", *(f"{b}: &{b} [*{a}, *{a}, *{a}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True))]
    assert fault("\n".join(lines)).startswith("f.yaml:1: anchor or alias `a`")


def test_an_alias_to_itself_is_refused() -> None:
    assert "anchor or alias" in fault("a: &a [*a]")


def test_merge_keys_are_no_more_than_words() -> None:
    assert data("<<: {a: 1}") == {"<<": {"a": 1}}


@pytest.mark.parametrize("deep", ["[" * 5000, "{a: " * 500, "- " * 500 + "x", "? " * 500 + "x"])
def test_depth_is_bounded_before_anything_is_built(deep: str) -> None:
    assert f"nested deeper than {MAX_DEPTH} levels" in fault(deep)


def test_depth_up_to_the_bound_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert data(text) is not None
    assert "nested deeper" in fault(f"[{text}]")


@pytest.mark.parametrize(
    "text",
    ["x: !!int abc", "x: !!float abc", "x: !!bool abc", "x: !!timestamp abc", "x: !!binary ä", "x: !foo bar",
     "x: !!python/object/apply:os.system [ls]", "x: !!int 12x"],
)  # fmt: skip
def test_a_value_that_cannot_be_made_is_bad_input_with_its_line(text: str) -> None:
    assert fault(f"a: 1\n{text}").startswith("f.yaml:2")


@pytest.mark.parametrize(
    "text", ["x: !!timestamp 2026-01-01", "x: !!set {a, b}", "x: !!omap [a: 1]", "x: !!float .inf"]
)
def test_no_tag_brings_a_value_that_is_no_plain_data(text: str) -> None:
    try:
        found = data(text)
    except BadInput:
        return
    assert is_plain(found)


def is_plain(value: object) -> bool:
    """Text, finite numbers, true, false, null, and lists and mappings of them."""
    if isinstance(value, dict):
        return all(isinstance(k, str) and is_plain(v) for k, v in value.items())
    if isinstance(value, list):
        return all(is_plain(v) for v in value)
    if isinstance(value, float):
        return abs(value) < float("inf")
    return value is None or isinstance(value, str | bool | int)


@pytest.mark.parametrize(
    "number", ["9" * 400 + ".5", "9" * 5000, "-" + "9" * 5000], ids=["float", "integer", "negative"]
)
def test_a_number_that_python_cannot_hold_is_text_or_a_fault_but_nothing_else(number: str) -> None:
    try:
        found = data(f"x: {number}")
    except BadInput:
        return
    assert is_plain(found)


PIECES = ["a", "b: ", "- ", "\n", "  ", "&x ", "*x", "!!int ", "!!map ", "!!null ", "[", "]", "{", "}", ",", "'", '"',
          "|", ">", "? ", ": ", "# ", "---\n", "...\n", "%YAML 1.1\n", "\t", "\x07", "0", "1.5", "~", "ä",
          "<<: "]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_text_gives_plain_data_or_one_located_message(text: str) -> None:
    try:
        found, bad = data(text), None
    except BadInput as refused:
        found, bad = None, refused
    assert is_plain(found)
    if bad is not None:
        assert bad.place.startswith("f.yaml:")
        assert "\n" not in str(bad)


def test_broken_yaml_names_the_line_where_it_breaks() -> None:
    assert fault("a: 1\nb: [1, 2\nc: 3\n").startswith("f.yaml:3: is no YAML")


def test_two_documents_in_a_file_are_refused() -> None:
    assert "is no YAML" in fault("a: 1\n---\nb: 2\n")


def test_an_empty_text_is_null() -> None:
    assert data("") is None
    assert data("# nothing\n") is None


def test_every_value_has_its_line_and_an_unknown_path_the_line_of_the_nearest() -> None:
    parsed = parse("id: x\nrules:\n  - id: a\n    forbids:\n      - tool: t\n", "f.yaml")
    assert parsed.place(("rules", 0, "forbids", 0, "tool")) == "f.yaml:5 rules[0].forbids[0].tool"
    assert parsed.place(("rules", 0, "atoms", "target")) == "f.yaml:3 rules[0].atoms.target"
    assert parsed.place(("probes",)) == "f.yaml:1 probes"
    assert parsed.place(()) == "f.yaml:1"


def test_a_path_is_written_as_people_write_it() -> None:
    assert dotted(("history", "chunks", 0, 3, "calls")) == "history.chunks[0][3].calls"
    assert dotted(()) == ""


# ---- files


def read_fault(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read(path)
    return str(caught.value)


def test_a_missing_file_and_a_folder_are_bad_input(tmp_path: Path) -> None:
    assert "cannot be read" in read_fault(tmp_path / "none.yaml")
    assert "cannot be read" in read_fault(tmp_path)


def test_a_file_of_fifty_megabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.seek(50_000_000)
        file.write(b"x")
    assert f"is larger than {MAX_BYTES:,} bytes" in read_fault(path)


def test_a_file_of_exactly_the_bound_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bound.yaml"
    path.write_bytes(b"a: 1\n#" + b"x" * (MAX_BYTES - 6))
    assert read(path).data == {"a": 1}


def test_a_binary_file_and_a_file_in_another_encoding_are_told_apart(tmp_path: Path) -> None:
    binary, latin = tmp_path / "b.yaml", tmp_path / "l.yaml"
    binary.write_bytes(b"\x89PNG\r\n\x00\x01")
    latin.write_bytes("a: 1\nb: früh\n".encode("latin-1"))
    assert "is a binary file" in read_fault(binary)
    assert read_fault(latin) == f"{latin}:2: is no UTF-8 text; save the file as UTF-8"


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: |\r\n  x\r\n  y\r\n")
    assert read(path).data == {"a": 1, "b": "x\ny\n"}
