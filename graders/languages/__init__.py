"""What a text in German, Spanish, Chinese or Japanese says of a rule: the closed word lists beside those of `wording`.

Each file has one dictionary, from the name of a list in `wording` to small regular expressions. Those of German and
Spanish stand for whole words, those of Chinese and Japanese for characters anywhere, since no blanks divide words
there. Flat text has a blank where such characters meet others, `, ` for their commas and `; ` for their semicolons.
"""

import re
from enum import StrEnum

from .chinese import CHINESE
from .german import FUNCTION_WORDS as _GERMAN
from .german import GERMAN
from .german import inflected as german
from .japanese import JAPANESE
from .japanese import inflected as japanese
from .spanish import FUNCTION_WORDS as _SPANISH
from .spanish import SPANISH
from .spanish import inflected as spanish

CJK = r"\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""The characters that are written without blanks between words, as the inside of a character class."""

FUNCTION_WORDS = _GERMAN + _SPANISH
LETTERS = r"A-Za-z0-9_\u00b5-\u024f\u0370-\u052f"
"""The characters that an identifier is made of: Chinese and Japanese stand around it without a blank."""

__all__ = ["CJK", "FUNCTION_WORDS", "LETTERS", "Language", "characters", "inflected", "language_of", "spaced", "words"]


class Language(StrEnum):
    """Whose endings a rule's words take."""

    ENGLISH = "en"
    GERMAN = "de"
    SPANISH = "es"


_OF_CJK = re.compile(f"[{CJK}]")
_ENGLISH = "the of and to is are be not never any without with into from or for do don't must"
_SIGNS = {
    Language.ENGLISH: set(_ENGLISH.split()),
    Language.GERMAN: set(_GERMAN.split()) - {"in", "an", "war", "man", "die", "am", "im", "so", "agent"},
    Language.SPANISH: set(_SPANISH.split()) - {"no", "son", "me", "favor"},
}
_LETTERS = {Language.GERMAN: re.compile("[äöüß]"), Language.SPANISH: re.compile("[áéíóúñ¿¡]")}


def language_of(text: str) -> Language:
    """The language whose little words and letters a rule has most of; English where none has more.

    >>> language_of("Niemals Dateien unter /srv löschen").value, language_of("Never delete a file of José").value
    ('de', 'en')
    """
    found = re.findall(r"[^\W\d_]+(?:'t)?", text.lower())
    signs = {language: sum(word in known for word in found) for language, known in _SIGNS.items()}
    for language, letters in _LETTERS.items():
        signs[language] += sum(letters.search(word) is not None for word in found)
    return max(signs, key=lambda language: signs[language])


def words(name: str) -> tuple[str, ...]:
    """The German and Spanish phrases of a list."""
    return GERMAN.get(name, ()) + SPANISH.get(name, ())


def characters(name: str) -> tuple[str, ...]:
    """The Chinese and Japanese phrases of a list."""
    return CHINESE.get(name, ()) + JAPANESE.get(name, ())


_MET = re.compile(rf"(?<=[{CJK}])(?=[^\W{CJK}])|(?<=[^\W{CJK}])(?=[{CJK}])")


def spaced(text: str) -> str:
    """The text with a blank where Chinese or Japanese characters meet other letters or digits.

    >>> spaced("发票4475已付")
    '发票 4475 已付'
    """
    return text if text.isascii() else _MET.sub(" ", text)


def inflected(word: str, language: Language) -> str | None:
    """A regular expression for a word with the endings of its language; None for English, and for what takes none."""
    if _OF_CJK.search(word):
        return japanese(word)
    if language is Language.GERMAN:
        return german(word)
    return spanish(word) if language is Language.SPANISH else None
