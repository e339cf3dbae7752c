"""The record `Noted`: the result of a verb with a note for the reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ResultWithNote:
    """A result with a note for the reader: printed below the result, and `meta.note` in JSON."""

    value: Any
    note: str


def split_note(result: Any) -> tuple[Any, str]:
    """Return a result and its note ("" if it has none)."""
    return (result.value, result.note) if isinstance(result, ResultWithNote) else (result, "")
