"""The text index: searchable items with their words and entities, and cursors. It works in any process, also without an
owner. One protocol per capability; `TextIndex` is what every backend implements."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from graphmem.model.changes import Item, Link
from graphmem.ports.entries import EntryTable

if TYPE_CHECKING:
    import numpy as np


DERIVED = "derivations"  # cursor of the derivations
EVENTS = "events"  # cursor of the events
# Kinds of the memory tree: they summarise turns, so they are found only on request.
SUMMARIES, TRIGGERS = "memory", "trigger"


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """A filter for items. None means any; kinds None means the default kinds. Items without a project match every
    project. Times are in microseconds, half-open. Superseded items match only before the supersession (`until`), unless
    `replaced`."""

    kinds: tuple[str, ...] | None = None
    but: tuple[str, ...] = (SUMMARIES, TRIGGERS)  # kinds excluded by default
    session: str | None = None
    outside: str | None = None  # a session whose own items are excluded
    project: str | None = None
    since: int | None = None
    until: int | None = None
    replaced: bool = False
    archived: bool = False  # include archived items, whatever archived them
    faded: bool = False  # include items archived for their age only
    waiting: bool = False  # include items that wait for a person's approval, and those that were rejected


def idf(items: int, having: int) -> float:
    """Return the inverse document frequency in nats of a word that occurs in this many items."""
    return math.log1p(max(0.0, items - having + 0.5) / (having + 0.5))


class Stored(NamedTuple):
    """An item, or a passage of it, with its row number, which is the key of vectors and candidates. The content of a row
    never changes. `cite` is the id of the item's citation; `status` is "active", "contested", "superseded", "amended",
    "waiting" (for approval) or "rejected". For a passage, `parent` is the row of its item, `item.text` only the passage, and
    `start` its offset in the whole text."""

    row: int
    item: Item
    cite: str = ""
    status: str = "active"
    parent: int = 0
    start: int = 0

    @property
    def whole(self) -> int:
        """Return the row of the item."""
        return self.parent or self.row


class Match(NamedTuple):
    """An item found by words. `score` is BM25 over the item and, for a turn, its neighbours, relative to a short text
    with all terms; `own` is that of the item alone, `before` that of the preceding turn. `coverage` in [0, 1] is the
    share of the query's information (inverse document frequency) that occurs in it."""

    row: int
    score: float
    own: float
    before: float
    coverage: float


class Traits(NamedTuple):
    """Properties of items as arrays of shape (items,)."""

    turn: np.ndarray  # whether it is a turn
    at: np.ndarray  # its time, in microseconds
    length: np.ndarray  # its length, in words
    asks: np.ndarray  # whether it is a question
    dated: np.ndarray  # whether it contains a time
    answers: np.ndarray  # whether it follows a turn that ends with a question
    named: np.ndarray  # whether it was said by one of the requested speakers
    settles: np.ndarray  # how conclusive it is, in [0, 1]
    parent: np.ndarray  # the row of the item of which it is a passage; 0 if none
    passages: np.ndarray  # the number of matching passages of that item
    meant: np.ndarray  # whether it was said in one of the requested roles


class Mention(NamedTuple):
    """An entity by one of its spellings. `items` is the number of items with this spelling."""

    entity: str
    name: str
    items: int


class TextIndex(Protocol):
    """Items and their words; `columns` has the same items as numbers."""

    @property
    def columns(self) -> EntryTable: ...

    def apply(
        self,
        removed: Sequence[str],
        items: Sequence[Item],
        links: Sequence[Link],
        cursors: Mapping[str, int],
        standings: Sequence[tuple[str, int, int]] = (),
        ahead: str = "",
    ) -> None:
        """Remove and upsert items, add links, queue embeddings and set cursors, in one transaction. Idempotent. Links of
        unknown items are dropped. `standings` set when items were superseded (0: current) and whether they are contested
        (1), mostly contain superseded values (2), belong to a chat whose decision was revised (3), wait for approval (4) or
        were rejected (5). `ahead`
        names a cursor that must move forward: if another process has
        moved it as far meanwhile, nothing is changed, so an older batch never undoes a newer one."""
        ...

    def contested(self, limit: int) -> list[Stored]:
        """Return the items that another one contradicts, most recently marked first."""
        ...

    def terms(self, text: str) -> list[str]:
        """Return the search terms of a text: words, parts of compound identifiers, pairs of Korean, Chinese or Japanese
        characters."""
        ...

    def search(
        self, terms: Mapping[str, float], where: ItemFilter, limit: int, related: Mapping[str, float] | None = None
    ) -> list[Match]:
        """Return matches for weighted terms, best first. `related` terms add to the score but not to the coverage."""
        ...

    def items(self, rows: Sequence[int]) -> list[Stored]:
        """Return items and passages by row, in the requested order; unknown rows are omitted."""
        ...

    def find(self, ids: Sequence[str]) -> list[Stored]:
        """Return items by id, ref or citation id, in the requested order; unknown ones are omitted."""
        ...

    def kinds(self) -> list[str]:
        """Return the kinds of all items."""
        ...

    def projects(self) -> list[str]:
        """Return the projects of all items."""
        ...

    def cursors(self) -> dict[str, int]:
        """Return the position of each projection."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class Catalogue(Protocol):
    """The content of the index."""

    def sources(self, kinds: Sequence[str]) -> dict[str, str]:
        """Return the source event of every item of these kinds ("" if derived from several)."""
        ...


class Spellings(Protocol):
    """The vocabulary of the index."""

    def unknown(self, words: Sequence[str]) -> list[str]:
        """Return the words that occur in no item, in no form."""
        ...

    def frequencies(self, words: Sequence[str], where: ItemFilter) -> tuple[int, list[int]]:
        """Return the number of items that pass the filter, and for each word the number of them that contain it."""
        ...

    def similar(self, word: str, limit: int) -> list[tuple[str, float]]:
        """Return words that contain this one or are spelt similarly, with a similarity in (0, 1], best first."""
        ...

    def beginning(self, letter: str) -> list[str]:
        """Return the words in Latin letters that begin with this letter."""
        ...


class Sessions(Protocol):
    """Items of a session, ordered by sequence number."""

    def around(self, row: int, window: int) -> list[Stored]:
        """Return the items of the same session from `window` before to `window` after, in order, including itself."""
        ...

    def neighbours(self, rows: Sequence[int], width: int) -> list[list[int]]:
        """Return for each row the turns, or passages of turns, at distances -width..width in its session (0 if none;
        itself in the middle)."""
        ...

    def traits(self, rows: Sequence[int], speakers: Collection[str], roles: Collection[str] = ()) -> Traits:
        """Return the properties of these items; `speakers` and `roles` in lower case."""
        ...

    def mask(self, where: ItemFilter) -> np.ndarray:
        """Return which rows pass the filter, as booleans by row. Shared: do not modify."""
        ...

    def standing(self, rows: Sequence[int]) -> np.ndarray:
        """Return how useful these items have been, in [0, 1], or below 0 for items with a superseded value: a prior for
        ranking, never for confidence."""
        ...


class Mentions(Protocol):
    """Which items mention which entities: one hop between items."""

    def named(self, names: Sequence[str]) -> list[Mention]:
        """Return entities with one of these spellings, ignoring case, accents and punctuation."""
        ...

    def mentioning(self, entities: Sequence[str], where: ItemFilter, limit: int) -> list[tuple[str, int]]:
        """Return (entity, row) of items that mention them, at most `limit` per entity, oldest first."""
        ...

    def mentioned(self, rows: Sequence[int]) -> list[tuple[int, Mention]]:
        """Return (row, mention) of everything that these items mention."""
        ...
