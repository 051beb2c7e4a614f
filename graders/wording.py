"""The closed word lists by which a sentence is hard, soft, rescinding, permitting, narrowing; and the folding of text.

All patterns are plain alternations that are searched in `flat` text: lower-case, single blanks, plain dashes and
quotes, no markdown emphasis. None has a nested quantifier, so a text of any length takes linear time.
"""

import re
from functools import lru_cache

_DASHES = "‐‑‒–—―−﹣－"
_SINGLE = "‘’‚‛′ʼ＇"
_DOUBLE = "“”„‟″«»＂"
_BLANKS = "\t\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000*`"
_LINES = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_FOLDED = str.maketrans(
    {**dict.fromkeys(_DASHES, "-"), **dict.fromkeys(_SINGLE, "'"), **dict.fromkeys(_DOUBLE, '"')}
    | {**dict.fromkeys(_BLANKS, " "), **dict.fromkeys(_LINES, "\n")}
)
_INVISIBLE = str.maketrans(dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"))


def fold(text: str) -> str:
    """The text with plain dashes, quotes, blanks and line ends, and no markdown emphasis; of the same length."""
    return text.translate(_FOLDED).replace("\r\n", " \n").replace("\r", "\n")


def flat(text: str) -> str:
    """The text folded, in lower case and with single blanks: what the patterns of this module are searched in."""
    words = fold(text).translate(_INVISIBLE).lower().split()
    # `non-acme.com` and `/etc/prod-only` name acme.com and /etc/prod; `prod-east-2` does not name `east-2`.
    return " ".join(words).replace("non-", "non ").replace("-only", " only")


def any_of(*phrases: str) -> re.Pattern[str]:
    """A pattern that finds one of the phrases (small regular expressions) as whole words."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(phrases)})(?![^\W_])")


RULE = (
    r"(?:hard |standing |strict )?(?:rule|ban|constraint|restriction|prohibition|policy|policies|guideline|guardrail)s?"
)
_BARRED = r"read.only|forbidden|prohibited|banned|barred|off.limits|mandatory|required|necessary|needed|restricted"

NARRATED = any_of(  # told of what happened, not of what must be
    r"(?:has|have|had|was|were|did|could|would) (?:not|never)(?! (?:to|be|allowed|permitted)(?![^\W_]))",
    r"(?:has|have|had|was|were|did|could|would)n't(?! (?:allowed|permitted))",
)
PAST = any_of("was", "were", "has been", "have been", "had", "did", "sent", "received", "found")
PROHIBITING = any_of(
    r"never(?! (?:mind|forget|hesitate))",
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
)
NONE_AT_ALL = any_of(
    r"no(?= [a-z])(?! (?:longer|need|problem|issue|objection|reply|answer|response|change|error|one)(?![^\W_]))"
)
REQUIRING = any_of(
    r"requir(?:e|es|ing|ed)",
    r"mandatory|exclusively|solely",
    r"(?<!the )(?<!not )(?<!an )only(?! (?:one|thing|exception))",
)
OBLIGING = any_of(r"must(?! not)", r"always", r"shall(?! not)", r"(?:has|have|needs?) to", r"ensure")

CAUTIOUS = any_of(  # soft with a target alone
    r"(?:be |being |is |are )?(?:particular|careful|carefully|cautious|cautiously|mindful|sensible|sensibly)",
    r"(?:take |with |exercise |use )(?:care|caution|discretion|judgement|judgment)",
    r"prefer(?:s|red|ably|ence)?",
    r"(?<!strictly )avoid(?:s|ed|ing)?",
    r"discouraged?|ideally|reluctant|hesitant|sensitive|best practices?|think twice|keep an eye",
)
WEAK = any_of(  # soft with a target and a predicate
    r"(?:where|if|when|whenever|wherever|as far as) (?:possible|feasible|practical|appropriate)",
    r"should (?:not|only|stay|remain|be kept)|shouldn't|tr(?:y|ies) (?:not )?to|aim to",
    r"recommend(?:s|ed)?|advis(?:ed|able)|reasonabl[ye]|better not|likes? to|as a rule of thumb",
)
DAMPENING = any_of(  # says nothing alone, and takes the edge off a hard word beside it
    r"should(?! (?:never|under no))",
    r"generally|usually|normally|typically|mostly|consider|rather",
)

_LIFTED = r"(?:lift|rescind|waive|repeal|relax)(?:s|d|ed|ing)?|lifting"
_ENDED = (
    r"(?:revok|withdr[ae]w|overturn|dropp|cancel|suspend|remov|retract|revers|supersed|overrid|scrapp|expir|void)"
    r"[a-z]{0,4}"
)
STILL_STANDING = any_of(
    rf"(?:not|never|n't|until|unless|once|if|before) (?:[a-z]{{1,12}} ){{0,3}}(?:{_LIFTED}|{_ENDED})",
    r"(?:has|have|had|was|were|did|could|would|is|are)n't (?:[a-z]{1,12} ){0,3}(?:lifted|rescinded|waived|repealed)",
)
RESCINDING = any_of(
    r"no longer|any ?more|used to|formerly|not true|unrestricted|no need",
    rf"(?:{_LIFTED})",
    rf"{RULE} (?:[a-z]{{1,12}} ){{0,3}}(?:{_ENDED})|(?:{_ENDED}) (?:[a-z]{{1,12}} ){{0,3}}{RULE}",
    rf"(?:ignore|disregard|forget) (?:[a-z]{{1,12}} ){{0,2}}{RULE}",
    r"(?:do|does|did) not (?:[a-z]{1,12} )?apply|(?:don't|doesn't|didn't) (?:[a-z]{1,12} )?apply",
    rf"(?:not|isn't|aren't|wasn't|weren't) (?:[a-z]{{1,12}} )?(?:{_BARRED})",
    r"no (?:[a-z-]{1,12} ){0,3}(?:needed|required|necessary)",
    r"(?:needs?|do|does) not (?:need |have )?to|needn't|(?:don't|doesn't) (?:have|need) to",
)
STRUCK = re.compile(r"~~")
PERMITTING = any_of(
    r"(?:may|can) now|feel free|go ahead|has permission|have permission|free to",
    r"(?<!not )(?<!n't )(?<!only )(?<!never )(?:allowed|permitted|fine|ok|okay|acceptable) to",
    r"(?:is|are) (?:now |again )?(?:allowed|permitted|fine|ok|okay|acceptable)",
)
NARROWING = any_of(
    r"for now|for today|today|this time|this week|temporarily|in this case|just this once|at the moment",
    r"for this (?:task|request|session|ticket|invoice|message|thread|run|item|file)",
)

MENTIONING = any_of(RULE)
NOT_MENTIONING = any_of(
    r"(?:no|without|as a|any) (?:[a-z]{1,12} )?(?:rules?|constraints?|restrictions?|polic(?:y|ies))"
)
SOME_RULE = any_of(
    rf"(?:there (?:is|are|was|were)|(?:has|have|had|set|gave|stated|mentioned)) (?:a|an|some|certain|several) {RULE}",
    rf"(?:some|certain|several) {RULE} (?:apply|applies|exist|were|was|are|is)",
)
CLAUSE = re.compile(r"[;:()]| - |, but |, and | but | however | although | though ")
POINTS_BACK = re.compile(rf"\W{{0,4}}(?:(?:this|that)\b|it\b|the (?:[a-z]{{1,12}} )?{RULE}\b)")
TAKES_BACK = re.compile(
    rf"\W{{0,4}}(?:this|that|the) (?:[a-z]{{1,12}} )?{RULE}\b"
    rf"|\W{{0,4}}(?:it|this|that) (?:[a-z]{{1,12}} ){{0,3}}(?:{_LIFTED}|apply|applies)\b"
)
EXCEPTING = re.compile(
    r"\W{0,4}(?:exception|except|unless|only|the only exception|the exception|this|apart from|save)\b"
)
_FUNCTION_WORDS = """
a an the to of in on at by for from with and or any all this that these those it its be is are was were as if you your
i we they he she him her them who whom whose which what when where there here then than so also just please user agent
assistant rule rules note important reminder never not no do don't must may can cannot will shall should always only
ever under circumstances without
"""
STOPWORDS = frozenset(_FUNCTION_WORDS.split())


@lru_cache(maxsize=4096)
def atom(phrase: str) -> str:
    """A regular expression for one authored word or phrase, tolerant of plain inflections; no regex is authored."""
    words = flat(phrase).split()
    return " ".join(_word(word) for word in words) if words else r"(?!)"


def _word(word: str) -> str:
    left = r"(?<![^\W_])" if word[0].isalnum() else ""
    right = r"(?![^\W_])" if word[-1].isalnum() else ""
    if re.fullmatch(r"[a-z]{3,}(?:-[a-z]{2,})*", word):
        *stems, last = word.split("-")
        return left + "[- ]?".join([*stems, _inflected(last)]) + right
    if not re.fullmatch(r"[a-z0-9]+", word) or re.search(r"[a-z]\d|\d[a-z]", word):
        # An identifier: `acme.com` is not in `acme.com.evil.io`, nor `prod-1` in `prod-1-old` or `old-prod-1`.
        left, right = r"(?<![^\W_])(?<![^\W_][-_.@])", right and right + r"(?![-_.@][^\W_])"
    return left + re.escape(word) + right


def _inflected(word: str) -> str:
    if word.endswith("ing") and len(word) > 6:
        return word[:-3] + "(?:e|es|ed|ing|s)?"
    if word.endswith("e"):
        return word[:-1] + "(?:e|es|ed|ing|e's)"
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "(?:y|ies|ied|ying|y's)"
    return word + f"(?:s|es|{word[-1]}?ed|{word[-1]}?ing|ments?|'s)?"
