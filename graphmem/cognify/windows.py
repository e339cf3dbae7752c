"""Cuts turns into windows of one session, in order, each with the last turns before it as context: what a model reads at a
time (REQUIREMENTS 21)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from graphmem.cognify.source import Source


class Window(NamedTuple):
    """`sources` are read for what they state, `before` only to understand them."""

    before: Sequence[Source]
    sources: Sequence[Source]


def cut_windows(sources: Iterable[Source], size: int, overlap: int) -> Iterator[Window]:
    """Each source in exactly one window."""
    sessions: dict[tuple[str, str], list[Source]] = {}
    for source in sources:
        sessions.setdefault((source.event.project, source.event.session), []).append(source)
    for turns in sessions.values():
        for start in range(0, len(turns), size):
            yield Window(turns[max(0, start - overlap) : start], turns[start : start + size])
