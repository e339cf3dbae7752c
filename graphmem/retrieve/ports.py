"""What retrieval reads: the ports of one store, and what one search has read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from graphmem.ports.clock import Clock
from graphmem.ports.embedder import Embedder, Reranker, Thesaurus
from graphmem.ports.places import Places
from graphmem.ports.text import Mentions, Sessions, Spellings, Stored, TextIndex
from graphmem.ports.vectors import VectorIndex
from graphmem.retrieve.guard import Guard
from graphmem.text.hangul import find_originals, transcription_initials


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
    merged_entities: Callable[[], Mapping[str, Sequence[str]]] = dict  # `name_key` -> ids of others that are the same
    roots: Callable[[], Mapping[str, str]] = dict  # the folder of each project, in which cited files are checked


class Reader:
    """The ports during one search. Reads each item and looks up each loanword once."""

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self._stored: dict[int, Stored] = {}
        self._originals: dict[str, list[str]] = {}

    def load(self, rows: Iterable[int]) -> list[Stored]:
        """Return the items of these rows, in this order. Unknown rows are omitted."""
        wanted = list(rows)
        missing = [row for row in wanted if row not in self._stored]
        if missing:
            self._stored |= {stored.row: stored for stored in self.ports.text.items(missing)}
        return [self._stored[row] for row in wanted if row in self._stored]

    def find_originals(self, word: str) -> list[str]:
        """Return the English words of the store that a Korean word may be a transcription of."""
        if word not in self._originals:
            letters = transcription_initials(word)
            words = (other for letter in letters for other in self.ports.text.beginning(letter))
            self._originals[word] = find_originals(word, words)
        return self._originals[word]
