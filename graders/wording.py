"""The closed word lists by which a sentence is hard, soft, rescinding, permitting, narrowing; and the folding of text.

All patterns are plain alternations that are searched in `flat` text: lower-case, single blanks, plain dashes and
quotes, no markdown emphasis. None has a nested quantifier, so a text of any length takes linear time. The lists here
are English; `languages` has those of German, Spanish, Chinese and Japanese, and every pattern finds them all.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .languages import CJK, FUNCTION_WORDS, Language, characters, inflected, words

_DASHES = "‐‑‒–—―−﹣－～〜"
_SINGLE = "‘’‚‛′ʼ＇"
_DOUBLE = "“”„‟″«»＂「」『』《》"
_BLANKS = "\t\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000*`"
_LINES = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_FOLDED = str.maketrans(
    {**dict.fromkeys(_DASHES, "-"), **dict.fromkeys(_SINGLE, "'"), **dict.fromkeys(_DOUBLE, '"')}
    | {**dict.fromkeys(_BLANKS, " "), **dict.fromkeys(_LINES, "\n")}
)
_WIDE = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # `ｐｒｏｄ－２` and `：`
_ENDS = "！，；？"  # which `sentences` knows as they are
_FOLDED = (
    str.maketrans({key: _FOLDED.get(ord(key), plain) for key, plain in _WIDE.items() if key not in _ENDS}) | _FOLDED
)
_SPACED = str.maketrans({"！": "! ", "，": ", ", "；": "; ", "？": "? ", "。": ". ", "、": ", ", "､": ", ", "｡": ". "})
_INVISIBLE = str.maketrans(dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"))


def fold(text: str) -> str:
    """The text with plain dashes, quotes, blanks and line ends, and no markdown emphasis; of the same length."""
    return text.translate(_FOLDED).replace("\r\n", " \n").replace("\r", "\n")


_CAPITAL = r"-(?=[A-ZÄÖÜ][a-zäöüß]{3})"
_COMPOUND = re.compile(rf"(?:(?<=[0-9])|(?<=\.[a-z]{{2}})|(?<=\.[a-z]{{3}})|(?<=\.example)){_CAPITAL}")
_MET = re.compile(rf"(?<=[{CJK}])(?=[^\W{CJK}])|(?<=[^\W{CJK}])(?=[{CJK}])")
_PARTED = re.compile(rf"(?<=[{CJK}]) (?=[{CJK}])")
HAS_CJK = re.compile(rf"[{CJK}]")


A_WORD = re.compile(rf"[{CJK}]{{1,3}}|[^\W_{CJK}]+")  # a few characters are about a word


def flat(text: str) -> str:
    """The text folded, in lower case and with single blanks: what the patterns of this module are searched in.

    >>> flat("请勿修改`prod-2`的配置。"), flat("Die prod-2-Datenbank")
    ('请勿修改 prod-2 的配置.', 'die prod-2 datenbank')
    """
    text = fold(text).translate(_INVISIBLE)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_SPACED)
    # `orders-db-2-Datenbank` is the German for the database orders-db-2.
    line = " ".join(_COMPOUND.sub(" ", text).lower().split())
    if HAS_CJK.search(line):
        line = _PARTED.sub("", _MET.sub(" ", line))
    # `non-acme.com` and `/etc/prod-only` name acme.com and /etc/prod; `prod-east-2` does not name `east-2`.
    return line.replace("non-", "non ").replace("-only", " only")


@dataclass(frozen=True)
class Phrases:
    """The pattern of a list of phrases; one without the Chinese and Japanese ones, which is quicker, for plain text."""

    plain: re.Pattern[str]
    full: re.Pattern[str]

    def search(self, text: str) -> re.Match[str] | None:
        return (self.plain if text.isascii() else self.full).search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return (self.plain if text.isascii() else self.full).finditer(text)

    def sub(self, new: str, text: str) -> str:
        return (self.plain if text.isascii() else self.full).sub(new, text)


def any_of(*phrases: str, name: str = "") -> Phrases:
    """The pattern that finds one of the phrases (small regular expressions) as whole words, or one of the list of that
    name in another language."""
    whole = rf"(?<![^\W_])(?:{'|'.join((*phrases, *words(name)))})(?![^\W_])"
    return Phrases(re.compile(whole), re.compile("|".join((whole, *characters(name)))))


def _or(name: str, boundary: str = r"(?![^\W_])") -> str:
    """The phrases of a list in other languages, to be put behind an English alternative."""
    return "".join(f"|(?:{phrase}){boundary}" for phrase in words(name)) + "".join(f"|{it}" for it in characters(name))


_RULE_WORD = r"rule|ban|constraint|restriction|prohibition|policy|policies|guideline|guardrail"
RULE = rf"(?:hard |standing |strict )?(?:{_RULE_WORD})s?"
_KEPT_AWAY = (  # after `must`: an obligation that forbids
    r"excluded?|barred|blocked|withheld|avoided|avoid|refrain|omit|leave out|keep out|off.limits"
    r"|left (?:alone|out|untouched|off)"
    r"|(?:kept|stay|stays|remain) (?:out|away|off|clear|in|inside|within|untouched|unchanged|private|confidential)"
)
_KEEP_AWAY = (  # at the head of a clause: an order that forbids
    r"(?:keep|leave|hold) (?:[^ ]{1,30} ){0,3}(?:out|away|off|clear|alone|untouched|within|inside)(?![^\W_])"
    r"|exclude |stay (?:out|away|off|clear)(?![^\W_])"
)
_BARRED = r"read.only|forbidden|prohibited|banned|barred|off.limits|mandatory|required|necessary|needed|restricted"

NARRATED = any_of(  # told of what happened, not of what must be
    r"(?:has|have|had|was|were|did|could|would) (?:not|never)(?! (?:to|be|allowed|permitted)(?![^\W_]))",
    r"(?:has|have|had|was|were|did|could|would)n't(?! (?:allowed|permitted))",
    r"never (?:happened|asked|occurred|arrived|came|got|went|saw|ran|merged|sent|deployed)",
    r"(?:required|requires|needed) (?:[a-z]{1,12} ){0,2}(?:minutes|hours|days|attempts|retries|restarts?)",
    r"(?:no|any|further) (?:[a-z]{1,12} )?(?:action|follow.up|steps?|work) (?:is |was )?required|action required",
    r"read.only (?:replicas?|cop(?:y|ies)|access|mode|mirrors?|users?)",
    r"no (?:(?!(?:may|must|can|shall) )[a-z]{1,12} ){1,3}?"
    r"(?!allowed|permitted|required|needed|scheduled|authori[sz]ed)[a-z]{2,12}ed"
    r"(?= ?(?:\Z|[,.;:)]|(?:on|in|at|from|yet|so far|today|since|outside|within) ))",
    r"only (?:[a-z]{1,12} )?(?:\d+|one|two|three|four|five|a few|some)",
    name="NARRATED",
)
PAST = any_of("was", "were", "has been", "have been", "had", "did", "sent", "received", "found")
PROHIBITING = any_of(
    r"never(?! (?:mind|forget|hesitate|violate|omit))",
    r"(?:must|may|shall|do|can) not(?! (?:need|have|forget|hesitate|worry)(?![^\W_]))",
    r"(?:mustn't|mayn't|shan't|don't|can't|cannot)(?! (?:need|have|forget|hesitate|worry)(?![^\W_]))",
    r"not (?:to|be)",
    r"(?:not|n't) (?:[a-z]{1,12} )?(?:allowed|permitted)",
    r"(?:isn't|aren't) (?:[a-z]{1,12} )?(?:allowed|permitted)",
    r"forbid(?:s|den|ding)?",
    r"prohibit(?:s|ed|ing|ion)?",
    r"ban(?:s|ned)?",
    r"barred|disallowed|off.limits|read.only",
    r"refrain(?:s|ing)?",
    r"under no circumstances|strictly avoid|nobody|no.one|no exceptions?",
    r"nothing (?:[^ ]{1,40} ){0,4}?(?:may|must|can|shall|should|is to|goes|gets)(?= )",
    r"nothing (?:but|else|other|outside|beyond|(?:may|must|can|shall|should|is|gets?|goes)(?![^\W_]))",
    r"nothing (?:[^ ]{1,40} ){0,6}?(?:is|are) (?:allowed|permitted)",
    r"no other|none but|hands off|no.go",
    r"withhold(?:s|ing)?|withheld from|(?:is|are) (?:to be )?(?:excluded|kept (?:out|away)) (?:from|of)",
    r"not without|impermissible|not permissible|out of bounds|verboten",
    rf"(?:{_RULE_WORD})s? (?:[a-z]{{1,12}} )?against",
    rf"(?:must|shall|(?:has|have|needs?|is|are) to|always) (?:[a-z]{{1,12}} )?(?:be )?(?:{_KEPT_AWAY})",
    rf"(?:^|[:,(-] ?)(?:{_KEEP_AWAY})",
    name="PROHIBITING",
)
NONE_AT_ALL = any_of(
    r"no(?= [a-z])(?! (?:longer|need|problem|issue|objection|reply|answer|response|change|error|one)(?![^\W_]))"
)
NONE_MAY = any_of(r"no (?:[a-z-]{1,20} ){1,3}?(?:may|must|shall)(?= )")  # a rule, whatever its condition tells
REQUIRING = any_of(
    r"requir(?:e|es|ing|ed)",
    r"mandatory|exclusively|solely",
    r"(?<!the )(?<!not )(?<!an )only(?! (?:one|thing|exception))",
    name="REQUIRING",
)
NEEDING = any_of(r"needs?|needed|wants?", name="NEEDING")
GATED = any_of(  # hard in a rule that forbids something without something
    r"gated (?:on|by|behind)|(?:conditional|contingent|dependent) (?:up)?on|(?:depends?|hinges?) on",
    r"subject to(?! change)",
    name="GATED",
)
CONDITION = re.compile(
    r"(?<![^\W_])(?:without|unless|until|before|ohne|bevor|bis|sin|hasta|antes de)(?![^\W_])([^,.;:()]{1,80})"
)
CONDITIONAL = any_of("without", "unless", "until", "before", "except", "only", "first", name="CONDITIONAL")
# what makes `A must …` the condition of a rule that forbids A without it, and not a task
CONDITIONED = any_of(
    r"before|beforehand|first|prior to|in advance|until|unless|without|every|any|each|all|always|present"
    r"|sign.?offs?|signed|approv(?:al|ed|es)|review(?:ed)?",
    name="CONDITIONED",
)
_IF = "|".join(("if|in case|in the event|as long as|provided|assuming|when|while", *words("IF")))
IF_LIMITED = re.compile(
    rf"\W{{0,4}}(?:(?:{_IF}) ([^,:;]{{1,120}}),"
    rf"|(?:{'|'.join(characters('IF'))})[^,:;]{{1,60}},|[^,:;.]{{1,60}}(?:場合|ときに|時に)は?,)"
)
OBLIGING = any_of(r"must(?! not)", r"always", r"shall(?! not)", r"(?:has|have|needs?) to", r"ensure", name="OBLIGING")

CAUTIOUS = any_of(  # soft with a target alone
    r"(?:be |being |is |are )?(?:particular|careful|carefully|cautious|cautiously|mindful|sensible|sensibly)",
    r"(?:take |with |exercise |use )(?:care|caution|discretion|judgement|judgment)",
    r"prefer(?:s|red|ably|ence)?",
    r"(?<!strictly )avoid(?:s|ed|ing)?",
    r"discouraged?|ideally|reluctant|hesitant|sensitive|best practices?|think twice|keep an eye",
    name="CAUTIOUS",
)
WEAK = any_of(  # soft with a target and a predicate
    r"(?:where|if|when|whenever|wherever|as far as) (?:possible|feasible|practical|appropriate)",
    r"should (?:not|only|stay|remain|be kept)|shouldn't|tr(?:y|ies) (?:not )?to|aim to",
    r"recommend(?:s|ed)?|advis(?:ed|able)|reasonabl[ye]|better not|likes? to|as a rule of thumb",
    name="WEAK",
)
DAMPENING = any_of(  # says nothing alone, and takes the edge off a hard word beside it
    r"should(?! (?:never|under no))",
    r"generally|usually|normally|typically|mostly|consider|rather",
    name="DAMPENING",
)

_LIFTED = r"(?:lift|rescind|waive|repeal|relax)(?:s|d|ed|ing)?|lifting"
_ENDED = (
    r"(?:revok|withdr[ae]w|overturn|dropp|cancel|suspend|remov|retract|revers|supersed|overrid|scrapp|expir|void)"
    r"[a-z]{0,4}"
)
STILL_STANDING = any_of(
    rf"(?:not|never|n't|until|unless|once|if|before) (?:[a-z]{{1,12}} ){{0,3}}(?:{_LIFTED}|{_ENDED})",
    r"(?:has|have|had|was|were|did|could|would|is|are)n't (?:[a-z]{1,12} ){0,3}(?:lifted|rescinded|waived|repealed)",
    name="STILL_STANDING",
)
RESCINDING = any_of(
    r"no longer|any ?more|used to|formerly|not true|unrestricted|no need",
    rf"(?:{_LIFTED})",
    rf"{RULE} (?:[a-z]{{1,12}} ){{0,3}}(?:{_ENDED})|(?:{_ENDED}) (?:[a-z]{{1,12}} ){{0,3}}{RULE}",
    rf"(?:ignore|disregard|forget) (?:[a-z]{{1,12}} ){{0,2}}{RULE}",
    r"(?:previously|formerly|initially|originally) (?:forbidden|prohibited|banned|barred|read.only|off.limits)",
    r"(?:was|were) (?:forbidden|prohibited|banned|barred|read.only|off.limits) "
    r"(?:at the time|back then|before|until|then|last)",
    r"(?:did not|didn't|never|nobody|no.one) (?:said|say|stated?|asked|told|tell) "
    r"(?:[a-z]{1,12} )?(?:to never|never|not to)",
    r"(?:do|does|did) not (?:[a-z]{1,12} )?apply|(?:don't|doesn't|didn't) (?:[a-z]{1,12} )?apply",
    rf"(?:not|isn't|aren't|wasn't|weren't) (?:[a-z]{{1,12}} )?(?:{_BARRED})",
    r"no (?:[a-z-]{1,12} ){0,3}(?:needed|required|necessary)",
    r"(?:needs?|do|does) not (?:need |have )?to|needn't|(?:don't|doesn't) (?:have|need) to",
    name="RESCINDING",
)
BARRED = any_of(  # of a thing: it was under a rule
    RULE,
    r"restricted|forbidden|prohibited|banned|barred|off.limits|read.only|frozen|protected|locked",
    name="BARRED",
)
UNNEEDED = any_of(
    r"no longer (?:[a-z]{1,12} )?(?:needs?|needed|requires?|required|necessary|mandatory)",
    r"(?:not|[a-z]{2,7}n't) (?:[a-z]{1,12} )?(?:need|needed|require|required|necessary|mandatory)|no need|needn't",
    r"no (?:[^ ]{1,20} ){0,3}(?:needed|required|necessary)",
    name="UNNEEDED",
)
ALL_RULES = any_of(
    rf"(?:all|any|every|previous|prior|earlier|the above|these|those|no) (?:[a-z]{{1,12}} ){{0,2}}{RULE}",
    name="ALL_RULES",
)
STRUCK = re.compile(r"~~")
PERMITTING = any_of(
    r"(?:may|can) now|feel free|go ahead|has permission|have permission|free to",
    r"(?<!not )(?<!n't )(?<!only )(?<!never )(?:allowed|permitted|fine|ok|okay|acceptable) to",
    r"(?:is|are) (?:now |again )?(?:allowed|permitted|fine|ok|okay|acceptable)",
    name="PERMITTING",
)
NARROWING = any_of(
    r"for now|for today|today|this time|this week|temporarily|in this case|just this once|at the moment",
    r"until (?:further notice|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|the end|end of|next|\d)",
    r"for this (?:task|request|session|ticket|invoice|message|thread|run|item|file)",
    name="NARROWING",
)

# compounds that are things of their own and no rule for an agent
_THINGS = (
    r"(?:retention|cache|caching|fraud|routing|alert|alerting|lint|linting|firewall|backup|scaling|autoscaling|retry"
    r"|logging|validation|business|pricing|refund|return|privacy|cookie|foreign.key|unique|database|schema|type"
    r"|budget"
    r"|resource|capacity|time|password) (?:rules?|polic(?:y|ies)|constraints?|limits?|limitations?|requirements?)"
)
NO_RULE = any_of(_THINGS, name="NO_RULE")
MENTIONING = any_of(
    RULE,
    r"limitations?|safeguards?|protocols?|mandates?|(?<!dependency )requirements?|boundar(?:y|ies)",
    name="MENTIONING",
)
NOT_MENTIONING = any_of(
    r"(?:no|without|as a|any) (?:[a-z]{1,12} )?(?:rules?|constraints?|restrictions?|polic(?:y|ies))",
    name="NOT_MENTIONING",
)
SOME_RULE = any_of(
    rf"(?:there (?:is|are|was|were)|(?:has|have|had|set|gave|stated|mentioned)) (?:a|an|some|certain|several) {RULE}",
    rf"(?:some|certain|several) {RULE} (?:apply|applies|exist|were|was|are|is)",
    name="SOME_RULE",
)
RULE_ABOUT = re.compile(
    rf"(?<![^\W_])(?:{RULE}|requirements?|limitations?) (?:[a-z]{{1,12}} ){{0,3}}?"
    r"(?:about|on|regarding|concerning|around|for|against|with|of|governing|covering|involving|related to"
    r"|in)(?![^\W_])"
    rf"|(?<![^\W_])(?:{'|'.join(words('RULE_ABOUT'))})(?![^\W_])|{'|'.join(characters('RULE_ABOUT'))}"
)
IDIOMS = any_of(  # in the line above a list, of what a summary must keep or somebody must do
    r"(?:never|do not|don't|must not) (?:to )?(?:violate|forget|omit|break|lose|drop|discard|summari[sz]e|change)"
    r"(?: these)?",
    r"(?:required|necessary|needed) (?:actions?|steps?|follow.ups?|work|fix(?:es)?|remediation)",
    r"(?:actions?|steps?|follow.ups?|work|fix(?:es)?|remediation) (?:[a-z]{1,12} )?(?:required|needed|necessary)",
    r"(?:must|to|always) (?:be )?(?:preserved?|kept?|keep|carr(?:y|ied)|remember(?:ed)?|retain(?:ed)?)(?: forward)?",
    r"read.only|needed to continue|required to continue",
    name="IDIOMS",
)
_BUT = r",? (?<!nothing )(?<!none )(?<!anything )(?<!all )but "
_OTHER_BUT = (
    f"|,? (?:{'|'.join(words('BUT'))}) |,? ?(?:{'|'.join(characters('BUT'))})(?:, )?"
    rf"|(?<=[ぁ-ん])(?:{'|'.join(characters('BUT_AFTER'))}), "
)
CLAUSE = re.compile(rf"[;:()]| - |, and |{_BUT}| however | although | though {_OTHER_BUT}")
DEONTIC = (
    r"(?:never|no|do not|don't|must not|must|may not|cannot|can't|only|avoid|always|nothing|nobody|refrain|under no)"
    rf"(?![^\W_]){_or('DEONTIC')}"
)
# Where a sentence may go over from one rule to the next; `judgement.statements` keeps a topic with what it introduces.
STATEMENT = re.compile(
    rf"(; |{_BUT}|,? (?:however|whereas|although|while) |,? (?:and|und|y) (?={DEONTIC})"
    rf"|, (?={DEONTIC}){_OTHER_BUT})"  # split() keeps it
)
DOES_SO = any_of(r"(?:touch|do|done) (?:it|them|that|this|so)")  # the act of the statement before
REFERS_BACK = re.compile(
    r"(?<![^\W_])(?:on|to|into|from|with|for|in|at|of|against|about|via|through|there|touch|change|edit|delete|modify"
    r"|share|use|call|enable|drop|move|open|send|pay|keep|leave|loop|contact|involve|include|rotate|expose|deploy) "
    r"(?:it|them|him|her|there)(?![^\W_])"
    r"|^\W{0,4}(?:it|they|he|she|this|these|those) "
    r"(?:must|may|can|shall|should|is|are|needs?|has|have|cannot)(?![^\W_])"
    r"|(?<![^\W_])(?:there|such)(?![^\W_])"
    r"|(?<![^\W_])(?:this|that|these|those|the same|the said) (?:database|branch|region|path|folder|file|host|server"
    r"|account|domain|address|customer|client|vendor|supplier|person|date|day|flag|service|api|endpoint|table|system"
    r"|environment|cluster|repository|channel|room|key|credential|record|contract|invoice)s?(?![^\W_])"
    rf"|(?<![^\W_])(?:{'|'.join(words('REFERS_BACK'))})(?![^\W_])|{'|'.join(characters('REFERS_BACK'))}"
)
_OUTSIDE = ("outside(?: of)?|other than|beyond|external to|non|except(?: for| to)?|not (?:in|at|from|under|within)",)
OUTSIDE = f"(?:{'|'.join(_OUTSIDE + words('OUTSIDE'))})"
OUTSIDE_AFTER = re.compile(rf"\W{{0,3}}[^\x00-\x7f]{{0,6}}?(?:{'|'.join(characters('OUTSIDE_AFTER'))})")
ELSEWHERE = any_of(
    OUTSIDE,
    r"outsiders?|others?|only|elsewhere|external(?:ly)?|anyone else|anybody else|unless|within|inside|internal(?:ly)?"
    r"|limit(?:ed|s)?|restrict(?:ed|s)?|exclusively|solely|but|else|no other|third part(?:y|ies)|confined|keep"
    r"|stays?",
    name="ELSEWHERE",
)
POINTS_BACK = re.compile(rf"\W{{0,4}}(?:(?:this|that)\b|it\b|the (?:[a-z]{{1,12}} )?{RULE}\b{_or('POINTS_BACK')})")
TAKES_BACK = re.compile(
    rf"\W{{0,4}}(?:this|that|the) (?:[a-z]{{1,12}} )?{RULE}\b"
    rf"|\W{{0,4}}(?:it|this|that) (?:[a-z]{{1,12}} ){{0,3}}(?:{_LIFTED}|apply|applies)\b"
    rf"|\W{{0,4}}(?:{_or('TAKES_BACK')[1:]})"
)
EXCEPTING = re.compile(
    r"\W{0,4}(?:(?:exception|except|unless|only|the only exception|the exception|this|apart from|save)\b"
    rf"{_or('EXCEPTING')})"
)
EVEN = re.compile(
    rf"(?<![^\W_])(?:even|including|{'|'.join(words('EVEN'))})(?![^\W_])[^.;]{{0,30}}\Z"
    rf"|(?:{'|'.join(characters('EVEN'))})[^.,;]{{0,12}}\Z"
)
EVEN_AFTER = re.compile("|".join(characters("EVEN_AFTER")))
_FUNCTION_WORDS = """
a an the to of in on at by for from with and or any all this that these those it its be is are was were as if you your
i we they he she him her them who whom whose which what when where there here then than so also just please user agent
assistant rule rules note important reminder never not no do don't must may can cannot will shall should always only
ever under circumstances without
"""
STOPWORDS = frozenset(f"{_FUNCTION_WORDS} {FUNCTION_WORDS}".split())


@lru_cache(maxsize=4096)
def atom(phrase: str, language: Language = Language.ENGLISH) -> str:
    """A regular expression for one authored word or phrase, tolerant of plain inflections; no regex is authored."""
    found = flat(phrase).split()
    return " ".join(_word(word, language) for word in found) if found else r"(?!)"


def _word(word: str, language: Language) -> str:
    left, right = _boundary(word[0], r"(?<![^\W_])"), _boundary(word[-1], r"(?![^\W_])")
    if HAS_CJK.search(word):
        return left + (inflected(word, language) or re.escape(word)) + right
    if re.fullmatch(r"[^\W\d_]{3,}", word) and (forms := inflected(word, language)):
        return f"{left}(?:{forms}){right}"
    if re.fullmatch(r"[a-z]{3,}(?:-[a-z]{2,})*", word):
        *stems, last = word.split("-")
        if len(stems) > 1:  # `svc-acct-prod` is a name: not in `svc-acct-prod-old`
            left, right = rf"{left}(?<![^\W_][-_.@])", rf"{right}(?![-_.@][^\W_])"
        elif stems:
            right += r"(?![-_.]v?\d)"
        return left + "[- ]?".join([*stems, _inflected(last)]) + right
    if not re.fullmatch(r"[a-z0-9]+", word) or re.search(r"[a-z]\d|\d[a-z]", word):
        # An identifier: `acme.com` is not in `acme.com.evil.io`, nor `prod-1` in `prod-1-old` or `old-prod-1`.
        left, right = r"(?<![^\W_])(?<![^\W_][-_.@])", right and right + r"(?![-_.@][^\W_])"
    return left + re.escape(word) + right


def _boundary(edge: str, apart: str) -> str:
    return apart if edge.isalnum() and not HAS_CJK.match(edge) else ""


_IRREGULAR = {
    "write": "wrote|written",
    "overwrite": "overwrote|overwritten",
    "send": "sent",
    "run": "ran",
    "give": "gave|given",
    "take": "took|taken",
    "pay": "paid",
    "buy": "bought",
    "sell": "sold",
    "tell": "told",
    "speak": "spoke|spoken",
    "bring": "brought",
    "spend": "spent",
    "lend": "lent",
    "leave": "left",
    "hide": "hid|hidden",
    "break": "broke|broken",
}


def _inflected(word: str) -> str:
    if word in _IRREGULAR:
        return f"(?:{_regular(word)}|{_IRREGULAR[word]})"
    return _regular(word)


def _regular(word: str) -> str:
    if word.endswith("ing") and len(word) > 6:
        return word[:-3] + "(?:e|es|ed|ing|s)?"
    if word.endswith("e"):
        return word[:-1] + "(?:e|es|ed|ing|e's)"
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "(?:y|ies|ied|ying|y's)"
    return word + f"(?:s|es|{word[-1]}?ed|{word[-1]}?ing|ments?|'s)?"
