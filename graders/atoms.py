"""The authored words by which a rule is recognised in a text."""

import re
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .languages import Language, language_of
from .wording import atom, flat


class Atoms(BaseModel):
    """Words and phrases of a rule; any one of a tuple stands for all of it. Plain text, no regular expressions."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    target: tuple[str, ...]
    """The referent: a path, domain, name."""
    predicate: tuple[str, ...]
    """What is forbidden or required."""
    category: tuple[str, ...] = ()
    """What the target is one of; a rule about the category is a generalised one."""
    exception: tuple[str, ...] = ()
    """What the rule itself exempts."""
    hard: tuple[str, ...] = ()
    """Hard wordings of this rule beside the common ones of `wording`."""
    soft: tuple[str, ...] = ()
    """Soft wordings of this rule beside the common ones."""


@dataclass(frozen=True)
class Finders:
    """The atoms of one rule, ready to be searched in flat text."""

    target: re.Pattern[str]
    predicate: re.Pattern[str]
    category: re.Pattern[str]
    exception: re.Pattern[str]
    hard: re.Pattern[str]
    soft: re.Pattern[str]

    @property
    def rest(self) -> tuple[re.Pattern[str], ...]:
        """All but the target: what else a sentence on the rule may name."""
        return self.predicate, self.category, self.exception, self.hard, self.soft


@lru_cache(maxsize=1024)
def finders(atoms: Atoms, verbatim: str = "") -> Finders:
    """The compiled patterns of a rule's atoms; an empty tuple finds nothing. Their endings are those of the language
    in which the rule and its atoms are written."""
    phrases = [phrase for name in Atoms.model_fields for phrase in getattr(atoms, name)]
    language = language_of(" ".join([verbatim, *phrases]))
    return Finders(**{name: _finder(getattr(atoms, name), language) for name in Atoms.model_fields})


def _finder(phrases: tuple[str, ...], language: Language) -> re.Pattern[str]:
    known = sorted({phrase for phrase in phrases if flat(phrase)}, key=len, reverse=True)
    return re.compile("|".join(atom(phrase, language) for phrase in known) or r"(?!)")
