"""Encodes lists of strings as JSON text, because Kuzu 0.11.3 corrupts columns when nodes are updated after a
checkpoint: strings with its own compression, lists without it. That compression is therefore off (`packing` compresses
closed graphs instead). The encoded text starts with a prefix that no stored text has."""

from __future__ import annotations

import json
from collections.abc import Sequence

_MARK = "\x1e["  # a control character, and the first of the JSON text


def encode_list(values: Sequence[str] | None) -> str | None:
    """Return the text of a list; None for none."""
    return None if values is None else f"\x1e{json.dumps(list(values), ensure_ascii=False)}"


def encode_texts(values: Sequence[str | None]) -> Sequence[str | None]:
    """Return texts for a column. One that begins with the mark, which a stranger may have written, loses it: it is no list."""
    if any(text and text.startswith(_MARK) for text in values):
        return [text.lstrip("\x1e") if text else text for text in values]
    return values


def decode_list(text: str) -> str | list[str]:
    """Return the list that a text stands for; any other text unchanged."""
    if not text.startswith(_MARK):
        return text
    try:
        values = json.loads(text[1:])
    except (ValueError, RecursionError):
        return text
    return values if isinstance(values, list) and all(isinstance(value, str) for value in values) else text
