"""One small class a condition on an argument; in YAML a mapping with exactly one key.

Over a list, a condition that describes what is prohibited holds if any element fulfils it (one outside address is
enough); `inside_domain` and `at_most`, which describe what is fine, hold only if there is an element and all fulfil
them. Every `holds` raises Unreadable where the argument has no single reading.
"""

import difflib
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from .calls import Setting
from .certainty import all_hold, any_holds
from .readers import (
    Unreadable,
    elements,
    holds_word,
    read_addresses,
    read_amount,
    read_identifier,
    read_path,
    read_text,
)

_STRICT = ConfigDict(frozen=True, extra="forbid")

Scalar = bool | int | float | str
Scalars = Scalar | Annotated[tuple[Scalar, ...], Field(min_length=1)]
Texts = str | Annotated[tuple[str, ...], Field(min_length=1)]


def _are_paths(value: Any) -> Any:
    for path in _listed(value):
        read_path(path, Setting())
        if not path.startswith(("/", "~")):
            raise ValueError(f"{path!r} is relative; name the whole path")
    return value


def _are_domains(value: Any) -> Any:
    for domain in _listed(value):
        read_addresses(domain if "@" in domain else f"x@{domain}")
    return value


Paths = Annotated[Texts, AfterValidator(_are_paths)]
Domains = Annotated[Texts, AfterValidator(_are_domains)]


class Equals(BaseModel):
    """The argument is this identifier: trimmed, whatever its case, numbers by value, addresses without their names."""

    model_config = _STRICT
    equals: Scalar

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: _same(item, self.equals), _named(value, (self.equals,)))


class OneOf(BaseModel):
    """The argument is one of these identifiers."""

    model_config = _STRICT
    one_of: Annotated[tuple[Scalar, ...], Field(min_length=1)]

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: _among(item, self.one_of), _named(value, self.one_of))


class OtherThan(BaseModel):
    """The argument, or an element of it, is none of these identifiers."""

    model_config = _STRICT
    other_than: Scalars

    def holds(self, value: Any, setting: Setting) -> bool:
        wanted = _listed(self.other_than)
        return any_holds(lambda item: not _among(item, wanted), _named(value, wanted))


class Contains(BaseModel):
    """The argument's text has this word or phrase (or one of these) in it, as a whole, whatever its case."""

    model_config = _STRICT
    contains: Texts

    def holds(self, value: Any, setting: Setting) -> bool:
        words = [read_text(word) for word in _listed(self.contains)]
        return any_holds(lambda item: any(holds_word(read_text(item), word) for word in words), elements(value))


class UnderPath(BaseModel):
    """The argument is this folder or file (or one of these), or lies under it.

    >>> UnderPath(under_path="/etc/prod").holds("/etc/staging/../prod/x", Setting())
    True
    >>> UnderPath(under_path="/etc/prod").holds("/etc/production/x", Setting())
    False
    """

    model_config = _STRICT
    under_path: Paths

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: _is_under(item, _listed(self.under_path), setting), elements(value))


class OutsidePaths(BaseModel):
    """The argument, or an element of it, lies under none of these folders."""

    model_config = _STRICT
    outside_paths: Paths

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: not _is_under(item, _listed(self.outside_paths), setting), elements(value))


class InsideDomain(BaseModel):
    """There is an address, and all are of this domain (or of these; an entry with @ is that one address)."""

    model_config = _STRICT
    inside_domain: Domains

    def holds(self, value: Any, setting: Setting) -> bool:
        addresses = read_addresses(value)
        return bool(addresses) and all(_belongs(address, self.inside_domain) for address in addresses)


class OutsideDomain(BaseModel):
    """An address is of another domain than this (or than these; an entry with @ is that one address).

    A subdomain is another domain. No address at all is neither inside nor outside.

    >>> OutsideDomain(outside_domain="acme-corp.com").holds("ann@acme-corp.com.evil.io", Setting())
    True
    >>> OutsideDomain(outside_domain="acme-corp.com").holds("", Setting())
    False
    """

    model_config = _STRICT
    outside_domain: Domains

    def holds(self, value: Any, setting: Setting) -> bool:
        def outside(item: Any) -> bool:
            return any(not _belongs(address, self.outside_domain) for address in read_addresses(item))

        return any_holds(outside, elements(value))


class Above(BaseModel):
    """The argument is an amount above this one."""

    model_config = _STRICT
    above: Decimal

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: read_amount(item) > self.above, elements(value))


class AtMost(BaseModel):
    """The argument is an amount that is not above this one."""

    model_config = _STRICT
    at_most: Decimal

    def holds(self, value: Any, setting: Setting) -> bool:
        items = elements(value)
        return bool(items) and all_hold(lambda item: read_amount(item) <= self.at_most, items)


def _listed(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _named(value: Any, wanted: tuple[Scalar, ...]) -> Sequence[Any]:
    """What is compared: the addresses in the value where mail addresses are wanted, else its elements."""
    return read_addresses(value) if all(_is_address(one) for one in wanted) else elements(value)


def _is_address(value: Scalar) -> bool:
    try:
        return "@" in str(value) and len(read_addresses(value)) == 1
    except Unreadable:
        return False


def _among(value: Any, wanted: tuple[Scalar, ...]) -> bool:
    return any_holds(lambda one: _same(value, one), wanted)


def _same(value: Any, wanted: Scalar) -> bool:
    """Equal or not; raises where the identifier stands among other words, as in `invoice 4475` or `4475, 4480`."""
    found, sought = read_identifier(value), read_identifier(wanted)
    if found == sought:
        return True
    numeric = _is_number(found) and _is_number(sought)
    has_digit = any(character.isdigit() for character in sought)
    words = found if has_digit else f" {' '.join(word.strip('.,:()') for word in found.split())} "
    inside = holds_word(words, sought) if has_digit else f" {sought} " in words
    if inside and not numeric:
        raise Unreadable(f"{value!r} is not {wanted!r}, but has it in it")
    return False


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except ArithmeticError:
        return False


def _is_under(value: Any, folders: tuple[str, ...], setting: Setting) -> bool:
    path = read_path(value, setting)
    roots = [read_path(folder, setting) for folder in folders]
    if any(_lies_under(path, root) for root in roots):
        return True
    # On some file systems /ETC/prod is /etc/prod; a silent miss there would count as obedience.
    if any(_lies_under(_lookalike(path), _lookalike(root)) for root in roots):
        raise Unreadable(f"{value!r} differs from a named path only in case or script")
    return False


def _lies_under(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _lookalike(path: str) -> str:
    return unicodedata.normalize("NFKC", path).casefold()


def _belongs(address: str, domains: Any) -> bool:
    wanted = {domain.strip().lower().removesuffix(".") for domain in _listed(domains)}
    return address in wanted or address.rpartition("@")[2] in wanted


AnyCondition = (
    Equals | OneOf | OtherThan | Contains | UnderPath | OutsidePaths | InsideDomain | OutsideDomain | Above | AtMost
)
KEYS = tuple(next(iter(kind.model_fields)) for kind in get_args(AnyCondition))


def _key_of(value: Any) -> str | None:
    if isinstance(value, dict):
        return next(iter(value), None)
    return next(iter(type(value).model_fields), None) if isinstance(value, BaseModel) else None


def _one_known_key(value: Any) -> Any:
    if isinstance(value, BaseModel) or (isinstance(value, dict) and len(value) == 1 and _key_of(value) in KEYS):
        return value
    text = f"a condition has exactly one key, of {', '.join(KEYS)}"
    names = [str(key) for key in value] if isinstance(value, dict) else []
    near = [match for name in names if name not in KEYS for match in difflib.get_close_matches(name, KEYS, 1)]
    hint = f"; did you mean `{near[0]}`?" if near else ""
    raise PydanticCustomError("condition", "{text}{hint}", {"text": text, "hint": hint})


Condition = Annotated[
    Annotated[Equals, Tag("equals")]
    | Annotated[OneOf, Tag("one_of")]
    | Annotated[OtherThan, Tag("other_than")]
    | Annotated[Contains, Tag("contains")]
    | Annotated[UnderPath, Tag("under_path")]
    | Annotated[OutsidePaths, Tag("outside_paths")]
    | Annotated[InsideDomain, Tag("inside_domain")]
    | Annotated[OutsideDomain, Tag("outside_domain")]
    | Annotated[Above, Tag("above")]
    | Annotated[AtMost, Tag("at_most")],
    Discriminator(_key_of),
    BeforeValidator(_one_known_key),
]
