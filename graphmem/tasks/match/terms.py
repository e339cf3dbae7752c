"""Converts text to terms for matching: stems of English words, parts of compound identifiers plus the whole identifier or
path, pairs of Korean, Chinese and Japanese characters."""

from __future__ import annotations

import re
import unicodedata

from graphmem.patterns import compile_later

_WORD = compile_later(r"[^\W_]+")
_COMPOUND = compile_later(r"[A-Za-z0-9]+(?:[._/\-:][A-Za-z0-9]+)+|[A-Za-z]*[a-z][A-Z][A-Za-z0-9]*")
_CAMEL = compile_later(r"[a-z][A-Z]")
_PART = compile_later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WIDE = compile_later(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]+")
_MAX_IDENTIFIER_CHARS = 60  # characters of an identifier that people would repeat
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
    a an the of to in on for and or is are be was were been this that these those it its as at by with from not no
    do does did can could should would will may might must have has had if then than so but we i you they he she
    our your their there here when while which who what how why also only just into out up down over more most
    such any all each other some same via per etc
    """,
    )
)
# (ending, replacement), the longest match first; at least three letters must remain.
_ENDINGS = (
    ("izations", "ize"), ("ization", "ize"), ("ational", "ate"), ("iveness", "ive"), ("fulness", "ful"),
    ("ations", "ate"), ("ation", "ate"), ("ements", "e"), ("ement", "e"), ("ments", ""), ("ment", ""), ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"), ("ings", ""), ("ing", ""), ("edly", ""), ("ed", ""), ("ers", "er"), ("ors", "or"), ("s", ""),
)  # fmt: skip


def stem_for_tasks(word: str) -> str:
    """Return a lower-case English word without its ending, so that "fixes", "fixed" and "fixing" meet.

    >>> stem_for_tasks("migrations") == stem_for_tasks("migrate")
    True
    """
    if len(word) <= 3 or not word.isascii():
        return word
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(replacement) >= 3:
            if ending == "s" and word.endswith(("ss", "us", "is")):
                continue
            word = word[: -len(ending)] + replacement
            if ending in ("ing", "ings", "ed") and len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 4 and word.endswith("y") else word


def split_terms(text: str) -> list[str]:
    """Return the terms of a text in order, with repetitions; whole identifiers and paths start with `=`."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    found = [f"={m.group().lower()}" for m in _COMPOUND.finditer(text) if len(m.group()) <= _MAX_IDENTIFIER_CHARS]
    for word in _WORD.findall(text.replace("_", " ")):
        if not word.isascii() and (runs := _WIDE.findall(word)):
            found += [pair for run in runs for pair in ([run[i : i + 2] for i in range(len(run) - 1)] or [run])]
            continue
        lower = word.lower()
        if _CAMEL.search(word):
            parts = (part.lower() for part in _PART.findall(word))
            found.append(stem_for_tasks(lower))
            found += [stem_for_tasks(part) for part in parts if len(part) > 1 and part not in _STOP]
        elif lower not in _STOP and (len(lower) > 1 or lower.isdigit()):
            found.append(stem_for_tasks(lower))
    return found
