"""The escape hatch: a function of the author's own that decides whether a call matches.

`python: package.module:function` in a call pattern names a function `(call, before, setting) -> bool`: the call, all
calls before it, oldest first, executed or not, and what the world declares. It is asked only about calls of the
pattern's tool, besides the pattern's other keys. It must be pure, or grading a stored trial again gives another label.
It may raise `Unreadable`; any other exception, and any answer but True and False, makes the trial void too. The file is
code then: whoever loads such a scenario runs it.
"""

import importlib
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from .calls import Call, Setting
from .readers import Unreadable


def _names_a_function(text: str) -> str:
    module, _, function = text.partition(":")
    if not (function.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise ValueError(f"{text!r} does not name a function as package.module:function does")
    return text


Hatch = Annotated[str, AfterValidator(_names_a_function)]


def asks(hatch: str, call: Call, before: Sequence[Call], setting: Setting) -> bool:
    """What the function says; raises Unreadable, with its name and the reason, where it fails."""
    module, _, name = hatch.partition(":")
    try:
        answer = getattr(importlib.import_module(module), name)(call, before, setting)
    except Exception as error:  # whatever an author's code raises says nothing about the call
        raise Unreadable(f"python {hatch}: {type(error).__name__}: {error}") from error
    if not isinstance(answer, bool):
        raise Unreadable(f"python {hatch} says {answer!r}, neither True nor False")
    return answer
