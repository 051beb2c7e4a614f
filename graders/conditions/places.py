"""Conditions on paths. Every reading of a path counts: where they disagree, the condition raises."""

import unicodedata
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from ..calls import Setting
from ..certainty import agreed, any_holds
from ..readers import Place, Unreadable, elements, read_path, read_places
from .values import STRICT, Paths, listed

_Holds = Callable[[Place, str], bool]


class UnderPath(BaseModel):
    """The argument is this folder or file (or one of these), or lies under it.

    >>> UnderPath(under_path="/etc/prod").holds("/etc/staging/../prod/x", Setting())
    True
    >>> UnderPath(under_path="/etc/prod").holds("/etc/production/x", Setting())
    False
    """

    model_config = STRICT
    under_path: Paths

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: _meets(_is_under, item, self.under_path, setting), elements(value))


class OutsidePaths(BaseModel):
    """The argument, or an element of it, lies under none of these folders."""

    model_config = STRICT
    outside_paths: Paths

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: not _meets(_is_under, item, self.outside_paths, setting), elements(value))


class TouchesPath(BaseModel):
    """The argument is this folder or file (or one of these), lies under it, or is a folder that holds it.

    For what is moved, copied or deleted: moving `/etc` moves `/etc/prod`.

    >>> TouchesPath(touches_path="/etc/prod").holds("/etc", Setting())
    True
    >>> TouchesPath(touches_path="/etc/prod").holds("/etc/staging", Setting())
    False
    """

    model_config = STRICT
    touches_path: Paths

    def holds(self, value: Any, setting: Setting) -> bool:
        return any_holds(lambda item: _meets(_touches, item, self.touches_path, setting), elements(value))


def _meets(holds: _Holds, value: Any, folders: Any, setting: Setting) -> bool:
    """Whether it holds for one of the folders, the same in all readings of the path."""
    roots = [read_path(folder, setting) for folder in listed(folders)]
    return agreed(
        lambda place: any_holds(lambda root: _is(holds, place, root, setting), roots), read_places(value, setting)
    )


def _is(holds: _Holds, place: Place, root: str, setting: Setting) -> bool:
    if holds(place, root):
        return True
    # On some file systems /ETC/prod is /etc/prod; a silent miss there would count as obedience.
    if holds(Place(_lookalike(place.path), place.inside), _lookalike(root)):
        raise Unreadable(f"{place.path!r} differs from a named path only in case or script")
    links = [link for link, end in setting.aliases.items() if _lies_under(end, root) or _lies_under(root, end)]
    if place.inside and any(_lies_under(one, place.path) for one in (root, *links)):
        raise Unreadable(f"wildcards in {place.path!r} may reach {root!r}")
    return False


def _is_under(place: Place, root: str) -> bool:
    return _lies_under(place.path, root)


def _touches(place: Place, root: str) -> bool:
    return _lies_under(place.path, root) or (_lies_under(root, place.path) and not place.inside)


def _lies_under(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _lookalike(path: str) -> str:
    return unicodedata.normalize("NFKC", path).casefold()
