"""Viewer translations. The English text is the key; `korean.toml` has the Korean text, and a test reports missing
entries."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

LANGUAGES = {"en": "English", "ko": "한국어"}


@cache
def _korean() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_name("korean.toml").read_text("utf-8"))["words"]  # type: ignore[no-any-return]


def translate_text(language: str, text: str, **values: object) -> str:
    """Return a text in a language, with values inserted."""
    found = _korean().get(text, text) if language == "ko" else text
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
