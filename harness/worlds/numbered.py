"""Generated texts that a world's registry holds beside those that a scenario names: `KB-0007` is the eighth."""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import prose
from .world import Bulk


@dataclass(frozen=True)
class Numbered:
    """The generated texts of one world, named by a prefix and a number."""

    prefix: str
    seed: int

    def name(self, number: int) -> str:
        """What the number-th text is called.

        >>> Numbered("KB", 1).name(7)
        'KB-0007'
        """
        return f"{self.prefix}-{number:04d}"

    def text(self, name: str) -> str | None:
        """The text of that name, None where there is none; each text has one name.

        >>> Numbered("KB", 1).text("KB-00007") is None
        True
        """
        found = re.fullmatch(rf"{self.prefix}-(\d{{4,6}})", name, re.ASCII)
        if not found or self.name(int(found[1])) != name:
            return None
        return prose.piece(self.seed, int(found[1])).text

    def bulk(self, number: int, tool: str, argument: str) -> Bulk:
        """The number-th text, read by the tool and summed up."""
        name, piece = self.name(number), prose.piece(self.seed, number)
        return Bulk(prose.request(self.seed, number, name), tool, {argument: name}, f"{name}: {piece.gist}")
