"""What another seed changes in a scenario: names, numbers and dates, so that a remembered answer is of no help.

Seed 1 is the file as it stands. Every other seed renames what the file's `varies` lists, all through it, by a pure
function of file and seed: no random generator, whose sequence another Python might change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .faults import did_you_mean
from .namepools import pool
from .texts import strings

AS_WRITTEN = 1
LETTER = r"[^\W\d_]"
SPACED = r"[0-9A-Za-z\u00c0-\u024f]"  # letters and digits of scripts that put blanks between words
FIXED = ("id", "family", "version", "title", "about", "canary", "language", "domain", "varies")
_MARK = re.compile(r"(\{(?:rule|lifted):[^}]*\})")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_CODE = re.compile(r"(.*?)(\d+)", re.DOTALL)


class Varies(BaseModel):
    """What may change; everything else stays."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    people: tuple[str, ...] = Field(default=(), description="given names")
    families: tuple[str, ...] = Field(default=(), description="family names")
    words: tuple[str, ...] = Field(
        default=(), description="made-up words that stand in names of companies, hosts, projects"
    )
    numbers: tuple[tuple[str, ...], ...] = Field(
        default=(),
        description="identifiers by their last digits; those of one list move together, so order and length stay",
    )
    together: tuple[dict[str, tuple[str, ...]], ...] = Field(
        default=(), description="written forms with their alternatives; those at the same place belong together"
    )

    @model_validator(mode="after")
    def _reads(self) -> Varies:
        for code in (code for codes in self.numbers for code in codes):
            if not _CODE.fullmatch(code) or len(code) < 3:
                raise ValueError(
                    f"`{code}` under `numbers` does not end with a number, or is shorter than 3 characters"
                )
        for group in self.together:
            if not group or len({len(others) for others in group.values()}) != 1 or () in group.values():
                raise ValueError("forms that change together have as many alternatives each, and one at least")
        return self

    def listed(self) -> list[str]:
        """Everything that is said to vary, as the file writes it."""
        codes = [code for codes in self.numbers for code in codes]
        return [*self.people, *self.families, *self.words, *codes, *(form for group in self.together for form in group)]


def missing(varies: Varies, data: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each listed form that the file does not use."""
    texts = "\n".join(_said(data))
    numbers = set(_numbers(data))
    tokens = set(re.findall(r"[\w-]+", texts))
    for form in varies.listed():
        if not _pattern([form]).search(texts) and not (_NUMBER.fullmatch(form) and float(form) in numbers):
            yield f"`{form}` stands nowhere in the file{did_you_mean(form, tokens)}"


def vary(data: dict[str, Any], varies: Varies, seed: int, language: str = "en") -> dict[str, Any]:
    """The scenario's data under a seed, without `varies`. Seed 1, or nothing to vary: as it stands."""
    rest = {key: value for key, value in data.items() if key != "varies"}
    if seed == AS_WRITTEN or not varies.listed():
        return rest
    renamed = _renaming(rest, varies, seed, language)
    pattern = _pattern(renamed)

    def change(text: str) -> str:
        parts = _MARK.split(text)  # every second one is a mark
        return "".join(
            part if i % 2 else pattern.sub(lambda found: _like(found[0], renamed), part) for i, part in enumerate(parts)
        )

    numbers = {float(form): other for form, other in renamed.items() if _NUMBER.fullmatch(form)}
    return {key: value if key in FIXED else _changed(value, (key,), change, numbers) for key, value in rest.items()}


def _changed(value: Any, where: tuple[str, ...], change: Callable[[str], str], numbers: Mapping[float, str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        in_world = where[:2] == ("world", "start")
        return {
            (change(key) if in_world else key): item
            if _is_name(where, key)
            else _changed(item, (*where, key), change, numbers)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_changed(item, where, change, numbers) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and float(value) in numbers:
        other = numbers[float(value)]
        return int(other) if isinstance(value, int) and other.isdigit() else float(other)
    return value


def _is_name(where: tuple[str, ...], key: str) -> bool:
    """Whether the value is a name inside the file (ids, references), which rows of all seeds share."""
    return where in (("rules",), ("subtasks",), ("probes",)) and key in ("id", "rule")


def _renaming(data: Mapping[str, Any], varies: Varies, seed: int, language: str) -> dict[str, str]:
    """Form to other form, for every listed one."""
    taken = {word.casefold() for text in _said(data) for word in re.findall(rf"{LETTER}+", text)}
    key = f"{data.get('id')}|{seed}"
    renamed: dict[str, str] = {}
    for kind in ("people", "families", "words"):
        for name in getattr(varies, kind):
            free = [each for each in pool(kind, name, language) if each.casefold() not in taken]
            renamed[name] = min(free, key=lambda each: _rank(f"{key}|{name}|{each}"))
            taken.add(renamed[name].casefold())
    whole = "\n".join(_said(data))
    for codes in varies.numbers:
        renamed |= _moved(codes, whole, f"{key}|{codes[0]}")
    for group in varies.together:
        count = len(next(iter(group.values())))
        choice = int(_rank(f"{key}|{next(iter(group))}"), 16) % count
        renamed |= {form: others[choice] for form, others in group.items()}
    return renamed


def _moved(codes: tuple[str, ...], text: str, key: str) -> dict[str, str]:
    """The codes with one offset on their last digits: the first by rank that keeps lengths and meets nothing else."""
    split = [(match[1], match[2]) for code in codes if (match := _CODE.fullmatch(code))]
    lowest = max(
        -int(digits) + (10 ** (len(digits) - 1) if digits[0] != "0" and len(digits) > 1 else 0) for _, digits in split
    )
    highest = min(10 ** len(digits) - 1 - int(digits) for _, digits in split)
    span = highest - lowest + 1
    for attempt in range(200):
        offset = lowest + int(_rank(f"{key}|{attempt}"), 16) % span
        moved = {
            code: prefix + str(int(digits) + offset).zfill(len(digits))
            for code, (prefix, digits) in zip(codes, split, strict=True)
        }
        if offset and not any(other not in codes and _pattern([other]).search(text) for other in moved.values()):
            return moved
    raise ValueError(f"there is no room to move {', '.join(codes)}: every other number stands in the file")


def _rank(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _pattern(forms: Iterable[str]) -> re.Pattern[str]:
    """What finds the forms as whole words in any case, the longest first."""
    return re.compile("|".join(_bounded(each) for each in sorted(forms, key=lambda each: (-len(each), each))), re.I)


def _bounded(form: str) -> str:
    """The form where it is not part of a longer word or number; scripts without spaces set no such bounds."""
    before = rf"(?<!{SPACED})(?<!\d[.,:])" if form[0].isdigit() else rf"(?<!{SPACED})" if _is_spaced(form[0]) else ""
    after = (
        rf"(?!{SPACED})(?![.,:]\d)" if form[-1].isdigit() else rf"(?=s?(?!{SPACED}))" if _is_spaced(form[-1]) else ""
    )
    return before + re.escape(form) + after


def _is_spaced(letter: str) -> bool:
    return re.fullmatch(SPACED, letter) is not None


def _like(found: str, renamed: Mapping[str, str]) -> str:
    """The other form, in the case of the one that was found."""
    if found in renamed:
        return renamed[found]
    form = next(form for form in renamed if form.casefold() == found.casefold())
    other = renamed[form]
    return other.lower() if found.islower() else other.upper() if found.isupper() else other.title()


def _said(data: Mapping[str, Any]) -> Iterator[str]:
    """The texts that may change, and the names in the world's data."""
    for key, value in data.items():
        if key not in FIXED:
            yield from strings(value)
    yield from _keys(data.get("world"))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
