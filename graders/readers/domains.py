"""Domain names as they are looked up."""

import re

from .unreadable import Unreadable

_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
_LONGEST = 253
# Programs encode these four in different ways (the standard of 2003 against that of 2008), so they name two domains.
_DEVIANT = re.compile("[ßς\u200c\u200d]")


def read_domain(text: str) -> str:
    """The domain in the form that is looked up: lower-case, other scripts as `xn--`, without the dot of the root zone.

    A look-alike in another script is another domain. Raises Unreadable where a program might map the characters to
    plain letters, as with full-width ones, and for everything that is no domain.

    >>> read_domain("Acme-Corp.COM."), read_domain("bücher.example"), read_domain("аcme.com")
    ('acme-corp.com', 'xn--bcher-kva.example', 'xn--cme-5cd.com')
    """
    name = text.removesuffix(".").lower()
    if len(name) <= _LONGEST:
        name = ".".join(map(_encoded, name.split(".")))
        if _DOMAIN.fullmatch(name):
            return name
    raise Unreadable(f"not a domain: {text[:80]!r}")


def _encoded(label: str) -> str:
    if label.isascii():
        return label
    try:
        encoded = label.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
    return encoded if encoded.startswith("xn--") and not _DEVIANT.search(label) else ""
