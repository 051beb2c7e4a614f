"""Paths, as texts: no file system is ever asked."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from ..calls import Setting
from .unreadable import Unreadable, elements, shown

_LINKS_FOLLOWED = 40
_DECODED = 3
_ESCAPED = re.compile(r"%[0-9a-fA-F]{2}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_EXPANDED = re.compile(r"""`|\$[A-Za-z_{(]""")
_WILD = re.compile(r"[*?]")
_CHOICE = re.compile(r"\[[^/]|\{")  # in a file's name, or a choice of names: `[id].tsx`, `{a,b}.conf`
_SEVERAL = re.compile(r"""[\s,;:|&"'{](?:/|~|\.\.?(?:/|[,}]|\Z))""")
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True)
class Place:
    """Where a path argument points: `path` itself, or with `inside`, by wildcards, at some of what lies in it."""

    path: str
    inside: bool


def read_path(value: Any, setting: Setting) -> str:
    """The absolute path that a path argument names: no `.`, no `..`, no doubled or closing slash, links followed.

    Relative paths start at the world's working folder, `~` is its home, `file://` URLs are decoded once, `..` is taken
    out of the text before links are followed, as the worlds do. Case is kept: paths are case-sensitive (a condition
    raises where only case tells two apart). Raises Unreadable for what has several readings (see `read_places`) or
    none: drive letters, `~other`, variables, wildcards, control characters, several paths in one text.

    >>> read_path("../../etc/staging/../prod//x", Setting(cwd="/srv/app"))
    '/etc/prod/x'
    >>> read_path("/srv/live/x", Setting(aliases={"/srv/live": "/etc/prod"}))
    '/etc/prod/x'
    >>> read_path("/etc/%70rod/x", Setting())
    Traceback (most recent call last):
    ...
    standfast.graders.readers.unreadable.Unreadable: not one path: '/etc/%70rod/x'
    """
    first, *others = read_places(value, setting)
    if others or first.inside:
        raise Unreadable(f"not one path: {shown(value)}")
    return first.path


def read_paths(value: Any, setting: Setting) -> tuple[str, ...]:
    """The absolute paths in an argument that holds one or a list of them."""
    return tuple(read_path(item, setting) for item in elements(value))


def read_places(value: Any, setting: Setting) -> tuple[Place, ...]:
    """Every place that a path argument may point at, for programs read it differently.

    A percent escape is decoded by some; a backslash is a separator, a mark before a character, or a character; blanks
    around a name belong to it or not; brackets and braces stand for themselves or for a choice of names.

    >>> [place.path for place in read_places("/etc/%70rod", Setting())]
    ['/etc/%70rod', '/etc/prod']
    >>> read_places("/etc/prod/*.conf", Setting())
    (Place(path='/etc/prod', inside=True),)
    >>> [place.path for place in read_places("/srv/[id].tsx", Setting())]
    ['/srv/[id].tsx', '/srv']
    """
    if not isinstance(value, str) or not value.strip():
        raise Unreadable(f"not a path: {shown(value)}")
    texts = _trimmed(_unescaped(_decoded(_from_url(value))))
    if any(_undecided(text) for text in texts):
        raise Unreadable(f"not one path: {shown(value)}")
    return tuple(dict.fromkeys(_place(text, setting, wild) for text in texts for wild in _wilds(text)))


def follow(path: str, aliases: Mapping[str, str]) -> str:
    """The absolute path with every link on it followed; raises Unreadable for a circle.

    >>> follow("/srv/live/limits.conf", {"/srv/live": "/etc/prod"})
    '/etc/prod/limits.conf'
    """
    place = path
    for _ in range(_LINKS_FOLLOWED):
        link = next((one for one in aliases if f"{place}/".startswith(one.rstrip("/") + "/")), None)
        if link is None:
            return place
        place = (aliases[link].rstrip("/") + place[len(link.rstrip("/")) :]) or "/"
    raise Unreadable(f"`{path}` goes round in a circle of links")


def _wilds(text: str) -> list[int | None]:
    """Where the text may first be wild, in every reading of it; None where it is not."""
    star, choice = (found and found.start() for found in (_WILD.search(text), _CHOICE.search(text)))
    if choice is None or (star is not None and star < choice):
        return [star]
    return [star, choice]


def _place(text: str, setting: Setting, wild: int | None) -> Place:
    if wild is not None:
        text = text[: text.rfind("/", 0, wild) + 1]
    if text == "~" or text.startswith("~/"):
        text = setting.home + text[1:]
    path = posixpath.normpath(posixpath.join("/", setting.cwd, text))
    path = follow("/" + path.lstrip("/"), setting.aliases)  # POSIX lets two leading slashes stand; here they are one
    return Place(path, wild is not None)


def _from_url(text: str) -> str:
    scheme = _SCHEME.match(text)
    if not scheme:
        return text
    host, slash, rest = text[scheme.end() :].partition("/")
    if scheme[0].lower() != "file://" or host.lower() not in ("", "localhost") or not slash or "#" in rest:
        raise Unreadable(f"not a path of this world: {text!r}")
    return "/" + _unquoted(rest)


def _decoded(text: str) -> list[str]:
    texts = [text]
    while _ESCAPED.search(texts[-1]):
        if len(texts) > _DECODED:
            raise Unreadable(f"percent escapes in percent escapes: {text!r}")
        texts.append(_unquoted(texts[-1]))
    return texts


def _unquoted(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError as error:
        raise Unreadable(f"percent escapes that are no text: {text!r}") from error


def _unescaped(texts: Iterable[str]) -> list[str]:
    return [
        reading for text in texts for reading in dict.fromkeys((text, text.replace("\\", "/"), text.replace("\\", "")))
    ]


def _trimmed(texts: Iterable[str]) -> list[str]:
    return [reading for text in texts for reading in (text, "/".join(part.strip() for part in text.split("/")))]


def _undecided(text: str) -> bool:
    segments = text.split("/")
    open_ended = (i for i, segment in enumerate(segments) if _WILD.search(segment) or _CHOICE.search(segment))
    wild = next(open_ended, len(segments))
    return bool(
        not text.strip().isprintable()
        or any(pattern.search(text) for pattern in (_EXPANDED, _SEVERAL))
        or any(_DRIVE.fullmatch(segment) for segment in segments)
        or any(segment.strip() == ".." for segment in segments[wild:])
        or (segments[0].startswith("~") and segments[0] != "~")
    )
