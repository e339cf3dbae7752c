"""The script that a text is written in."""

from __future__ import annotations

import re

_SCRIPTS = {
    "hangul": re.compile(r"[가-힣]"),
    "kana": re.compile(r"[\u3040-\u30ff]"),
    "han": re.compile(r"[\u4e00-\u9fff]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
}
_MIN_SCRIPT_SHARE = 0.15  # of the letters that make the script of a text


def detect_script(text: str) -> str:
    """Return the script that a text is written in, "" for Latin letters. Any kana make it Japanese."""
    if text.isascii():
        return ""
    least = _MIN_SCRIPT_SHARE * max(1, len(text) - text.count(" "))
    for name, letters in _SCRIPTS.items():
        if len(letters.findall(text)) >= (least / 3 if name == "kana" else least):
            return name
    return ""
