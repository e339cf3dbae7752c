"""Converts texts to the terms of the index. SQLite's tokeniser handles ordinary words; this module adds the parts of
compound identifiers, versions, pairs of Korean, Chinese and Japanese letters, and the folding of names."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import accumulate

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?:[^\W_]|[+#])+")
_BLANKED = bytes(code if chr(code).isalnum() else 32 for code in range(128)) + bytes(128)
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum() and chr(code) not in "+#")
_HUMP = re.compile(r"[a-z][A-Z]")
_COMPOUND = re.compile(r"\b[A-Z]*+[a-z]++[A-Z][A-Za-z0-9]*")  # possessive: plain words are read once
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VERSION = re.compile(r"(?<![\w.])v?(\d{1,6}(?:\.\d{1,6}){1,3})(?!\.?[0-9A-Za-z_])")
_WIDE = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]+")
_NAME_BEFORE_WIDE = re.compile(
    r"(?<![^\W_])[A-Za-z0-9]+(?=[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff])"
)
_MAX_WORD_CHARS = 40  # letters; longer runs are hashes and encoded data, which nobody misspells


def split_words(text: str) -> list[str]:
    """Lower-case runs of letters and digits, in order. `_` separates, as it does for SQLite."""
    lowered = text.lower()
    if not lowered.isascii():
        return _WORD.findall(lowered)
    return lowered.encode().translate(_BLANKED).decode().split()  # bytes: strings are translated ten times slower


def compound_grams(text: str) -> list[str]:
    """Return the parts of compound identifiers (`HttpRequest` -> http, request), versions and their beginnings as one word
    (`5.1.0` -> 5v1, 5v1v0), names before a Korean particle (`TTL을` -> ttl), and pairs of letters of wide scripts."""
    found = [part for word in _COMPOUND.findall(text) for part in _parts(word)] if _HUMP.search(text) else []
    if "." in text:
        for version in _VERSION.findall(text):
            _, *longer = accumulate(version.split("."), "{}v{}".format)
            found += longer
    if not text.isascii():
        found += _NAME_BEFORE_WIDE.findall(text)
        found += [pair for run in _WIDE.findall(text) for pair in character_bigrams(run)]
    return found


@lru_cache(maxsize=16_384)  # identifiers of a project come again and again
def _parts(word: str) -> list[str]:
    return _PART.findall(word)


def character_bigrams(run: str) -> list[str]:
    """Neighbouring letters, two by two; a single letter stays single."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def query_terms(text: str) -> list[str]:
    """Return the distinct terms under which to look for a text, in order of appearance."""
    return list(dict.fromkeys([*split_words(text), *(gram.lower() for gram in compound_grams(text))]))


def is_spellable(word: str) -> bool:
    """Return whether someone could know it in part or misspell it."""
    return 3 <= len(word) <= _MAX_WORD_CHARS and word.isascii() and not word.isdigit()


def fold_name(name: str) -> str:
    """Return the key under which spellings of a name meet: without case, accents, punctuation and blanks. `+` and `#`
    stay, for C++ is not C."""
    if name.isascii():
        return name.lower().encode().translate(None, _DROPPED).decode()
    plain = unicodedata.normalize("NFKD", name)
    name = unicodedata.normalize("NFC", "".join(c for c in plain if not unicodedata.combining(c)))
    return "".join(_NAME.findall(name.casefold()))


def character_trigrams(word: str) -> set[str]:
    """Return the runs of three letters in a word."""
    return {word[i : i + 3] for i in range(len(word) - 2)}
