"""Stems of the words that tell what a statement is about, in English and Korean, without talk about rules and their change."""

from __future__ import annotations

import re
from functools import lru_cache

from graphmem.text.entities.korean import stem as without_particle
from graphmem.text.revising import is_revision_talk
from graphmem.text.words import stopwords

_WORD = re.compile(r"[^\W_]+(?:\.\d+)?")
_KOREAN_VERB = re.compile(r"(?<=[가-힣]{2})(?:하|한|할|했|해|합|되|된|될|됐)[가-힣]*$")
_KOREAN_NOUN_FORM = re.compile(r"(?<=[가-힣]{2})기(?:로)?$")  # "보내기로"
_PARTICLE = re.compile(r"(?<=[a-z0-9])[가-힣]{1,3}$")
_DATED = re.compile(r" \(\d{4}[^)]*\)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ENDING = re.compile(r"(?:ations?|ings?|ies|ied|ers?|ed|es|(?<!s)s)$")
_DOUBLED = re.compile(r"(?<=[aeiou])([bdgmnprt])\1$")
# Verbs and nouns that say little about what a decision is about.
GENERIC = frozenset(
    "use uses used using go goes keep let mak set run add need want put get hav do tak idea plan approach thing way".split()
)


@lru_cache(maxsize=8_192)
def subject_words(text: str) -> frozenset[str]:
    """Return the stems of a text."""
    words = (word.lower() for word in _WORD.findall(_CAMEL.sub(" ", _DATED.sub("", text))))
    return frozenset(
        stem_of(word)
        for word in words
        if (len(word) > 1 or word.isdigit()) and word not in stopwords() and not is_revision_talk(word)
    )


def topic_words(text: str) -> frozenset[str]:
    """Return the same without verbs that say little: "use", "keep", "make"."""
    return subject_words(text) - GENERIC


def stem_of(word: str) -> str:
    """Return a word in lower case without its ending or particle."""
    if word[0] >= "가":
        return _KOREAN_NOUN_FORM.sub("", _KOREAN_VERB.sub("", without_particle(word)))
    word = _PARTICLE.sub("", word)  # "redis에"
    plain = _without_ending(_without_ending(word))  # "numbered", "numbers", "number"
    return plain.rstrip("ey") if len(plain) > 3 else plain


def _without_ending(word: str) -> str:
    plain = _ENDING.sub("", word)
    return _DOUBLED.sub(r"\1", plain) if len(plain) >= 3 and plain != word else word  # "formatting", "dropped"
