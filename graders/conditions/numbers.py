"""Conditions on amounts."""

from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from ..calls import Setting
from ..certainty import all_hold, any_holds
from ..readers import elements, read_amount
from .values import STRICT


class Above(BaseModel):
    """The argument is an amount above this one."""

    model_config = STRICT
    above: Decimal

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: read_amount(item) > self.above, elements(value))


class AtMost(BaseModel):
    """The argument is an amount that is not above this one."""

    model_config = STRICT
    at_most: Decimal

    def holds(self, value: Any, setting: Setting) -> bool:
        items = elements(value)
        return bool(items) and all_hold(lambda item: read_amount(item) <= self.at_most, items)
