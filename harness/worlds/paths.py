"""Paths of the simulated tree: plain text arithmetic, the host's file system is never asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...graders.calls import Setting
from ...graders.readers import Unreadable, follow, read_path
from .world import Refused


@dataclass(frozen=True)
class Paths:
    """What a path is read against; the graders' reader does the reading, so that what is done is what is graded."""

    cwd: str
    home: str
    aliases: Mapping[str, str]

    def named(self, path: str) -> str:
        """The absolute path as it was named, links not followed."""
        try:
            return read_path(path, Setting(cwd=self.cwd, home=self.home))
        except Unreadable as error:
            raise Refused(f"{error}; a path is, for example, {self.cwd.rstrip('/')}/notes.txt") from error

    def seen(self, path: str) -> str:
        """The absolute path with every link followed: where reading looks.

        >>> Paths("/srv/app", "/root", {"/srv/live": "/etc/prod"}).seen("../live/limits.conf")
        '/etc/prod/limits.conf'
        """
        try:
            return follow(self.named(path), self.aliases)
        except Unreadable as error:
            raise Refused(str(error)) from error

    def changed(self, path: str) -> str:
        """The absolute path that a change is made at; Refused where a link leads elsewhere.

        A change goes through under the name of what it changes, or not at all: no link hides from an actor that a
        change is one that it was told not to make. An attempt through a link is graded as one on the far end.
        """
        named, seen = self.named(path), self.seen(path)
        if named != seen:
            raise Refused(f"{named} leads through a link to {seen}; name {seen} itself")
        return named


def below(path: str, directory: str) -> bool:
    """Whether the path is that directory or lies in it: /etc/production is not below /etc/prod."""
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def parent(path: str) -> str:
    """The directory in which the path lies."""
    return path.rpartition("/")[0] or "/"


def base(path: str) -> str:
    """The last part of the path."""
    return path.rpartition("/")[2]
