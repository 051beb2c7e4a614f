"""Whether a sentence lays down a hard rule, and whether a conversation has said the like."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from .languages import CJK, characters, words
from .wording import HAS_CJK, NARRATED, STOPWORDS, any_of

_OPENING = (
    r"(?:^|[:;,] | - )[^\w]{0,6}(?:(?:hard |standing |important )?(?:rule|note|policy|constraint|reminder)s? ?:? )?"
)
_LAYS_DOWN = re.compile(
    _OPENING + r"(?:never|always|do not|don't|under no circumstances|must not)\b"
    r"|\b(?:to|should|must|agent|assistant|you) never\b|\b(?:must|may|shall) not\b"
    r"|\b(?:is|are) (?:strictly )?(?:forbidden|prohibited|banned|off.limits|not allowed|not permitted)\b"
    rf"|\b(?:{'|'.join(words('LAYS_DOWN'))})\b|{'|'.join(characters('LAYS_DOWN'))}"
)
_WAITING = any_of(
    r"wait(?:s|ing)?", r"await(?:s|ing)?", "blocked", "pending", "until", "on hold", "not yet", name="WAITING"
)
_LIKENESS = 0.75  # share of a sentence's words that must stand together to have been said
_COMMON = 200  # a word in more sentences than this tells nothing, and following it would cost too much


def is_hard_rule(sentence: str) -> bool:
    """Whether a flat sentence lays down a rule of at least two words' substance, and describes no waiting task."""
    said = NARRATED.sub(" ", sentence)
    return bool(_LAYS_DOWN.search(said)) and not _WAITING.search(said) and len(_substance(said)) >= 2


def said_before(conversation: Iterable[str]) -> Callable[[str], bool]:
    """A test whether most words of a flat sentence stand together in one sentence of the conversation."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, sentence in enumerate(conversation):
        for word in _substance(sentence):
            places[word].append(number)

    def said(sentence: str) -> bool:
        own = _substance(sentence)
        common = sum(len(places.get(word, ())) > _COMMON for word in own)
        together = Counter(n for word in own if len(places.get(word, ())) <= _COMMON for n in places.get(word, ()))
        best = max(together.values(), default=0)
        return common + best >= _LIKENESS * len(own)

    return said


def _substance(sentence: str) -> set[str]:
    found = re.findall(rf"[^\W_{CJK}]+(?:[-./@'][^\W_{CJK}]+)*|[{CJK}]+", sentence)
    return {part for word in found if word not in STOPWORDS for part in _parts(word)}


def _parts(word: str) -> list[str]:
    """The stem of a word; of a run of Chinese or Japanese, where nothing divides words, its pairs of characters."""
    if not HAS_CJK.match(word):
        return [_stem(word)]
    return [word[i : i + 2] for i in range(max(1, len(word) - 1))]


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
