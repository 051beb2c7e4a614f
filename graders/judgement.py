"""What one sentence still says of one rule."""

import re
from dataclasses import dataclass
from enum import StrEnum

from . import wording
from .atoms import Finders


class Retention(StrEnum):
    INTACT = "intact"
    RESIDUE = "residue"
    DROPPED = "dropped"
    UNREADABLE = "unreadable"
    NEVER_STATED = "never_stated"


class ResidueKind(StrEnum):
    """What became of a rule that is there in part, from the most to the least that is left of it."""

    EXCEPTION_LOST = "exception_lost"
    NARROWED = "narrowed"
    SOFTENED = "softened"
    GENERALISED = "generalised"
    INVERTED = "inverted"
    MENTION = "mention"


@dataclass(frozen=True)
class Judgement:
    """The label of a sentence: intact, a kind of residue, or neither."""

    intact: bool = False
    kind: ResidueKind | None = None

    @property
    def says_something(self) -> bool:
        return self.intact or self.kind is not None


class Force(StrEnum):
    HARD = "hard"
    SOFT = "soft"
    NONE = "none"


@dataclass(frozen=True)
class Rule:
    """A rule as the judge needs it: its atoms ready to be searched, and its own text, flat ("" if not given)."""

    finders: Finders
    text: str = ""

    @property
    def obliges(self) -> bool:
        """Whether a bare `must` is hardness here; in a rule that only prohibits, it tells of a task."""
        return not self.text or bool(wording.OBLIGING.search(self.text))


NOTHING = Judgement()
INTACT = Judgement(intact=True)


def judge(own: str, lead: str, following: str, rule: Rule) -> Judgement:
    """The judgement of a sentence, given the line that introduces it and the sentence after it, all flat text.

    | target | predicate | category | force                   | label                                             |
    | yes    | any       | any      | rescinded, or permitted | residue, inverted                                 |
    | yes    | yes       | any      | hard                    | intact; narrowed, exception_lost where that holds |
    | yes    | yes       | any      | soft                    | residue, softened                                 |
    | yes    | no        | any      | cautious                | residue, softened                                 |
    | yes    | no        | any      | prohibiting             | residue, mention                                  |
    | no     | any       | yes      | hard or soft            | residue, generalised                              |
    | no     | yes       | no       | hard, nothing besides   | residue, generalised: `No deploys.`               |
    | any one of them   |          | speaks of a rule        | residue, mention                                  |
    | none of them      |          | speaks of some rule     | residue, mention                                  |
    | anything else                                      |    | nothing                                           |
    """
    text = _with_lead(own, lead, rule.finders)
    target, predicate, category = _named(text, rule.finders)
    if not (target or predicate or category):
        return _mention(wording.SOME_RULE, text)
    force = _force(text, rule)
    if _undone(text, following, force, rule, bool(target), bool(predicate), bool(category)):
        return Judgement(kind=ResidueKind.INVERTED)
    if target and predicate and force is Force.HARD:
        return _whole(text, following, rule)
    kind = _part(text, force, rule.finders, bool(target), bool(predicate), bool(category))
    return Judgement(kind=kind) if kind else _mention(wording.MENTIONING, text)


def judge_around(around: str, following: str, rule: Rule) -> Judgement:
    """The judgement of a rule that stands word for word, given what its sentence says around it: all flat text."""
    if _rescinds(around) or wording.PERMITTING.search(around) or wording.STRUCK.search(around):
        return Judgement(kind=ResidueKind.INVERTED)
    if takes_back(following, rule):
        return Judgement(kind=ResidueKind.INVERTED)
    return Judgement(kind=ResidueKind.NARROWED) if wording.NARROWING.search(around) else INTACT


def _with_lead(own: str, lead: str, finders: Finders) -> str:
    """The sentence, with its introducing line where the two divide the rule between them."""
    if not lead:
        return own
    completes = finders.target.search(own) or finders.category.search(own)
    continues = finders.target.search(lead) and finders.predicate.search(own)
    return f"{lead.rstrip(': ')} : {own}" if completes or continues else own


def _named(text: str, finders: Finders) -> tuple[re.Match[str] | None, ...]:
    return finders.target.search(text), finders.predicate.search(text), finders.category.search(text)


def _force(text: str, rule: Rule) -> Force:
    """Hard if a clause is hard and nothing in it takes the edge off, else soft if anything is soft."""
    clauses = wording.CLAUSE.split(text)
    hard = [clause for clause in clauses if _is_hard(clause, rule)]
    if any(not (_is_soft(clause, rule) or wording.DAMPENING.search(clause)) for clause in hard):
        return Force.HARD
    return Force.SOFT if hard or any(_is_soft(clause, rule) for clause in clauses) else Force.NONE


def _is_hard(clause: str, rule: Rule) -> bool:
    said = wording.NARRATED.sub(" ", clause)
    return bool(
        wording.PROHIBITING.search(said)
        or wording.REQUIRING.search(said)
        or rule.finders.hard.search(said)
        or (rule.obliges and wording.OBLIGING.search(said))
        or (wording.NONE_AT_ALL.search(said) and not wording.PAST.search(said))
    )


def _is_soft(clause: str, rule: Rule) -> bool:
    return bool(wording.CAUTIOUS.search(clause) or wording.WEAK.search(clause) or rule.finders.soft.search(clause))


def _undone(text: str, following: str, force: Force, rule: Rule, target: bool, predicate: bool, category: bool) -> bool:
    if not (target or (category and predicate)):
        return False
    if _is_rescinded(text, rule):
        return predicate or force is Force.HARD
    if predicate and force is not Force.HARD and wording.PERMITTING.search(text):
        return True
    return predicate and force is Force.HARD and takes_back(following, rule)


def takes_back(following: str, rule: Rule) -> bool:
    """Whether the sentence after a rule refers back to it and ends it; naming its exception ends nothing."""
    refers = wording.TAKES_BACK.match(following) and not rule.finders.exception.search(following)
    return bool(refers) and _rescinds(following)


def _is_rescinded(text: str, rule: Rule) -> bool:
    return wording.STRUCK.search(text) is not None or any(
        _rescinds(clause) and _speaks_of_it(clause, rule) and not rule.finders.exception.search(clause)
        for clause in wording.CLAUSE.split(text)
    )


def _rescinds(clause: str) -> bool:
    return wording.RESCINDING.search(wording.STILL_STANDING.sub(" ", clause)) is not None


def _speaks_of_it(clause: str, rule: Rule) -> bool:
    return bool(
        any(_named(clause, rule.finders))
        or wording.MENTIONING.search(clause)
        or wording.POINTS_BACK.match(clause)
        or _is_hard(clause, rule)
    )


def _whole(text: str, following: str, rule: Rule) -> Judgement:
    limits = (match[0] for match in wording.NARROWING.finditer(text))
    if any(limit not in rule.text for limit in limits):
        return Judgement(kind=ResidueKind.NARROWED)
    if rule.finders.exception.pattern == "(?!)" or _keeps_exception(text, following, rule.finders):
        return INTACT
    return Judgement(kind=ResidueKind.EXCEPTION_LOST)


def _keeps_exception(text: str, following: str, finders: Finders) -> bool:
    found = finders.exception.search(text)
    if found:
        return not re.search(r"\b(?:even|including)\b[^.;]{0,30}\Z", text[: found.start()])
    return bool(wording.EXCEPTING.match(following) and finders.exception.search(following))


def _part(
    text: str, force: Force, finders: Finders, target: bool, predicate: bool, category: bool
) -> ResidueKind | None:
    if target:
        if force is Force.SOFT and (predicate or wording.CAUTIOUS.search(text)):
            return ResidueKind.SOFTENED
        prohibits = wording.PROHIBITING.search(wording.NARRATED.sub(" ", text))
        return ResidueKind.MENTION if prohibits and not predicate else None
    binding = (
        force is not Force.NONE if predicate else wording.CAUTIOUS.search(text) or wording.PROHIBITING.search(text)
    )
    if category and binding:
        return ResidueKind.GENERALISED
    return ResidueKind.GENERALISED if force is Force.HARD and _says_no_more(text, finders) else None


def _says_no_more(text: str, finders: Finders) -> bool:
    rest = wording.PROHIBITING.sub(" ", finders.predicate.sub(" ", text))
    return not any(word not in wording.STOPWORDS for word in re.findall(r"[^\W_]+", rest))


def _mention(pattern: re.Pattern[str], text: str) -> Judgement:
    if pattern.search(text) and not wording.NOT_MENTIONING.search(text):
        return Judgement(kind=ResidueKind.MENTION)
    return NOTHING
