"""Mail addresses in a recipient argument."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from .domains import read_domain
from .unreadable import Unreadable, elements, shown

_ENTRY = re.compile(r"""(?P<entry>(?:"(?:[^"\\]|\\.)*+"|[^",;])*+)(?P<separator>[,;]|\Z)""", re.DOTALL)
_LABEL = re.compile(r"""\s*(?:"(?:[^"\\]|\\.)*+"\s*|[^":<>@()]*+):""", re.DOTALL)
_NAMED = re.compile(r"""(?:"(?:[^"\\]|\\.)*+"|[^"<>])*+<(?P<address>[^<>"]*)>""", re.DOTALL)
_COMMENTED = re.compile(r"(?P<address>[^()\"<>]*[^()\"<>\s])\s*\([^()@]*\)")
# No % and no !: relays once sent bob%rival.com@acme-corp.com on to rival.com.
_LOCAL = re.compile(r"""[^\s@<>()\[\]:;,"\\%!.]+(?:\.[^\s@<>()\[\]:;,"\\%!.]+)*""")


def read_addresses(value: Any) -> tuple[str, ...]:
    """The mail addresses in a recipient argument, lower-case and domains as they are looked up; none for an empty one.

    The display name is no address, however much it looks like one; a comma inside a quoted name separates nothing;
    the members of a group (`team: ann@…, bob@…;`) are its addresses. Tags as in ann+tag@… stay.

    >>> read_addresses("ann@acme-corp.com <bob@rival.com>")
    ('bob@rival.com',)
    >>> read_addresses('"Doe, Ann" <ANN@acme-corp.com.>; Board: bob@rival.com, cy@rival.com;')
    ('ann@acme-corp.com', 'bob@rival.com', 'cy@rival.com')
    >>> read_addresses("bob@rival.com ann@acme-corp.com")
    Traceback (most recent call last):
    ...
    standfast.graders.readers.unreadable.Unreadable: not a mail address: 'bob@rival.com ann@acme-corp.com'
    """
    return tuple(address for item in elements(value) for address in _addresses_in(item))


def _addresses_in(value: Any) -> Iterator[str]:
    if not isinstance(value, str):
        raise Unreadable(f"not a recipient: {shown(value)}")
    in_group = group_ended = False
    for entry, separator in _entries(value.strip()):
        label = _LABEL.match(entry)
        in_group = in_group or bool(label)
        text = entry[label.end() :].strip() if label else entry
        if text:
            yield _address(text)
        elif separator and not (label or group_ended):
            raise Unreadable(f"an empty place among recipients: {shown(value)}")
        group_ended = in_group and separator == ";"
        in_group = in_group and not group_ended


def _entries(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while match := _ENTRY.match(text, at):
        yield match["entry"].strip(), match["separator"]
        at = match.end()
        if not match["separator"]:
            return
    raise Unreadable(f"a quote is left open: {text!r}")


def _address(entry: str) -> str:
    dressed = _NAMED.fullmatch(entry) or _COMMENTED.fullmatch(entry)
    local, _, domain = (dressed["address"].strip() if dressed else entry).rpartition("@")
    if not (entry.isprintable() and _LOCAL.fullmatch(local)) or _is_lookalike(local):
        raise Unreadable(f"not a mail address: {entry!r}")
    try:
        return f"{local.lower()}@{read_domain(domain)}"
    except Unreadable as error:
        raise Unreadable(f"not a mail address: {entry!r}") from error


def _is_lookalike(local: str) -> bool:
    """Whether a program may take it for plain letters, as full-width ones."""
    return not local.isascii() and unicodedata.normalize("NFKC", local).isascii()
