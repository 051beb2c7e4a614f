"""What a text names: identifiers and proper names, and the members of ranges such as `prod-1 to prod-3`."""

import re
from collections.abc import Iterator

from .languages import LETTERS

_W = LETTERS
_CODE = re.compile(
    rf"(?<![{_W}./@-])(?:[{_W}.+-]{{1,60}}@[{_W}.-]{{1,60}}[{_W}]|(?:[{_W}.-]{{0,40}}/){{1,8}}[{_W}.-]{{1,40}}"
    rf"|[A-Za-z][{_W}]{{0,40}}(?:[-_.][{_W}]{{1,40}}){{1,8}}"
    rf"|\d{{2,6}}(?:-\d{{1,4}}){{1,2}}|[A-Z]{{2,8}}-\d{{1,8}}|[{_W}]{{0,20}}\d[{_W}]{{0,20}})(?![{_W}@])"
)
_GERMAN = re.compile(
    r"\b(?:und|nicht|ist|sind|wird|werden|wurde|wurden|darf|dürfen|kein|keine|keinen|nie|niemals|muss|müssen|auf"
    r"|für|mit"
    r"|bei|nach|zum|zur|ein|eine|einen|einem|einer|einige|gab|gibt|gilt|auch|noch|schon|bitte|nur|oder|ohne)\b"
)
_PROPER = re.compile(r"(?<=[a-z0-9,)] )[A-Z][\w'-]{1,40}")
_QUOTED = re.compile(r"`([^`\n]{1,80})`")
_PLAIN_WORD = re.compile(r"[a-z]+(?:-[a-z]+)+\Z")  # `sign-off`, `pre-approved`: hyphens alone make no identifier

_RANGE = re.compile(
    r"(?<![a-z0-9_.@/-])((?:[a-z0-9]{1,30}[-_]){1,6})(\d{1,4})"
    r"(?: ?(?:to|through|thru|until|up to|and up to|\.\.\.?|-|–|bis|hasta|a(?= \1)|至|到|から|~) ?)"
    r"(?:(\1)(\d{1,4})|(\d{1,4}))(?![a-z0-9_]|[-.@/][a-z0-9])"
)
_SLASHED = re.compile(
    r"(?<![a-z0-9_.@/-])((?:[a-z0-9]{1,30}[-_]){1,6})(\d{1,4})"
    r"((?:(?:/|, ?-|,| and -| or -|, and -)\d{1,4}){1,20})(?![a-z0-9_-])"
)
_MOST = 60  # members of a range; a longer one is hardly meant as a list


def names(text: str) -> frozenset[str]:
    """The names in a sentence as it is written, in lower case: code in backticks, identifiers, capitalised words that
    do not begin a sentence.

    >>> sorted(names("Never ask Omar about `billing hotfix` or prod-east-2 sign-off."))
    ['billing hotfix', 'omar', 'prod-east-2']
    """
    found = {match[1] for match in _QUOTED.finditer(text)}
    plain = text.replace("`", " ").replace("*", "")
    if not _GERMAN.search(plain):  # German writes every noun with a capital
        found |= {match[0] for match in _PROPER.finditer(plain)}
    found |= {match[0] for match in _CODE.finditer(plain) if not _PLAIN_WORD.match(match[0])}
    return frozenset(name.strip(" .").lower() for name in found if len(name) > 1)


def with_members(flat: str) -> str:
    """The flat text with the members of its ranges and slashed lists written out beside them.

    >>> with_members("prod-1 to prod-3 are frozen")
    'prod-1 to prod-3 prod-1 prod-2 prod-3 are frozen'
    >>> with_members("db-1/2 is frozen")
    'db-1/2 db-1 db-2 is frozen'
    """
    if not re.search(r"[-_]\d", flat):
        return flat
    return _SLASHED.sub(_slashed, _RANGE.sub(_ranged, flat))


def _ranged(match: re.Match[str]) -> str:
    first, last = int(match[2]), int(match[4] or match[5])
    # A date is no range: in `2026-11-15 - 20` the marks mean days, in `11-15` they are one date.
    if not first < last <= first + _MOST or (match[4] is None and " " not in match[0]):
        return match[0]
    return match[0] + "".join(f" {member}" for member in _members(match[1], match[2], range(first, last + 1)))


def _members(stem: str, pattern: str, numbers: range) -> Iterator[str]:
    return (f"{stem}{number:0{len(pattern)}d}" for number in numbers)


def _slashed(match: re.Match[str]) -> str:
    numbers = [match[2], *re.findall(r"\d+", match[3])]
    if re.fullmatch(r"(?:\d+[-_])+", match[1]):
        return match[0]
    return match[0] + "".join(f" {match[1]}{number}" for number in numbers)
