"""Formats an item for display: one-line summary, citation, time. Rules only, the same in all interfaces."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from graphmem.model.changes import Item
from graphmem.ports.text import Stored
from graphmem.text.reports import is_acknowledgement

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?。])\s+|\n+")
_BARE = re.compile(
    r"(?:module|namespace|package|file) \S+ in \S+"
)  # what the projection writes for one without a docstring
MAX_SUMMARY_CHARS = 100  # characters of a one-line summary


def to_datetime(at: int) -> datetime:
    """Return microseconds since 1970 as a time in UTC."""
    return _EPOCH + timedelta(microseconds=at)


def to_microseconds(at: datetime) -> int:
    """Return a time as microseconds since 1970; a naive one counts as UTC."""
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def is_bare_module(kind: str, role: str, text: str) -> bool:
    """Return whether an item is the module of a file without documentation: it says only that the file exists.

    >>> is_bare_module("symbol", "module", "module sync in src/sync.ts"), is_bare_module("symbol", "function", "sync()")
    (True, False)
    """
    return kind == "symbol" and bool(role) and bool(_BARE.fullmatch(text.strip())) and text.startswith(f"{role} ")


def summarise_item(item: Item, limit: int = MAX_SUMMARY_CHARS) -> str:
    """Return the title of an item, or else its first sentence that does not only acknowledge, without code, cut between words."""
    plain = " ".join(_FENCE.sub(" [code] ", item.text).split())
    parts = [part for part in _SENTENCE.split(plain.strip()) if part.strip()]
    text = item.title or next((part for part in parts if not is_acknowledgement(part)), "".join(parts[:1]))
    return truncate_text(" ".join(text.split()), limit)


def truncate_text(text: str, limit: int) -> str:
    """Return at most `limit` characters, cut between words if there is one to cut at."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    blank = head.rfind(" ")
    return (head[:blank] if blank > limit // 2 else head).rstrip() + "…"


def format_item_citation(stored: Stored) -> str:
    """Return the citation `[mem:XXXXXX]` of the event that the item came from."""
    return f"[mem:{stored.cite}]"


def preview_item(item: Item) -> str:
    """Return at most 200 characters of an item, in one line."""
    return truncate_text(" ".join(item.text.split()), 200)
