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


def idf(items: int, having: int) -> float:
    """Return the inverse document frequency in nats of a word that occurs in this many items."""
    return math.log1p(max(0.0, items - having + 0.5) / (having + 0.5))


class Stored(NamedTuple):
    """An item, or a passage of it, with its row number, which is the key of vectors and candidates. The content of a row
    never changes. `cite` is the id of the item's citation; `status` is "active", "contested" or "superseded". For a
    passage, `parent` is the row of its item, `item.text` only the passage, and `start` its offset in the whole text."""

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
    """What items are like, in arrays with one element an item: whether it is a turn, its time in microseconds, its
    length in words, whether it asks something, tells a time, follows a turn that ends with a question, and was said by
    one of the speakers that were named; how much it settles, in [0, 1], whether the next turn agrees with it, the row of
    the item that it is a passage of (0 where it is none), in how many passages that item is found, and whether it was said
    in one of the roles that are meant."""

    turn: np.ndarray
    at: np.ndarray
    length: np.ndarray
    asks: np.ndarray
    dated: np.ndarray
    answers: np.ndarray
    named: np.ndarray
    settles: np.ndarray
    agreed: np.ndarray
    parent: np.ndarray
    passages: np.ndarray
    meant: np.ndarray


class Mention(NamedTuple):
    """An entity by one of its spellings. `items` is the number of items that mention it so."""

    entity: str
    name: str
    items: int


class TextIndex(Protocol):
    """Items and their words; `columns` are the same items as numbers."""

    @property
    def columns(self) -> EntryTable: ...

    def apply(
        self,
        removed: Sequence[str],
        items: Sequence[Item],
        links: Sequence[Link],
        cursors: Mapping[str, int],
        standings: Sequence[tuple[str, int, bool]] = (),
        ahead: str = "",
    ) -> None:
        """Remove and upsert items, add links, queue embeddings and set cursors, all in one transaction. Idempotent.
        Links of unknown items are dropped. `standings` say of items since when they are no longer told (0: they are) and
        whether they are contested. `ahead` names a cursor that must move forward: where another process brought it as
        far meanwhile, nothing is changed, so that an older batch never undoes a newer one."""
        ...

    def terms(self, text: str) -> list[str]:
        """What to look for: words, the parts of compound identifiers, pairs of Korean, Chinese or Japanese letters."""
        ...

    def search(
        self, terms: Mapping[str, float], where: ItemFilter, limit: int, related: Mapping[str, float] | None = None
    ) -> list[Match]:
        """Best first, by terms with their weights. `related` terms score, but do not count as coverage."""
        ...

    def items(self, rows: Sequence[int]) -> list[Stored]:
        """Items and passages by row, in the order asked; unknown rows are left out."""
        ...

    def find(self, ids: Sequence[str]) -> list[Stored]:
        """Items by id, ref or citation id, in the order asked; unknown ones are left out."""
        ...

    def kinds(self) -> list[str]:
        """The kinds that items have."""
        ...

    def projects(self) -> list[str]:
        """The projects that items belong to."""
        ...

    def cursors(self) -> dict[str, int]:
        """How far each projection got."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


class Catalogue(Protocol):
    """What is there at all."""

    def sources(self, kinds: Sequence[str]) -> dict[str, str]:
        """Every item of these kinds with the event that it came from ("" where it was concluded from several)."""
        ...


class Spellings(Protocol):
    """The words that occur at all."""

    def unknown(self, words: Sequence[str]) -> list[str]:
        """Those that occur in no item, in no form."""
        ...

    def frequencies(self, words: Sequence[str], where: ItemFilter) -> tuple[int, list[int]]:
        """How many items the filter lets through, and how many of them have each word."""
        ...

    def similar(self, word: str, limit: int) -> list[tuple[str, float]]:
        """Words that contain this one or are spelt like it, with a similarity in (0, 1], best first."""
        ...


class Sessions(Protocol):
    """Items of one session are ordered by their sequence numbers."""

    def around(self, row: int, window: int) -> list[Stored]:
        """The items of the same session from `window` before to `window` after, in order, itself included."""
        ...

    def neighbours(self, rows: Sequence[int], width: int) -> list[list[int]]:
        """For each row the turns, or passages of turns, at distances -width..width in its session (0 where there is
        none; itself in the middle)."""
        ...

    def traits(self, rows: Sequence[int], speakers: Collection[str], roles: Collection[str] = ()) -> Traits:
        """What these items are like; `speakers` and `roles` in lower case."""
        ...

    def mask(self, where: ItemFilter) -> np.ndarray:
        """Which rows the filter lets through: booleans by row. Shared: do not write to it."""
        ...

    def standing(self, rows: Sequence[int]) -> np.ndarray:
        """How useful these items proved, in [0, 1]: a prior for ranking, never for confidence."""
        ...


class Mentions(Protocol):
    """Which items mention which entities: the hop between items."""

    def named(self, names: Sequence[str]) -> list[Mention]:
        """Entities with one of these spellings; case, accents and punctuation do not count."""
        ...

    def mentioning(self, entities: Sequence[str], where: ItemFilter, limit: int) -> list[tuple[str, int]]:
        """(entity, row) of items that mention them, at most `limit` an entity, oldest first."""
        ...

    def mentioned(self, rows: Sequence[int]) -> list[tuple[int, Mention]]:
        """(row, mention) of everything these items mention."""
        ...
