"""Cuts the turns of a session into windows, each with the preceding turns as context. A language model reads one window
at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from graphmem.cognify.source import Source


class Window(NamedTuple):
    """A window: facts are extracted from `sources` only; `before` is context."""

    before: Sequence[Source]
    sources: Sequence[Source]


def cut_windows(sources: Iterable[Source], size: int, overlap: int) -> Iterator[Window]:
    """Yield each source in exactly one window."""
    sessions: dict[tuple[str, str], list[Source]] = {}
    for source in sources:
        sessions.setdefault((source.event.project, source.event.session), []).append(source)
    for turns in sessions.values():
        for start in range(0, len(turns), size):
            yield Window(turns[max(0, start - overlap) : start], turns[start : start + size])
