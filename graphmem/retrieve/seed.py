"""Collects candidates by full-text search and vector search. A channel that fails is reported in the result and skipped."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from graphmem.errors import GraphmemError
from graphmem.ports.text import Match
from graphmem.retrieve.ports import Ports
from graphmem.retrieve.records import Analysis, ChannelResults, Request

Result = TypeVar("Result")


def query_channels(ports: Ports, request: Request, analysis: Analysis) -> ChannelResults:
    """Return the candidates of full-text search and vector search."""
    matches, words_failed = try_channel("words", partial(_match_words, ports, request, analysis), dict[int, Match]())
    cosines, vectors_failed = try_channel(
        "vectors", partial(_match_vector, ports, request, analysis), dict[int, float]()
    )
    words = {row: match.score for row, match in matches.items()}
    return ChannelResults({"words": words, "vectors": cosines}, matches, {**words_failed, **vectors_failed})


def try_channel(name: str, channel: Callable[[], Result], default: Result) -> tuple[Result, dict[str, str]]:
    """Return the result of a channel, or the default and, by name, why the channel failed."""
    try:
        return channel(), {}
    except (GraphmemError, OSError, ValueError, ArithmeticError) as error:
        return default, {name: str(error)}


def _match_words(ports: Ports, request: Request, analysis: Analysis) -> dict[int, Match]:
    found = ports.text.search(analysis.terms, request.where, request.depth, analysis.related)
    return {match.row: match for match in found}


def _match_vector(ports: Ports, request: Request, analysis: Analysis) -> dict[int, float]:
    if ports.vectors is None or analysis.vector is None:
        return {}
    ports.vectors.refresh()
    found = ports.vectors.search(analysis.vector, request.depth // 2, request.where)
    return {row: max(0.0, cosine) for row, cosine in found}
