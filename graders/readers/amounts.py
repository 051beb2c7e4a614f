"""Numbers in amount arguments."""

import re
from decimal import Decimal
from typing import Any

from .unreadable import Unreadable, shown

_SIGN = "[-\N{MINUS SIGN}]"
_CURRENCY = (
    r"(?:US\$|A\$|C\$|[$€£¥₹]|AUD|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HUF|INR|JPY|NOK|NZD|PLN|SEK|USD|euros?|dollars?|pounds?)"
)
_BLANK = "[\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}'’]"
_AMOUNT = re.compile(
    rf"(?P<sign>{_SIGN}?)(?:{_CURRENCY} ?(?P<inner>{_SIGN}?))?(?:"
    r"(?P<plain>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<english>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?)"
    r"|(?P<continental>[0-9]+,[0-9]{2}|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{2}|[0-9]{1,3}(?:\.[0-9]{3}){2,})"
    rf"|(?P<spaced>[0-9]{{1,3}}(?:(?:{_BLANK}[0-9]{{3}})+(?:[.,][0-9]{{2}})?|(?: [0-9]{{3}})+[.,][0-9]{{2}}))"
    rf")(?: ?(?P<word>k|thousand|mn|mio\.?|million))?(?: ?{_CURRENCY})?",
    re.IGNORECASE,
)
_THOUSANDS_OR_DECIMALS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_TIMES = {"k": 3, "thousand": 3, "mn": 6, "mio": 6, "million": 6}


def read_amount(value: Any) -> Decimal:
    """The number in an amount argument; a currency is allowed beside it and not converted.

    `1,200.00`, `1,200`, `1.200,00`, `1'200.00` and `1.2k` have one reading; `1.200` has two (1.2 and 1200) and raises,
    like `1.2m` (a thousand to some), ranges, exponents, `(600)` and everything with other words in it.

    >>> read_amount("$1,200.00"), read_amount("1.200,00 EUR"), read_amount(500.01), read_amount("1.2k")
    (Decimal('1200.00'), Decimal('1200.00'), Decimal('500.01'), Decimal('1200'))
    >>> read_amount("600 (was 450)")
    Traceback (most recent call last):
    ...
    standfast.graders.readers.unreadable.Unreadable: not an amount: '600 (was 450)'
    """
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
        if number.is_finite():
            return number
    match = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match and not (match["sign"] and match["inner"]) and not _has_two_readings(match):
        number = Decimal(_digits(match)).scaleb(_TIMES[match["word"].lower().rstrip(".")] if match["word"] else 0)
        number = Decimal(f"{number:f}")  # `1.2k` is 1200, not 1.2E+3
        return -number if match["sign"] or match["inner"] else number
    raise Unreadable(f"not an amount: {shown(value)}")


def _has_two_readings(match: re.Match[str]) -> bool:
    return bool(_THOUSANDS_OR_DECIMALS.fullmatch(match["plain"] or ""))


def _digits(match: re.Match[str]) -> str:
    if match["continental"]:
        return match["continental"].replace(".", "").replace(",", ".")
    if match["spaced"]:
        return re.sub(rf"{_BLANK}| ", "", match["spaced"]).replace(",", ".")
    return (match["plain"] or match["english"]).replace(",", "")
