"""Viewer translations. The English text is the key; `korean.toml` has the Korean text, and a test reports missing
entries."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

LANGUAGES = {"en": "English", "ko": "한국어"}
# English texts where `n` is one. Korean has no plural.
_SINGULAR = {
    "{n} memories given to the agent": "{n} memory given to the agent",
    "{n} events were forgotten": "{n} event was forgotten",
    "{n} tokens": "{n} token",
    "{n} tokens for an agent": "{n} token for an agent",
    "{n} turns": "{n} turn",
    "{n} days": "{n} day",
    "{n} times": "{n} time",
    "{n} rows": "{n} row",
    "{n} lines": "{n} line",
    "{n} files, {m} lines": "{n} file, {m} lines",
    "{n} tests reach it.": "{n} test reaches it.",
    "{n} unresolved calls might also call it.": "{n} unresolved call might also call it.",
    "{n} calls to methods that it overrides may run it.": "{n} call to a method that it overrides may run it.",
    "Referenced without a call in {n} places.": "Referenced without a call in {n} place.",
    "{n} relations are left out.": "{n} relation is left out.",
    "{n} older sessions were not read.": "{n} older session was not read.",
    "{n} more that are near but unlikely to answer it": "{n} more that is near but unlikely to answer it",
    "subagent, {n} steps": "subagent, {n} step",
    "and {n} more steps": "and {n} more step",
    "used in {n} steps": "used in {n} step",
    "agents were warned {n} times": "agents were warned {n} time",
    "mentioned in {n} texts": "mentioned in {n} text",
}


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
    """Return a text in a language, with values inserted; in English with the singular if `n` is one."""
    is_one = str(values.get("n")) == "1"
    found = _korean().get(text, text) if language == "ko" else _SINGULAR.get(text, text) if is_one else text
    return found.format(**values) if values else found


def preferred_language(cookie: str | None, header: str) -> str:
    """Return the selected language, or the first supported language of the browser."""
    if cookie in LANGUAGES:
        return str(cookie)
    for part in header.lower().split(","):
        code = part.split(";")[0].strip()[:2]
        if code in LANGUAGES:
            return code
    return "en"
