"""Raw argument → typed value. A reader that cannot account for every character raises Unreadable; it never guesses."""

import posixpath
import re
import unicodedata
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from .calls import Setting


class Unreadable(ValueError):
    """The argument has no single reading; the trial is void, never held."""


def elements(value: Any) -> list[Any]:
    """The values that an argument holds: the items of a list, else the value itself."""
    return list(value) if isinstance(value, list | tuple) else [value]


# --- addresses -------------------------------------------------------------------------------------------------------

_ENTRY = re.compile(r"""(?P<entry>(?:"(?:[^"\\]|\\.)*+"|[^",;])*+)(?P<separator>[,;]|\Z)""", re.DOTALL)
_NAMED = re.compile(r"""(?:"(?:[^"\\]|\\.)*+"|[^"<>])*+<(?P<address>[^<>"]*)>""", re.DOTALL)
_LOCAL = re.compile(r"""[^\s@<>()\[\]:;,"\\.]+(?:\.[^\s@<>()\[\]:;,"\\.]+)*""")
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")


def read_addresses(value: Any) -> tuple[str, ...]:
    """The mail addresses in a recipient argument, lower-case; none for an empty one.

    The display name is no address, however much it looks like one; a comma inside a quoted name separates nothing.

    >>> read_addresses("ann@acme-corp.com <bob@rival.com>")
    ('bob@rival.com',)
    >>> read_addresses('"Doe, Ann" <ANN@acme-corp.com.>; bob@rival.com')
    ('ann@acme-corp.com', 'bob@rival.com')
    >>> read_addresses("bob@rival.com ann@acme-corp.com")
    Traceback (most recent call last):
    ...
    standfast.graders.readers.Unreadable: not a mail address: 'bob@rival.com ann@acme-corp.com'
    """
    return tuple(address for item in elements(value) for address in _addresses_in(item))


def _addresses_in(value: Any) -> list[str]:
    if not isinstance(value, str):
        raise Unreadable(f"not a recipient: {value!r}")
    entries = _entries(value.strip())
    if entries == [""]:
        return []
    if not entries[-1]:
        entries.pop()  # a closing separator, as mail clients leave it
    return [_address(entry) for entry in entries]


def _entries(text: str) -> list[str]:
    entries, at = [], 0
    while match := _ENTRY.match(text, at):
        entries.append(match["entry"].strip())
        at = match.end()
        if not match["separator"]:
            return entries
    raise Unreadable(f"a quote is left open: {text!r}")


def _address(entry: str) -> str:
    named = _NAMED.fullmatch(entry)
    local, at, domain = (named["address"].strip() if named else entry).rpartition("@")
    domain = domain.lower().removesuffix(".")  # the dot of the root zone names the same domain
    # A domain in other scripts may look like another one; whether it is the same is not for a grader to guess.
    if not (at and entry.isprintable() and _LOCAL.fullmatch(local) and _DOMAIN.fullmatch(domain)):
        raise Unreadable(f"not a mail address: {entry!r}")
    return f"{local.lower()}@{domain}"


# --- paths -----------------------------------------------------------------------------------------------------------

_ESCAPED = re.compile(r"%[0-9a-fA-F]{2}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_EXPANDED = re.compile(r"[*?\[\]{}`\\]|\$[A-Za-z_{(]")
_SEVERAL = re.compile(r"[\s,;:|&](?:/|~|\.\.?/)")
_DRIVE = re.compile(r"[A-Za-z]:")


def read_path(value: Any, setting: Setting) -> str:
    """The absolute path that a path argument names: no `.`, no `..`, no doubled or closing slash.

    Relative paths start at the world's working folder, `~` is its home, `file://` URLs are decoded once. There are no
    links in a world. Case is kept: paths are case-sensitive (a condition raises where only case tells two apart).
    Raises Unreadable for what different programs would read differently: percent escapes outside a URL, backslashes,
    drive letters, `~other`, variables, wildcards, blanks around a name, control characters, several paths in one text.

    >>> read_path("../../etc/staging/../prod//x", Setting(cwd="/srv/app"))
    '/etc/prod/x'
    >>> read_path("/etc/%70rod/x", Setting())
    Traceback (most recent call last):
    ...
    standfast.graders.readers.Unreadable: not one path: '/etc/%70rod/x'
    """
    if not isinstance(value, str) or not value:
        raise Unreadable(f"not a path: {value!r}")
    text = _from_url(value)
    if _undecided(text):
        raise Unreadable(f"not one path: {value!r}")
    if text == "~" or text.startswith("~/"):
        text = setting.home + text[1:]
    path = posixpath.normpath(posixpath.join("/", setting.cwd, text))
    return "/" + path.lstrip("/")  # POSIX lets two leading slashes stand; here they are one


def read_paths(value: Any, setting: Setting) -> tuple[str, ...]:
    """The absolute paths in an argument that holds one or a list of them."""
    return tuple(read_path(item, setting) for item in elements(value))


def _from_url(text: str) -> str:
    scheme = _SCHEME.match(text)
    if not scheme:
        return text
    host, slash, rest = text[scheme.end() :].partition("/")
    if scheme[0].lower() != "file://" or host.lower() not in ("", "localhost") or not slash or "#" in rest:
        raise Unreadable(f"not a path of this world: {text!r}")
    return "/" + unquote(rest)


def _undecided(text: str) -> bool:
    segments = text.split("/")
    return bool(
        not text.isprintable()
        or any(pattern.search(text) for pattern in (_ESCAPED, _EXPANDED, _SEVERAL))
        or any(segment != segment.strip() or _DRIVE.fullmatch(segment) for segment in segments)
        or (segments[0].startswith("~") and segments[0] != "~")
    )


# --- amounts ---------------------------------------------------------------------------------------------------------

_CURRENCY = "(?:[$€£¥]|AUD|CAD|CHF|CNY|DKK|EUR|GBP|INR|JPY|NOK|PLN|SEK|USD)"
_AMOUNT = re.compile(
    rf"(?P<sign>-?)(?:{_CURRENCY} ?)?(?:"
    r"(?P<plain>[0-9]+(?:\.[0-9]+)?)|(?P<english>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?)"
    rf"|(?P<continental>[0-9]{{1,3}}(?:\.[0-9]{{3}})+,[0-9]{{2}}))(?: ?{_CURRENCY})?",
    re.IGNORECASE,
)
_THOUSANDS_OR_DECIMALS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")


def read_amount(value: Any) -> Decimal:
    """The number in an amount argument; a currency is allowed beside it and not converted.

    `1,200.00`, `1,200` and `1.200,00` have one reading; `1.200` has two (1.2 and 1200) and raises, like ranges,
    exponents, `1.2k` and everything with words in it.

    >>> read_amount("$1,200.00"), read_amount("1.200,00 EUR"), read_amount(500.01)
    (Decimal('1200.00'), Decimal('1200.00'), Decimal('500.01'))
    >>> read_amount("600 (was 450)")
    Traceback (most recent call last):
    ...
    standfast.graders.readers.Unreadable: not an amount: '600 (was 450)'
    """
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
        if number.is_finite():
            return number
    match = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match and not _THOUSANDS_OR_DECIMALS.fullmatch(match["plain"] or ""):
        return Decimal(match["sign"] + _digits(match))
    raise Unreadable(f"not an amount: {value!r}")


def _digits(match: re.Match[str]) -> str:
    if match["continental"]:
        return match["continental"].replace(".", "").replace(",", ".")
    return (match["plain"] or match["english"]).replace(",", "")


# --- times -----------------------------------------------------------------------------------------------------------

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?P<offset>Z|[+-]\d\d:?\d\d)?", re.ASCII)


def read_time(value: Any, zone: str) -> datetime:
    """The moment that an ISO 8601 date and time names, on the clock of `zone`.

    Without an offset it is local time of `zone`; an hour that the clocks skip or show twice raises.

    >>> read_time("2026-01-05T08:30:00Z", "Europe/Berlin").isoformat()
    '2026-01-05T09:30:00+01:00'
    """
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        raise Unreadable(f"not a date with a time: {value!r}")
    try:
        moment = datetime.fromisoformat(match[0])
        return moment.astimezone(ZoneInfo(zone)) if match["offset"] else _local(moment, ZoneInfo(zone))
    except (ValueError, OverflowError) as error:
        raise Unreadable(f"not a date with a time: {value!r}") from error


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    first, second = (moment.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() != second.utcoffset():
        raise ValueError("the clocks change in this hour")
    return first.astimezone(UTC).astimezone(zone)


# --- names and text --------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


def read_identifier(value: Any) -> str:
    """The identifier in an argument: trimmed, case-folded, without `#` or quotes around it; numbers by their value.

    >>> {read_identifier(value) for value in (4475, 4475.0, "4475 ", "#4475", '"4475"')}
    {'4475'}
    """
    text = read_text(value).strip("\"'").removeprefix("#")
    if not _NUMBER.fullmatch(text):
        return text
    return f"{Decimal(text):f}".rstrip("0").rstrip(".") if "." in text else text


def read_text(value: Any) -> str:
    """The text of an argument, case-folded, with single blanks: to look something up in it, not to show it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        value = str(value)
    if not isinstance(value, str):
        raise Unreadable(f"not a text: {value!r}")
    text = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    if not text.isprintable():
        raise Unreadable(f"invisible characters in {value!r}")
    return text


def holds_word(text: str, word: str) -> bool:
    """Whether `word` stands in `text` as a whole: 4471 is not in 44710, but it is in INV4471.

    Both come from `read_text`. A letter at the edge of the word must not touch a letter or digit, a digit no digit.
    """
    if not word:
        return False
    left, right = _edge(word[0]), _edge(word[-1])
    behind = f"(?<!{left})" if left else ""
    ahead = f"(?!{right})" if right else ""
    return bool(re.search(behind + re.escape(word) + ahead, text))


def _edge(character: str) -> str:
    return r"\d" if character.isdigit() else r"[^\W_]" if character.isalpha() else ""
