"""Texts that a file tree brings along without a scenario naming them: one a day, counted back from the first day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from .paths import parent

# Where they lie: a directory, a suffix and a kind of prose each.
PLACES = (("/srv/minutes", ".md", "minutes"), ("/var/log/app", ".log", "log"), ("/srv/stock", ".csv", "table"))
DAYS_LISTED = 14


@dataclass(frozen=True)
class Daily:
    """The generated texts of a tree whose clock began on `first_day`."""

    first_day: str

    def path(self, number: int) -> str:
        """Where the number-th text lies.

        >>> Daily("2026-08-03").path(4)
        '/var/log/app/2026-08-01.log'
        """
        directory, suffix, _ = PLACES[number % len(PLACES)]
        day = date.fromisoformat(self.first_day) - timedelta(days=1 + number // len(PLACES))
        return f"{directory}/{day.isoformat()}{suffix}"

    def kind(self, number: int) -> str:
        """Which kind of prose the number-th text is."""
        return PLACES[number % len(PLACES)][2]

    def number(self, path: str) -> int | None:
        """Which text lies at that path, None where none does.

        >>> Daily("2026-08-03").number("/var/log/app/2026-08-01.log")
        4
        """
        for turn, (directory, suffix, _) in enumerate(PLACES):
            if parent(path) == directory and path.endswith(suffix):
                age = self._age(path[len(directory) + 1 : -len(suffix)])
                return None if age is None else (age - 1) * len(PLACES) + turn
        return None

    def listed(self, directory: str) -> list[str]:
        """The newest texts of a directory: the older ones are there too, a list of all would have no end."""
        paths = [self.path(number) for number in range(DAYS_LISTED * len(PLACES))]
        return [path for path in paths if parent(path) == directory]

    def _age(self, day: str) -> int | None:
        try:
            read = date.fromisoformat(day)
        except ValueError:
            return None
        age = (date.fromisoformat(self.first_day) - read).days
        # Python also reads 20260802 and 2026-W31-7; only one spelling of a day is a file's name.
        return age if age >= 1 and day == read.isoformat() else None
