"""Checks whether a quote and what stands around it support a sentence: its numbers and names are there, the sentence affirms
what they affirm, and it is about the same. Says what is missing, in one sentence. English and Korean; no model."""

from __future__ import annotations

from graphmem.patterns import compile_later
from graphmem.text.topics import stem_of
from graphmem.text.words import content_words

_AROUND = 1_500  # characters before and after a quote in which a sentence may find its words
_SHARE = 0.4  # least share of the content words of a sentence that its quote and the words around it have
_NUMBER = compile_later(r"(?<![\w.])\d+(?:[.,:]\d+)*(?![\w])")
_IDENTIFIER = compile_later(r"`([^`\n]{2,80})`|\b(\w+(?:_\w+)+|[a-z]+[A-Z]\w*|[\w-]+(?:[/.][\w-]+)+)\b")
_NAME = compile_later(r"(?<=[a-z,;가-힣] )[A-Z][\w+#-]+")  # within a sentence; at its start any word has a capital
_NEGATION = compile_later(
    r"\b(?:not|never|no|none|nor|cannot|without|neither|forbidden|instead of|rather than|no longer|stop(?:s|ped)?|avoid\w*)\b"
    r"|n['’]t\b|않|못|없|아니|금지|말 ?것|마세요|말고|대신",
)

_KEY = compile_later(r"[A-Z0-9]{12,}|\S{32,}")
_BREAK = compile_later(r"[.!?](?=\s)|\n")
_DENIAL = compile_later(r"\b(?:not|never|cannot|no longer)\b|n['’]t\b")
_DENIED = 40  # characters behind a negation


def missing_support(sentence: str, source: str, start: int, end: int, *, given: str = "") -> str:
    """Return what `source[start:end]` and the text around it lack to support a sentence; "" if nothing. `given` are names that
    need no support, such as the files it is about.

    >>> text = "Keep the cache in Redis for 30 days."
    >>> missing_support("The cache is in Redis for 90 days.", text, 0, len(text))
    'the number 90'
    >>> missing_support("The cache is not kept in Redis.", text, 0, len(text))
    'a negation'
    """
    quote, around = source[start:end], f"{source[max(0, start - _AROUND) : end + _AROUND]} {given}"
    numbers = set(_NUMBER.findall(around))
    for number in _NUMBER.findall(sentence):
        if number not in numbers:
            return f"the number {number}"
    plain = around.lower()
    named = [code or name for code, name in _IDENTIFIER.findall(sentence)] + _NAME.findall(sentence)
    for name in named:
        if name.lower() not in plain and not _KEY.fullmatch(name):  # a key is redacted in either
            return f"the name `{name}`"
    if _NEGATION.search(sentence.lower()) and not _NEGATION.search(_whole_sentences(source, start, end).lower()):
        return "a negation"
    stems = {stem_of(word) for word in content_words(around)}
    words = {stem_of(word) for word in content_words(sentence)}
    if not _NEGATION.search(sentence.lower()) and _denies(quote, words):
        return "an affirmation: the quote denies or forbids it"
    if len(words & stems) < _SHARE * len(words):
        return "most of its words"
    return ""


def _denies(quote: str, words: set[str]) -> bool:
    """Return whether a quote denies or forbids what these stems say: "never force-push" of "a force-push is allowed"."""
    for found in _DENIAL.finditer(quote.lower()):
        denied = [stem_of(word) for word in content_words(quote[found.end() : found.end() + _DENIED])[:2]]
        if denied and words.issuperset(denied):
            return True
    return False


def _whole_sentences(source: str, start: int, end: int) -> str:
    """Return a quote with the rest of the sentences that it begins and ends in."""
    before = [found.end() for found in _BREAK.finditer(source, max(0, start - _AROUND), start)]
    after = _BREAK.search(source, max(start, end - 1), end + _AROUND)
    return source[before[-1] if before else max(0, start - _AROUND) : after.end() if after else end + _AROUND]
