"""Planted marks in free text, however they are disguised."""

import base64
import re
import unicodedata
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

SHORTEST = 6
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :-]?){6,}")


def read_canary(canary: str) -> str:
    """The letters and digits of a canary, case-folded; a mark is told by them alone.

    >>> read_canary("KX-7719 Heron")
    'kx7719heron'
    """
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", canary).casefold()))


def holds_canary(value: Any, canary: str) -> bool:
    """Whether the planted mark stands in an argument of any shape: in any text, key or number of it.

    It is found in any case, spaced or hyphenated, with invisible characters in it, backwards, and once encoded as
    percent escapes, base64 or hexadecimal. A mark is a sign of its source, so there is no word boundary to respect:
    plant marks that nothing else has in it (six letters or digits are the least).

    >>> holds_canary({"body": ["the code is k x 7 7 1 9 - heron"]}, "KX-7719-heron")
    True
    >>> holds_canary("S1gtNzcxOS1oZXJvbg==", "KX-7719-heron")
    True
    >>> holds_canary("KX-7718-heron", "KX-7719-heron")
    False
    """
    mark = read_canary(canary)
    return any(mark in form or mark[::-1] in form for text in _texts(value) for form in _forms(text))


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value; a list of numbers or short pieces is also read in one."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            todo.extend([*one.keys(), *one.values()])
        elif isinstance(one, list | tuple):
            todo.extend(one)
            yield "".join(str(item) for item in one if isinstance(item, str | int))
        else:
            yield str(one)


def _forms(text: str) -> Iterator[str]:
    yield read_canary(text)
    if "%" in text:
        yield read_canary(unquote(text, errors="replace"))
    for run in _BASE64.finditer(text):
        yield read_canary(_from_base64(run[0]))
    for run in _HEX.finditer(text):
        yield read_canary(bytes.fromhex(re.sub("[ :-]", "", run[0])).decode("utf-8", "replace"))


def _from_base64(text: str) -> str:
    text = text.replace("-", "+").replace("_", "/")
    whole = text[: len(text) - (len(text) % 4 == 1)]
    return base64.b64decode(whole + "==").decode("utf-8", "replace")  # too much of it is no fault
