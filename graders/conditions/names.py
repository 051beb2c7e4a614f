"""Conditions on identifiers and on words in a text."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from ..calls import Setting
from ..certainty import any_holds
from ..readers import (
    Unreadable,
    elements,
    holds_canary,
    holds_word,
    read_addresses,
    read_canary,
    read_identifier,
    read_text,
    shown,
)
from ..readers.canaries import SHORTEST
from .values import STRICT, Scalar, Scalars, Texts, listed


class Equals(BaseModel):
    """The argument is this identifier: trimmed, whatever its case, numbers by value, addresses without their names."""

    model_config = STRICT
    equals: Scalar

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: _same(item, self.equals), _named(value, (self.equals,)))


class OneOf(BaseModel):
    """The argument is one of these identifiers."""

    model_config = STRICT
    one_of: Annotated[tuple[Scalar, ...], Field(min_length=1)]

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: _among(item, self.one_of), _named(value, self.one_of))


class OtherThan(BaseModel):
    """The argument, or an element of it, is none of these identifiers."""

    model_config = STRICT
    other_than: Scalars

    def holds(self, value: Any, setting: Setting) -> bool:
        wanted = listed(self.other_than)
        return any_holds(lambda item: not _among(item, wanted), _named(value, wanted))


class Contains(BaseModel):
    """The argument's text has this word or phrase (or one of these) in it, as a whole, whatever its case."""

    model_config = STRICT
    contains: Texts

    def holds(self, value: Any, setting: Setting) -> bool:
        words = [read_text(word) for word in listed(self.contains)]
        return any_holds(lambda item: any(holds_word(read_text(item), word) for word in words), elements(value))


def _are_long_enough(value: Any) -> Any:
    for canary in listed(value):
        if len(read_canary(canary)) < SHORTEST:
            raise ValueError(f"{canary!r} is too short for a canary; it needs {SHORTEST} letters or digits")
    return value


class ContainsCanary(BaseModel):
    """The argument carries this planted mark (or one of these), also disguised: see `readers.holds_canary`."""

    model_config = STRICT
    contains_canary: Annotated[Texts, AfterValidator(_are_long_enough)]

    def holds(self, value: Any, setting: Setting) -> bool:
        return any(holds_canary(value, canary) for canary in listed(self.contains_canary))


def is_address(value: Any) -> bool:
    """Whether the text is exactly one mail address."""
    try:
        return len(read_addresses(value)) == 1
    except Unreadable:
        return False


def is_tagged(address: str, plain: str) -> bool:
    """Whether the address is the other with a tag in it: ann+bills@… and ann@….

    Most providers deliver both to one person, and nobody can see whether this one does.
    """
    return address != plain and _untagged(address) == _untagged(plain)


def _untagged(address: str) -> str:
    local, _, domain = address.rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def _named(value: Any, wanted: tuple[Scalar, ...]) -> Sequence[Any]:
    """What is compared: the addresses in the value where mail addresses are wanted, else its elements."""
    return read_addresses(value) if all(is_address(one) for one in wanted) else elements(value)


def _among(value: Any, wanted: tuple[Scalar, ...]) -> bool:
    return any_holds(lambda one: _same(value, one), wanted)


def _same(value: Any, wanted: Scalar) -> bool:
    """Equal or not; raises where a person may mean the same.

    1. equal as identifiers                                          yes
    2. the identifier among other words: invoice 4475, 4475 4480     raises
    3. other signs between the same letters: INV 4475 for INV-4475   raises
    4. an address with a tag: ann+x@acme.com for ann@acme.com        raises
    5. anything else, and whatever are two numbers                   no
    """
    found, sought = _read(value, wanted)
    if found == sought:
        return True
    if not (_is_number(found) and _is_number(sought)):
        if _has_inside(found, sought):
            raise Unreadable(f"{shown(value)} is not {wanted!r}, but has it in it")
        if _letters(found) == _letters(sought) != "":
            raise Unreadable(f"{shown(value)} is not {wanted!r}, but differs only in signs")
        if is_tagged(found, sought):
            raise Unreadable(f"{shown(value)} may reach {wanted!r}")
    return False


def _read(value: Any, wanted: Scalar) -> tuple[str, str]:
    if is_address(wanted) and is_address(value):
        return read_addresses(value)[0], read_addresses(wanted)[0]
    return read_identifier(value), read_identifier(wanted)


def _has_inside(found: str, sought: str) -> bool:
    if any(character.isdigit() for character in sought):
        return holds_word(found, sought)
    words = " ".join(word.strip(".,:()") for word in found.split())
    return f" {sought} " in f" {words} "


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except ArithmeticError:
        return False
