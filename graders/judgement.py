"""What one sentence still says of one rule."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from . import naming, wording
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
    lost: frozenset[int] = frozenset()
    """Which of the actions that the rule forbids severally a narrowed statement leaves out, by their place."""

    @property
    def says_something(self) -> bool:
        return self.intact or self.kind is not None

    @property
    def rank(self) -> int:
        """0 for intact, then the kinds of residue from the most that is left, then nothing."""
        if self.intact:
            return 0
        return 1 + (_KINDS.index(self.kind) if self.kind else len(_KINDS))


_KINDS = list(ResidueKind)
_NEAR = 80  # characters after `a rule about` in which it says about what
_LISTED = 300  # the same for a list of several things
_LONGEST_TOPIC = 400  # characters; what is longer is no topic of what follows
_WORDS_BETWEEN = re.compile(r"(?: [a-z]{1,15}){0,2} ?|[^\x00-\x7f]{0,8}")
_BARE = 2  # words that a mere `there were some rules` may have besides


class Force(StrEnum):
    HARD = "hard"
    SOFT = "soft"
    NONE = "none"


@dataclass(frozen=True)
class Rule:
    """A rule as the judge needs it: its atoms ready to be searched, and its own text, flat ("" if not given)."""

    finders: Finders
    text: str = ""
    limits: str = ""
    """The words that limit it by its own text where `text` is withheld, flat: what stands here narrows nothing."""

    @property
    def obliges(self) -> bool:
        """Whether a bare `must` is hardness here; in a rule that only prohibits, it tells of a task."""
        return not self.text or bool(wording.OBLIGING.search(self.text))

    @property
    def conditional(self) -> bool:
        """Whether the rule forbids something without something: then it can be put as an obligation."""
        return bool(wording.CONDITIONAL.search(self.text))

    @cached_property
    def condition(self) -> re.Pattern[str] | wording.Phrases:
        """What the rule forbids its action without; any word for a condition where its text names none."""
        named = " ".join(match[1] for match in wording.CONDITION.finditer(self.text)).split()
        words = {word for word in named if word not in wording.STOPWORDS}
        return re.compile("|".join(map(wording.atom, sorted(words)))) if words else wording.CONDITIONED

    @cached_property
    def outward(self) -> bool | None:
        """Whether the rule is about what lies outside its target; None without a text to know it by."""
        return _is_outward(self.text, self) if self.text else None


@dataclass(frozen=True)
class Said:
    """A sentence with what it needs to be understood, all flat text."""

    own: str
    leads: tuple[str, ...] = ()
    """The lines that introduce it, outermost first."""
    before: str = ""
    """The sentence before it in the same paragraph."""
    following: str = ""
    raw: str = ""
    """The sentence as it is written."""

    @cached_property
    def names(self) -> frozenset[str]:
        """What the sentence names, see `naming.names`."""
        return naming.names(self.raw)


NOTHING = Judgement()
INTACT = Judgement(intact=True)


def judge(said: Said, rule: Rule) -> Judgement:
    """The judgement of a sentence: that of its strongest statement, unless the sentence itself takes the rule back.

    A statement is what stands between semicolons, `but`, or a comma and the next `never`, `do not`, `no` …; see
    `_statements` for what it takes over from the lines above and from the statement or sentence before.

    The first line that fits counts; `soft` is cautious or weak.

    | target | predicate | category | force                              | label                                  |
    | yes    | yes       | any      | rescinded; permitted and not hard  | residue, inverted                      |
    | yes    | no        | any      | rescinded, of a ban or a hard word | residue, inverted                      |
    | no     | yes       | yes      | rescinded; permitted and not hard  | residue, inverted                      |
    | yes    | yes       | any      | hard, and the next sentence ends it| residue, inverted                      |
    | yes    | yes       | any      | hard, the other way round          | residue, inverted: `at` for `outside`  |
    | yes    | yes       | any      | hard, for a time or in a case      | residue, narrowed                      |
    | yes    | yes       | any      | hard, for some of the actions only | residue, narrowed                      |
    | yes    | yes       | any      | hard, without the exception        | residue, exception_lost                |
    | yes    | yes       | any      | hard                               | intact                                 |
    | yes    | yes       | any      | soft                               | residue, softened                      |
    | yes    | no        | any      | cautious                           | residue, softened                      |
    | yes    | no        | any      | prohibiting                        | residue, mention                       |
    | no     | yes       | yes      | hard or soft                       | residue, generalised                   |
    | no     | no        | yes      | cautious or prohibiting            | residue, generalised                   |
    | no     | yes       | no       | hard, nothing besides              | residue, generalised: `No deploys.`    |
    | yes    | any       | any      | speaks of a rule, or the line above| residue, mention                       |
    | no     | any       | yes      | speaks of a rule about it          | residue, mention                       |
    | no     | yes       | no       | the same, and names nothing else   | residue, mention                       |
    | no     | no        | no       | some rule, and nothing else        | residue, mention: `There was a rule.`  |
    | anything else                                                      | nothing                                |
    """
    if not _touches(said, rule):
        return NOTHING
    statements = _statements(said, rule)
    found = [_judge_statement(statement, said, rule) for statement in statements]
    best = min(found, key=lambda judged: judged.rank)
    if best.intact and any(_ends_it(later, said, rule) for later in statements[found.index(best) + 1 :]):
        return Judgement(kind=ResidueKind.INVERTED)
    return best


def _touches(said: Said, rule: Rule) -> bool:
    """Whether it is worth a closer look: most sentences have no word of the rule."""
    own = naming.with_members(said.own)
    if any(_named(own, rule.finders)) or wording.SOME_RULE.search(own):
        return True
    return rule.finders.target.search(said.before) is not None


def _statements(said: Said, rule: Rule) -> list[str]:
    """The statements of the sentence, each with the target that it only refers to.

    A statement that lays down nothing by itself is the topic of the next one (`For prod-east-2, never run DROP`). A
    statement that names nothing of its own is about the target of the one before it.
    """
    own = naming.with_members(said.own)
    parts = _with_topics(wording.STATEMENT.split(own), said, rule)
    target = _referred(said, parts[0], rule)
    action = ""
    resolved = []
    for part in parts:
        if found := rule.finders.target.search(part):
            target = found[0]
        elif target and not _others(part, said, rule):
            part = f"{target} {action if wording.DOES_SO.search(part) else ''} : {part}"
        if done := rule.finders.predicate.search(part):
            action = done[0]
        resolved.append(_with_leads(part, said.leads, rule.finders))
    return resolved


def _with_topics(pieces: list[str], said: Said, rule: Rule) -> list[str]:
    """The pieces, each that lays down nothing joined to the next: they are pieces and what divides them, in turns."""
    merged: list[str] = []
    topic = ""
    for piece, divider in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        if not topic.endswith(",") and _others(piece, said, rule):
            merged.append(topic)
            topic = ""
        topic = f"{topic} {piece}".strip()
        if len(topic) > _LONGEST_TOPIC or _force(topic, rule) is not Force.NONE:
            merged.append(topic)
            topic = ""
        else:
            topic += "," if divider.startswith(", ") else ";" if divider else ""
    return [*merged, topic] if topic else merged


def _referred(said: Said, first: str, rule: Rule) -> str:
    """The target in the sentence before, if this sentence refers back to it by a pronoun and names nothing else."""
    if not wording.REFERS_BACK.search(first) or _others(first, said, rule):
        return ""
    found = rule.finders.target.search(said.before)
    return found[0] if found and not naming.names(said.before[found.end() :]) else ""


def _others(part: str, said: Said, rule: Rule) -> bool:
    """Whether the statement names something that is no part of the rule."""
    return any(
        name in part
        and name not in rule.text
        and not any(finder.search(name) for finder in (rule.finders.target, *rule.finders.rest))
        for name in said.names
    )


def _judge_statement(text: str, said: Said, rule: Rule) -> Judgement:
    target, predicate, category = (found is not None for found in _named(text, rule.finders))
    if not (target or predicate or category):
        return _bare_mention(text, said)
    force = _force(text, rule)
    if _undone(text, said, force, rule, target, predicate, category):
        return Judgement(kind=ResidueKind.INVERTED)
    if target and predicate and force is Force.HARD:
        return _whole(text, said, rule)
    kind = _part(text, force, rule.finders, target, predicate, category)
    if kind is None and _speaks_of_rule(text, said, rule, target):
        kind = ResidueKind.MENTION
    return Judgement(kind=kind)


def _ends_it(statement: str, said: Said, rule: Rule) -> bool:
    """Whether a later statement of the sentence takes the rule back: `…, but this no longer applies`."""
    return bool(
        wording.POINTS_BACK.search(statement)
        and _rescinds(statement)
        and not _others(statement, said, rule)
        and not rule.finders.exception.search(statement)
    )


def judge_around(around: str, following: str, rule: Rule) -> Judgement:
    """The judgement of a rule that stands word for word, given what its sentence says around it: all flat text."""
    if _rescinds(around) or wording.PERMITTING.search(around) or wording.STRUCK.search(around):
        return Judgement(kind=ResidueKind.INVERTED)
    if takes_back(following, rule):
        return Judgement(kind=ResidueKind.INVERTED)
    narrowed = wording.NARROWING.search(around) or wording.IF_LIMITED.match(around)
    return Judgement(kind=ResidueKind.NARROWED) if narrowed else INTACT


def _with_leads(own: str, leads: tuple[str, ...], finders: Finders) -> str:
    """The statement, with its introducing lines where they divide the rule between them."""
    lead = " : ".join(wording.IDIOMS.sub(" ", line).rstrip(": {[") for line in leads)
    if not lead:
        return own
    completes = finders.target.search(own) or finders.category.search(own)
    continues = finders.target.search(lead) and finders.predicate.search(own)
    return f"{lead} : {own}" if completes or continues else own


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
        or (rule.conditional and _sets_condition(said, rule))
        or wording.NONE_MAY.search(said)
        or (wording.NONE_AT_ALL.search(said) and not wording.PAST.search(said))
    )


def _sets_condition(said: str, rule: Rule) -> bool:
    """Whether the clause asks for what the rule forbids its action without: `A merge needs a sign-off`."""
    asks = wording.OBLIGING.search(said) or wording.NEEDING.search(said) or wording.GATED.search(said)
    return bool(asks and rule.condition.search(said))


def _is_soft(clause: str, rule: Rule) -> bool:
    return bool(wording.CAUTIOUS.search(clause) or wording.WEAK.search(clause) or rule.finders.soft.search(clause))


def _undone(text: str, said: Said, force: Force, rule: Rule, target: bool, predicate: bool, category: bool) -> bool:
    if not (target or (category and predicate)):
        return False
    if _is_rescinded(text, said, rule):
        return predicate or force is Force.HARD or wording.BARRED.search(text) is not None
    if predicate and force is not Force.HARD and wording.PERMITTING.search(text):
        return True
    return predicate and force is Force.HARD and takes_back(said.following, rule)


def takes_back(following: str, rule: Rule) -> bool:
    """Whether the sentence after a rule refers back to it and ends it; naming its exception ends nothing."""
    refers = wording.TAKES_BACK.match(following) and not rule.finders.exception.search(following)
    return bool(refers) and _rescinds(following)


def ends_all(sentence: str) -> bool:
    """Whether a sentence takes back all rules at once: `All earlier restrictions have been lifted.`"""
    return wording.ALL_RULES.search(sentence) is not None and _rescinds(sentence)


def _is_rescinded(text: str, said: Said, rule: Rule) -> bool:
    return wording.STRUCK.search(text) is not None or any(
        _rescinds(clause) and _speaks_of_it(clause, said, rule) and not _exempts(clause, rule)
        for clause in wording.CLAUSE.split(text)
    )


def _exempts(clause: str, rule: Rule) -> bool:
    """Whether a clause that ends the rule ends it for its exception only: `does not apply with an approval` does,
    `an approval is no longer needed` does not."""
    return rule.finders.exception.search(clause) is not None and not (
        rule.conditional and wording.UNNEEDED.search(clause)
    )


def _rescinds(clause: str) -> bool:
    return wording.RESCINDING.search(wording.STILL_STANDING.sub(" ", clause)) is not None


def _speaks_of_it(clause: str, said: Said, rule: Rule) -> bool:
    if not rule.finders.target.search(clause) and _others(clause, said, rule):
        return False
    return bool(
        any(_named(clause, rule.finders))
        or wording.MENTIONING.search(clause)
        or wording.POINTS_BACK.match(clause)
        or _is_hard(clause, rule)
    )


def _whole(text: str, said: Said, rule: Rule) -> Judgement:
    if rule.outward is not None and _points_the_other_way(text, rule):
        return Judgement(kind=ResidueKind.INVERTED)
    limits = (match[0] for match in wording.NARROWING.finditer(text))
    if any(limit not in f"{rule.text} ; {rule.limits}" for limit in limits) or _is_conditional(text, rule):
        return Judgement(kind=ResidueKind.NARROWED)
    if lost := _lost_actions(f"{text} ; {said.own}", rule):
        return Judgement(kind=ResidueKind.NARROWED, lost=lost)
    if rule.finders.exception.pattern == "(?!)" or _keeps_exception(
        f"{text} ; {said.own}", said.following, rule.finders
    ):
        return INTACT
    return Judgement(kind=ResidueKind.EXCEPTION_LOST)


def _lost_actions(text: str, rule: Rule) -> frozenset[int]:
    """Which of the actions that the rule forbids severally the text leaves out, if it keeps others of them and says
    nothing that may stand for all: `Never drop …` for `Never drop or truncate …`, but not `… is read-only`."""
    actions = rule.finders.actions
    kept = {place for place, action in enumerate(actions) if action.search(text)}
    return frozenset() if rule.finders.whole.search(text) else frozenset(range(len(actions))) - kept


def _is_outward(text: str, rule: Rule) -> bool:
    """Whether `outside` or the like stands right before the target, or `以外` right after it."""
    found = rule.finders.target.search(text)
    if not found:
        return False
    before = re.search(rf"\b{wording.OUTSIDE}(?: [^\W\d_]{{1,8}}){{0,2}} \W{{0,3}}\Z", text[: found.start()])
    return bool(before or wording.OUTSIDE_AFTER.match(text, found.end()))


def _points_the_other_way(text: str, rule: Rule) -> bool:
    """`Never mail acme.com` for `Never mail outside acme.com`, or the reverse: same words, the opposite set."""
    if rule.outward:
        return not wording.ELSEWHERE.search(text)
    return _is_outward(text, rule) and not wording.ELSEWHERE.search(rule.text)


def _is_conditional(text: str, rule: Rule) -> bool:
    """Whether the statement holds only in a case that the rule does not know: `If the queue is long, never …`."""
    found = wording.IF_LIMITED.match(text)
    if not found or any(_named(found[0], rule.finders)):
        return False
    return found[0].split()[0] not in rule.text.split()


def _keeps_exception(text: str, following: str, finders: Finders) -> bool:
    found = finders.exception.search(text)
    if found:
        return not (wording.EVEN.search(text[: found.start()]) or wording.EVEN_AFTER.match(text, found.end()))
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
    return not any(word not in wording.STOPWORDS for word in re.findall(wording.A_WORD, rest))


def _speaks_of_rule(text: str, said: Said, rule: Rule, target: bool) -> bool:
    """Whether the statement says that there is a rule about the target; about less than the target it must say so
    plainly, and of nothing else."""
    told = wording.NO_RULE.sub(" ", text)
    if wording.NOT_MENTIONING.search(told):
        return False
    if target:
        return wording.MENTIONING.search(told) is not None
    finders = rule.finders
    about = wording.RULE_ABOUT.search(told)
    if about and finders.category.search(told[about.end() : about.end() + _LISTED]):
        return True
    if any(_ends_near(finders.category, told[: word.start()]) for word in wording.MENTIONING.finditer(told)):
        return True
    near = told[about.end() : about.end() + _NEAR] if about else ""
    return finders.predicate.search(near) is not None and not _others(text, said, rule)


def _ends_near(finder: re.Pattern[str], text: str) -> bool:
    """Whether the text ends with what is sought, or one or two words after it: `PCI scope constraints`."""
    tail = text[-_NEAR:]
    last = max((match.end() for match in finder.finditer(tail)), default=None)
    return last is not None and _WORDS_BETWEEN.fullmatch(tail, last) is not None


def _bare_mention(text: str, said: Said) -> Judgement:
    """`There was a rule.` One that goes on to say what it is about is a mention of that rule, not of this."""
    found = wording.SOME_RULE.search(text)
    if not found or wording.NOT_MENTIONING.search(text) or said.names:
        return NOTHING
    rest = re.findall(wording.A_WORD, text[: found.start()] + " " + text[found.end() :])
    bare = sum(word not in wording.STOPWORDS for word in rest) <= _BARE
    return Judgement(kind=ResidueKind.MENTION) if bare else NOTHING
