"""Collects candidates: full-text search and vector search each contribute items with their own scores. A channel that
fails is reported in the result and skipped."""

from __future__ import annotations

from collections.abc import Callable

from graphmem.errors import GraphmemError
from graphmem.retrieve.state import State


def query_channels(state: State) -> None:
    """Ask every channel."""
    for name, channel in (("words", _words), ("vectors", _vectors)):
        run_channel(state, name, channel)


def run_channel(state: State, name: str, channel: Callable[[State], None]) -> None:
    """Run a channel. If it fails, report that in the result: the other channels may still find the answer."""
    try:
        channel(state)
    except (GraphmemError, OSError, ValueError, ArithmeticError) as error:
        state.degraded[name] = str(error)


def _words(state: State) -> None:
    for match in state.ports.text.search(state.terms, state.where, state.depth, state.related):
        state.channels["words"][match.row] = match.score
        state.matches[match.row] = match


def _vectors(state: State) -> None:
    vectors = state.ports.vectors
    if vectors is None or state.vector is None:
        return
    vectors.refresh()
    for row, cosine in vectors.search(state.vector, state.depth // 2, state.where):
        state.channels["vectors"][row] = max(0.0, cosine)
