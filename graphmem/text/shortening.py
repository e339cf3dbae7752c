"""Shortens texts for lists."""

from __future__ import annotations


def one_line(text: str, limit: int) -> str:
    """Return a text as one line of at most `limit` characters."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
