"""Pydantic's errors in the words of an author: the path in the data, and a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from pydantic import BaseModel, ValidationError

from .faults import did_you_mean, nearest
from .yaml_text import Where

_SAYS = {
    "string_type": "is a text",
    "int_parsing": "is a whole number",
    "int_type": "is a whole number",
    "dict_type": "is a mapping",
    "mapping_type": "is a mapping",
    "model_type": "is a mapping",
    "tuple_type": "is a list",
    "list_type": "is a list",
    "too_short": "needs at least one item",
    "string_too_short": "must not be empty",
    "string_too_long": "is too long",
}
_FORMS = {"version": "such as 1-A", "family": "such as F02", "id": "lower-case letters, digits, `-`, `.` and `_`"}


def readable(error: ValidationError, data: Any, models: Sequence[type[BaseModel]]) -> Iterator[tuple[Where, str]]:
    """The errors as path and sentence. An unknown key comes first: often it is the missing one, misspelt. `models` are
    those that the data may hold; hints come from the one that fits the place."""
    errors = sorted(error.errors(include_url=False), key=lambda each: each["type"] != "extra_forbidden")
    for where, some in groupby(errors, key=lambda each: in_data(each["loc"], data)):
        same = list(some)
        kinds = {each["type"] for each in same}
        if len(kinds) > 1 and all(kind in _SAYS or kind.endswith(("_type", "_parsing")) for kind in kinds):
            # one value tried as each member of a union
            yield where, f"`{where[-1] if where else ''}` cannot be {short(same[0]['input'])}"
        else:
            yield where, _sentence(same[0], where, data, models)


def _sentence(each: Any, where: Where, data: Any, models: Sequence[type[BaseModel]]) -> str:
    last, given, context = str(where[-1]) if where else "", each["input"], each.get("ctx", {})
    match each["type"]:
        case "extra_forbidden":
            return f"unknown key `{last}`{nearest(last, _keys_at(where, data, models))}"
        case "missing":
            return f"the key `{each['loc'][-1]}` is missing"
        case "literal_error" | "enum":
            known = [word.strip("' ") for word in str(context["expected"]).replace(" or ", ", ").split(",")]
            return f"{short(given)} is none of {', '.join(known)}{did_you_mean(str(given), known)}"
        case "string_pattern_mismatch":
            return f"{short(given)} has not the form of `{last}`, {_FORMS.get(last, context['pattern'])}"
        case "greater_than_equal":
            return f"`{last}` is {short(given)}; it is at least {context['ge']}"
        case kind if kind in _SAYS:
            scalar = isinstance(given, str | int | float | bool)
            return f"`{last}` {_SAYS[kind]}" + (f", not {short(given)}" if scalar and given != "" else "")
    return str(each["msg"]).removeprefix("Value error, ")


def short(value: Any) -> str:
    """The value as it can be quoted in a sentence."""
    text = " ".join(str(value).split())
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


def _keys_at(where: Where, data: Any, models: Sequence[type[BaseModel]]) -> set[str]:
    """The keys of the model that shares most keys with the mapping at this place."""
    for part in where[:-1]:
        data = data[part]
    there = set(data) if isinstance(data, dict) else set()
    fields = [{field.alias or name for name, field in model.model_fields.items()} for model in models]
    return max(fields, key=lambda names: (len(names & there), -len(names)), default=set())


def in_data(loc: tuple[str | int, ...], data: Any) -> Where:
    """The part of pydantic's location that exists in the data; tags of unions and validators do not."""
    where: list[str | int] = []
    for i, part in enumerate(loc):
        inside: Any = data if isinstance(data, dict) else dict(enumerate(data)) if isinstance(data, list) else {}
        if part in inside:
            where.append(part)
            data = inside[part]
        elif i == len(loc) - 1 and isinstance(data, dict) and isinstance(part, str) and part.isidentifier():
            where.append(part)
    return tuple(where)
