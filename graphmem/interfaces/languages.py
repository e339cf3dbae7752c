"""Viewer translations. The English text is the key; `korean.toml` has the Korean text, and a test reports missing
entries."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LANGUAGES = {"en": "English", "ko": "한국어"}


_COUNTED = (
    r"\{(?P<name>\w+)\}(?P<between> (?:more |older |unresolved )?)"
    r"(?P<noun>call|candidate|day|event|file|language|line|memorie|node|place|relation|row|session|step|test|text|time|token|turn)s\b"
    r"(?P<verb> (?:are|were|reach)\b)?"
)
_OF_ONE = {" are": " is", " were": " was", " reach": " reaches"}


@cache
def _korean() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_name("korean.toml").read_text("utf-8"))["words"]  # type: ignore[no-any-return]


def translate_text(language: str, text: str, **values: object) -> str:
    """Return a text in a language, with values inserted; in English, what is counted is in the singular after 1."""
    found = _korean().get(text, text) if language == "ko" else text
    if language != "ko" and 1 in values.values():
        found = re.sub(_COUNTED, lambda counted: _in_singular(counted, values), found)
    return found.format(**values) if values else found


def _in_singular(counted: re.Match[str], values: Mapping[str, object]) -> str:
    if values.get(counted["name"]) != 1:
        return counted[0]
    noun, verb = counted["noun"], counted["verb"] or ""
    noun = "memory" if noun == "memorie" else noun
    return f"{{{counted['name']}}}{counted['between']}{noun}{_OF_ONE.get(verb, verb) if len(values) == 1 else verb}"


def preferred_language(cookie: str | None, header: str) -> str:
    """Return the selected language, or the first supported language of the browser."""
    if cookie in LANGUAGES:
        return str(cookie)
    for part in header.lower().split(","):
        code = part.split(";")[0].strip()[:2]
        if code in LANGUAGES:
            return code
    return "en"
