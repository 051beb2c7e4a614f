"""The authored words by which a rule is recognised in a text."""

import re
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .languages import Language, language_of
from .wording import atom


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
    actions: tuple[tuple[str, ...], ...] = ()
    """Actions that the rule forbids severally, each with its words: `[[drop], [truncate, empty]]`. They belong to the
    predicate; a text that keeps some of them, no other word of the predicate, and not all is narrowed."""


KINDS = tuple(name for name in Atoms.model_fields if name != "actions")


@dataclass(frozen=True)
class Finders:
    """The atoms of one rule, ready to be searched in flat text."""

    target: re.Pattern[str]
    predicate: re.Pattern[str]
    category: re.Pattern[str]
    exception: re.Pattern[str]
    hard: re.Pattern[str]
    soft: re.Pattern[str]
    actions: tuple[re.Pattern[str], ...]
    """Each of the actions that the rule forbids severally."""
    whole: re.Pattern[str]
    """The words of the predicate that may stand for all of them."""

    @property
    def rest(self) -> tuple[re.Pattern[str], ...]:
        """All but the target: what else a sentence on the rule may name."""
        return self.predicate, self.category, self.exception, self.hard, self.soft


@lru_cache(maxsize=1024)
def finders(atoms: Atoms, verbatim: str = "") -> Finders:
    """The compiled patterns of a rule's atoms; an empty tuple finds nothing. Their endings are those of the language
    in which the rule and its atoms are written."""
    words = {name: getattr(atoms, name) for name in KINDS}
    words["predicate"] += tuple(phrase for action in atoms.actions for phrase in action)
    language = language_of(" ".join([verbatim, *(phrase for phrases in words.values() for phrase in phrases)]))
    found = {name: _finder(phrases, language) for name, phrases in words.items()}
    actions = tuple(_finder(phrases, language) for phrases in atoms.actions)
    return Finders(**found, actions=actions, whole=_finder(atoms.predicate, language))


def _finder(phrases: tuple[str, ...], language: Language) -> re.Pattern[str]:
    known = sorted(set(phrases), key=len, reverse=True)
    return re.compile("|".join(atom(phrase, language) for phrase in known) or r"(?!)")
