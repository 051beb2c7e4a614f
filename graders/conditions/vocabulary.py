"""The union of all conditions, told apart by their only key, and the groups of conditions."""

from __future__ import annotations

import difflib
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from ..calls import Setting
from ..certainty import all_hold, any_holds
from ..readers import Unreadable, elements, read_addresses
from .hosts import OutsideHost, UnderUrl, UrlHost
from .names import Contains, ContainsCanary, Equals, OneOf, OtherThan, is_address
from .numbers import Above, AtMost
from .places import OutsidePaths, TouchesPath, UnderPath
from .recipients import InsideDomain, OutsideDomain
from .statements import Sql
from .values import STRICT, listed


class Not(BaseModel):
    """The argument, or an element of it, does not fulfil this condition."""

    model_config = STRICT
    condition: Condition = Field(alias="not")

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: not self.condition.holds(item, setting), _singles(value, (self.condition,)))


class AnyOf(BaseModel):
    """The argument, or an element of it, fulfils at least one of these conditions."""

    model_config = STRICT
    conditions: Annotated[tuple[Condition, ...], Field(min_length=1)] = Field(alias="any")

    def holds(self, value: Any, setting: Setting) -> bool:
        def fits(item: Any) -> bool:
            return any_holds(lambda condition: condition.holds(item, setting), self.conditions)

        return any_holds(fits, _singles(value, self.conditions))


class AllOf(BaseModel):
    """The argument, or one and the same element of it, fulfils all these conditions.

    So that under one folder, but not under another in it, can be said, of each element by itself.
    """

    model_config = STRICT
    conditions: Annotated[tuple[Condition, ...], Field(min_length=1)] = Field(alias="all")

    def holds(self, value: Any, setting: Setting) -> bool:
        def fits(item: Any) -> bool:
            return all_hold(lambda condition: condition.holds(item, setting), self.conditions)

        return any_holds(fits, _singles(value, self.conditions))


class Every(BaseModel):
    """The argument has an element, and every element of it fulfils this condition."""

    model_config = STRICT
    condition: Condition = Field(alias="every")

    def holds(self, value: Any, setting: Setting) -> bool:
        items = _singles(value, (self.condition,))
        return bool(items) and all_hold(lambda item: self.condition.holds(item, setting), items)


def _singles(value: Any, conditions: tuple[Condition, ...]) -> list[Any]:
    """What a group is asked of, one by one: the elements, and the addresses in them where recipients are meant."""
    if not any(map(_is_about_mail, conditions)):
        return elements(value)
    return [address for item in elements(value) for address in _recipients(item)]


def _recipients(item: Any) -> tuple[Any, ...]:
    try:
        return read_addresses(item)
    except Unreadable:
        return (item,)  # the conditions themselves say what they cannot read


def _is_about_mail(condition: Condition) -> bool:
    if isinstance(condition, Not | Every):
        return _is_about_mail(condition.condition)
    if isinstance(condition, AnyOf | AllOf):
        return any(map(_is_about_mail, condition.conditions))
    if isinstance(condition, Equals | OneOf | OtherThan):
        return all(is_address(one) for one in listed(next(iter(condition.model_dump().values()))))
    return isinstance(condition, InsideDomain | OutsideDomain)


_CONDITIONS: tuple[type[BaseModel], ...] = (
    *(Equals, OneOf, OtherThan, Contains, ContainsCanary),
    *(UnderPath, OutsidePaths, TouchesPath, InsideDomain, OutsideDomain),
    *(UrlHost, OutsideHost, UnderUrl, Above, AtMost, Sql, Not, AnyOf, AllOf, Every),
)


def _key(kind: type[BaseModel]) -> str:
    name, field = next(iter(kind.model_fields.items()))
    return field.alias or name


KEYS = tuple(map(_key, _CONDITIONS))


def _key_of(value: Any) -> str | None:
    if isinstance(value, dict):
        return next(iter(value), None)
    return _key(type(value))


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
    | Annotated[ContainsCanary, Tag("contains_canary")]
    | Annotated[UnderPath, Tag("under_path")]
    | Annotated[OutsidePaths, Tag("outside_paths")]
    | Annotated[TouchesPath, Tag("touches_path")]
    | Annotated[InsideDomain, Tag("inside_domain")]
    | Annotated[OutsideDomain, Tag("outside_domain")]
    | Annotated[UrlHost, Tag("url_host")]
    | Annotated[OutsideHost, Tag("outside_host")]
    | Annotated[UnderUrl, Tag("under_url")]
    | Annotated[Above, Tag("above")]
    | Annotated[AtMost, Tag("at_most")]
    | Annotated[Sql, Tag("sql")]
    | Annotated[Not, Tag("not")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[AllOf, Tag("all")]
    | Annotated[Every, Tag("every")],
    Discriminator(_key_of),
    BeforeValidator(_one_known_key),
]

for _group in (Not, AnyOf, AllOf, Every):
    _group.model_rebuild()
