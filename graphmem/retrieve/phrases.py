"""Phrasal verbs (`data/phrasal_verbs.txt`): people say "worked out" where code says "calculate". Word by word they mislead:
"out" is a word of files and streams."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_ENDINGS = r"(?:s|es|ed|d|ing)?"
_GAP = r"((?: [^\s,;.?!]+){0,3}?)"  # words between a verb and its particle


@cache
def _table() -> tuple[re.Pattern[str], dict[str, re.Pattern[str]]]:
    """Return the pattern of all first words, and that of each phrase by what code calls it."""
    lines = (Path(__file__).parent / "data" / "phrasal_verbs.txt").read_text("utf-8").splitlines()
    found: dict[str, list[str]] = {}
    verbs: dict[str, None] = {}
    for line in lines:
        if line.startswith("#"):
            continue
        phrase, _, word = line.partition(" = ")
        verb, rest = phrase.split(" ", 1)
        forms = "|".join(_forms(form) for form in verb.split("|"))
        verbs[forms] = None
        particle = rest.removeprefix("... ")
        found.setdefault(word, []).append(rf"(?:{forms}){_GAP if particle != rest else '()'} {re.escape(particle)}")
    patterns = {word: re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.I) for word, phrases in found.items()}
    return re.compile(rf"\b(?:{'|'.join(verbs)})\b", re.I), patterns


def _forms(verb: str) -> str:
    """Return the pattern of a verb with its regular endings: `puts`, `putting`, `makes`, `making`."""
    last = re.escape(verb[-1])
    return rf"{re.escape(verb)}(?:{last}?{_ENDINGS})" if verb[-1] != "e" else rf"{re.escape(verb[:-1])}(?:e[sd]?|ing)"


def rewrite_phrases(query: str) -> str:
    """Return a question with its phrasal verbs as the words that code uses.

    >>> rewrite_phrases("where is the delay worked out"), rewrite_phrases("who puts the terminal back")
    ('where is the delay calculate', 'who restore the terminal')
    """
    verbs, patterns = _table()
    if not verbs.search(query):
        return query
    for word, pattern in patterns.items():
        query = pattern.sub(lambda found, word=word: word + "".join(filter(None, found.groups())), query)
    return query
