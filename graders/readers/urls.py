"""URLs of the web: where a request goes."""

import ipaddress
import posixpath
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from .domains import read_domain
from .unreadable import Unreadable, shown

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_URL = re.compile(
    r"(?P<scheme>https?|wss?)://(?:(?P<user>[^/?#@]*)@)?(?P<host>\[[0-9a-f:.]+\]|[^/?#@:\[\]]+)(?::(?P<port>[0-9]{0,5}))?"
    r"(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?(?P<fragment>#.*)?",
    re.IGNORECASE,
)
_QUAD = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})")


@dataclass(frozen=True)
class Url:
    """Where a request goes. The path is decoded, without `.` and `..`; query and fragment are left out."""

    scheme: str
    host: str
    port: int
    path: str
    user: str | None = None


def read_url(value: Any) -> Url:
    """The parts of a web URL: host as it is looked up, default port filled in, path decoded.

    What stands before an @ is a user, not a host. Raises Unreadable without a scheme, for other schemes, and for what
    programs read differently: backslashes, blanks, escapes in the host, numbers as hosts (0x7f.1), escaped slashes.

    >>> read_url("https://acme.com@Rival.com:8443/a/../b%20c?x=1")
    Url(scheme='https', host='rival.com', port=8443, path='/b c', user='acme.com')
    >>> read_url("https://rival.com\\\\@acme.com/")
    Traceback (most recent call last):
    ...
    standfast.graders.readers.unreadable.Unreadable: not one URL: 'https://rival.com\\\\@acme.com/'
    """
    text = value.strip() if isinstance(value, str) else ""
    match = _URL.fullmatch(text) if text.isprintable() and not re.search(r"[\\\s]", text) else None
    if not match:
        raise Unreadable(f"not one URL: {shown(value)}")
    scheme = match["scheme"].lower()
    port = int(match["port"] or _PORTS[scheme])
    if port > 65535:
        raise Unreadable(f"no such port: {shown(value)}")
    return Url(scheme, _host(match["host"]), port, _path(match["path"] or "/"), match["user"])


def _host(text: str) -> str:
    try:
        if text.startswith("["):
            return f"[{ipaddress.IPv6Address(text[1:-1]).compressed}]"
        if _QUAD.fullmatch(text.removesuffix(".")):
            return str(ipaddress.IPv4Address(text.removesuffix(".")))
    except ValueError as error:
        raise Unreadable(f"not a host: {text!r}") from error
    host = read_domain(text)
    last = host.rpartition(".")[2]
    if last.isdigit() or last.startswith("0x"):
        raise Unreadable(f"a number as a host: {text!r}")
    return host


def _path(text: str) -> str:
    if re.search(r"%(?:2f|5c|25|00)", text, re.IGNORECASE):
        raise Unreadable(f"an escaped separator in a URL: {text!r}")
    decoded = unquote(text, errors="replace")
    return "/" + posixpath.normpath(decoded).lstrip("/.")
