"""What the stages of one search share: the request, the ports, and the candidates with the score that each channel gave
them. A stage reads and extends it; none keeps anything between searches."""

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
    """Everything that retrieval reads. Without an embedder or vectors it works on words alone."""

    text: Index
    mentions: Mentions
    clock: Clock
    vectors: VectorIndex | None = None
    embedder: Embedder | None = None
    thesaurus: Thesaurus | None = None
    reranker: Reranker | None = None
    reranked: int = 30  # hits that it reads
    guard: Guard | None = None  # what no agent is shown
    lacking: Callable[[], Mapping[str, str]] = dict  # what every answer lacks just now, and why
    places: Places | None = None  # without them nothing is recalled for a place
    roots: Callable[[], Mapping[str, str]] = dict  # the folder of each project, which cited files are checked in


@dataclass(slots=True)
class State:
    """One search on its way through the stages."""

    ports: Ports
    query: str
    k: int
    where: ItemFilter
    now: datetime
    budget: int | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    min_score: float = 0.0  # of a hit: what scores less is left out
    least: int = 200  # candidates that a channel brings, if there are so many

    # analyse
    terms: dict[str, float] = field(default_factory=dict)
    related: dict[str, float] = field(default_factory=dict)
    names: dict[str, float] = field(default_factory=dict)  # as `name_key`, with how sure each is one
    aliases: dict[str, float] = field(default_factory=dict)  # what else the thing in the query is called
    span: tuple[int, int] | None = None  # microseconds, half-open: the time that the query speaks of
    wanted: tuple[str, ...] = ()  # kinds that the query asks for
    complexity: float = 0.0
    vector: np.ndarray | None = None
    unrelated: float = 0.0  # the cosine that means nothing

    # seed, expand
    channels: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    matches: dict[int, Match] = field(default_factory=dict)
    stored: dict[int, Stored] = field(default_factory=dict)
    degraded: dict[str, str] = field(default_factory=dict)

    # rank, calibrate, pack
    ranked: list[int] = field(default_factory=list)
    leading: int = 0  # hits that stay first, whatever their probability
    scores: dict[int, float] = field(default_factory=dict)
    why: dict[int, dict[str, float]] = field(default_factory=dict)
    seen: dict[int, dict[str, float]] = field(default_factory=dict)  # what is known of the best hits
    features: dict[str, float] = field(default_factory=dict)
    probabilities: dict[int, float] = field(default_factory=dict)
    relevance: float = 0.0
    confidence: Confidence = "none"
    hits: list[Hit] = field(default_factory=list)
    context: str = ""
    tokens: int = 0
    expanded: int = 0
    reason: str = "no_results"
    withheld: int = 0

    @property
    def depth(self) -> int:
        """How many candidates a channel brings."""
        return max(self.least, 4 * self.k)

    def candidates(self) -> list[int]:
        """Rows that some channel brought, in a stable order."""
        return list(dict.fromkeys(row for scores in self.channels.values() for row in scores))

    def within(self, where: ItemFilter, least: int) -> State:
        """The same query among fewer items, before anything was looked for."""
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
        """The items of these rows, each read once a search."""
        wanted = list(rows)
        missing = [row for row in wanted if row not in self.stored]
        if missing:
            self.stored |= {stored.row: stored for stored in self.ports.text.items(missing)}
        return [self.stored[row] for row in wanted if row in self.stored]
