"""Viewer translations. The English text is the key; `korean.toml` has the Korean text, and a test reports missing
entries."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

LANGUAGES = {"en": "English", "ko": "한국어"}
# English nouns after a number, where it is one. Korean has no plural.
_ONE = {
    "memories": "memory", "events": "event", "tokens": "token", "turns": "turn", "days": "day", "times": "time", "rows": "row",
    "lines": "line", "files": "file", "nodes": "node", "relations": "relation", "texts": "text", "sessions": "session",
    "steps": "step", "languages": "language", "candidates": "candidate",
}  # fmt: skip
_NOUN = re.compile(r"\{(\w+)\} (\w+)")
# English texts where the verb follows `n`, too, or that stand below their number.
_SINGULAR = {
    "{n} events were forgotten": "{n} event was forgotten",
    "{n} tests reach it.": "{n} test reaches it.",
    "{n} unresolved calls might also call it.": "{n} unresolved call might also call it.",
    "{n} calls to methods that it overrides may run it.": "{n} call to a method that it overrides may run it.",
    "Referenced without a call in {n} places.": "Referenced without a call in {n} place.",
    "{n} relations are left out.": "{n} relation is left out.",
    "{n} older sessions were not read.": "{n} older session was not read.",
    "{n} more that are near but unlikely to answer it": "{n} more that is near but unlikely to answer it",
    "and {n} more steps": "and {n} more step",
    "texts": "text", "memories": "memory", "sessions": "session", "tokens": "token", "used in steps": "used in step",
    "cited in answers": "cited in answer", "Events": "Event", "Sessions": "Session", "Facts": "Fact", "Commits": "Commit",
    "Files": "File", "Symbols": "Symbol", "Relations": "Relation",
}  # fmt: skip


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("korean.toml").read_text("utf-8"))


def _korean() -> dict[str, str]:
    return _tables()["words"]


@cache
def _messages() -> list[tuple[re.Pattern[str], str]]:
    """Return the patterns of known errors with their Korean sentences, the most exact first."""
    known = sorted(_tables()["messages"].items(), key=lambda pair: -len(re.sub(r"\{\w\}", "", pair[0])))
    return [
        (re.compile(re.sub(r"\\\{(\w)\\\}", r"(?P<\1>.+?)", re.escape(english)), re.DOTALL), korean)
        for english, korean in known
    ]


def translate_message(language: str, message: str) -> str | None:
    """Return an error in a language, or None if its sentence is not known there.

    >>> translate_message("ko", "there is no task `paint`")
    '작업 `paint`이(가) 없습니다.'
    """
    if language == "en":
        return message
    matches = ((pattern.fullmatch(message), korean) for pattern, korean in _messages())
    return next((korean.format(**found.groupdict()) for found, korean in matches if found), None)


def translate_text(language: str, text: str, **values: object) -> str:
    """Return a text in a language, with values inserted; in English with the singular after a one.

    >>> translate_text("en", "{n} files, {m} lines", n=1, m=12)
    '1 file, 12 lines'
    """
    if language == "ko":
        found = _korean().get(text, text)
    else:
        found = _SINGULAR.get(text, text) if str(values.get("n")) == "1" else text
        found = _NOUN.sub(lambda noun: _one(noun, values), found)
    return found.format(**values) if values else found


def _one(noun: re.Match[str], values: dict[str, object]) -> str:
    name, word = noun.groups()
    return f"{{{name}}} {_ONE[word]}" if word in _ONE and str(values.get(name)) == "1" else noun[0]


def preferred_language(cookie: str | None, header: str) -> str:
    """Return the selected language, or the first supported language of the browser."""
    if cookie in LANGUAGES:
        return str(cookie)
    for part in header.lower().split(","):
        code = part.split(";")[0].strip()[:2]
        if code in LANGUAGES:
            return code
    return "en"
