"""The state of one search. It passes through the stages of `retriever.STAGES`; each reads the fields of earlier stages and
writes its own, as grouped in `State`. Nothing is kept between searches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from graphmem.model.results import Confidence, Hit
from graphmem.ports.clock import Clock
from graphmem.ports.embedder import Embedder, Reranker, Thesaurus
from graphmem.ports.places import Places
from graphmem.ports.text import ItemFilter, Match, Mentions, Sessions, Spellings, Stored, TextIndex
from graphmem.ports.vectors import VectorIndex
from graphmem.retrieve.guard import Guard

if TYPE_CHECKING:
    import numpy as np


class Index(TextIndex, Sessions, Spellings, Protocol):
    """A text index with its sessions and spellings."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that retrieval reads. Without an embedder or vectors, search uses words and names only."""

    text: Index
    mentions: Mentions
    clock: Clock
    vectors: VectorIndex | None = None
    embedder: Embedder | None = None
    thesaurus: Thesaurus | None = None
    reranker: Reranker | None = None
    reranked: int = 30  # number of hits that the reranker reads
    guard: Guard | None = None  # withholds hits that an agent must not see
    lacking: Callable[[], Mapping[str, str]] = dict  # why results may be incomplete now: part -> reason
    places: Places | None = None  # finds memories by file or symbol
    roots: Callable[[], Mapping[str, str]] = dict  # the folder of each project, in which cited files are checked


@dataclass(slots=True)
class State:
    """One search, changed in place: each group of fields is written by the stage named above it and read by later stages."""

    # the request: set by `Retriever.search`, changed by no stage
    ports: Ports
    query: str
    k: int
    where: ItemFilter
    now: datetime
    budget: int | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    min_score: float = 0.0  # hits with a lower score are left out
    least: int = 200  # minimum number of candidates to request from a channel

    # analyse_query
    terms: dict[str, float] = field(default_factory=dict)  # word -> weight
    related: dict[str, float] = field(default_factory=dict)  # synonym -> weight
    names: dict[str, float] = field(default_factory=dict)  # `name_key` -> probability that it is a name
    aliases: dict[str, float] = field(default_factory=dict)  # `name_key` of other names of the same thing -> strength
    span: tuple[int, int] | None = None  # the period that the query asks about: microseconds, half-open
    wanted: tuple[str, ...] = ()  # kinds that the query asks for
    complexity: float = 0.0
    about_code: bool = False  # a short question to code, documents or commits: set by `translate_query`
    vector: np.ndarray | None = None
    unrelated: float = 0.0  # the cosine of unrelated texts

    # search_and_interleave: candidates (`query_channels`, `add_entity_candidates`). Rows are those of the text index.
    channels: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))  # name -> row -> score
    matches: dict[int, Match] = field(default_factory=dict)
    stored: dict[int, Stored] = field(default_factory=dict)  # cache of `load`
    degraded: dict[str, str] = field(default_factory=dict)  # channel -> why it failed

    # search_and_interleave: order (`rank_candidates`, `demote_repetitions`); `rerank_hits` and `apply_priors` reorder it
    ranked: list[int] = field(default_factory=list)
    leading: int = 0  # number of rows that stay first, whatever their probability
    scores: dict[int, float] = field(default_factory=dict)
    why: dict[int, dict[str, float]] = field(default_factory=dict)  # row -> signal -> its share of the score

    # calibrate_hits
    seen: dict[int, dict[str, float]] = field(default_factory=dict)  # features of the best hits
    features: dict[str, float] = field(default_factory=dict)  # features of the whole result
    probabilities: dict[int, float] = field(default_factory=dict)
    relevance: float = 0.0
    confidence: Confidence = "none"

    # pack_result
    hits: list[Hit] = field(default_factory=list)
    context: str = ""
    tokens: int = 0
    expanded: int = 0  # number of hits shown in detail
    reason: str = "no_results"  # why so many were expanded
    withheld: int = 0

    @property
    def depth(self) -> int:
        """Return the number of candidates to request from a channel."""
        return max(self.least, 4 * self.k)

    def candidates(self) -> list[int]:
        """Return the rows that any channel found, in a stable order."""
        return list(dict.fromkeys(row for scores in self.channels.values() for row in scores))

    def within(self, where: ItemFilter, least: int) -> State:
        """Return a copy for a search among fewer items, with the same analysis and no candidates."""
        return replace(
            self,
            where=where,
            least=least,
            channels=defaultdict(dict),
            matches={},
            ranked=[],
            scores={},
            why={},
            seen={},
            probabilities={},
        )

    def load(self, rows: Iterable[int]) -> list[Stored]:
        """Return the items of these rows. Each is read once per search."""
        wanted = list(rows)
        missing = [row for row in wanted if row not in self.stored]
        if missing:
            self.stored |= {stored.row: stored for stored in self.ports.text.items(missing)}
        return [self.stored[row] for row in wanted if row in self.stored]
