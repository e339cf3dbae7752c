"""What passes work on: the items as columns, their use, the priors as they were and as they become, and what changes in the
graph. A desk stands for one moment, a run; given the log up to it, everything on it is determined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from graphmem import resources
from graphmem.log.recording import Recording
from graphmem.memify import usage
from graphmem.memify.duplicates import Duplicates, find_duplicates
from graphmem.memify.usage import DAY, Hand, Usage, Use
from graphmem.model.changes import Changes
from graphmem.model.kinds import KINDS
from graphmem.owntypes import extend_query
from graphmem.ports.entries import Entries, Priors
from graphmem.ports.graph import GraphStore
from graphmem.ports.text import TextIndex
from graphmem.ports.vectors import VectorIndex
from graphmem.projections.runner import Log

LABELS = {kind.name: kind.label for kind in KINDS.values() if kind.label}
OWN = ("community:", "insight:")  # ids of what passes conclude


class MemifyStore(Recording, Protocol):
    """What memify needs of an open store."""

    @property
    def log(self) -> Log: ...
    @property
    def text(self) -> TextIndex: ...
    @property
    def vectors(self) -> VectorIndex | None: ...
    @property
    def graph(self) -> GraphStore: ...


class Run(NamedTuple):
    """One run: the event that records it, its day (whole days since 1970), how far it read the log, and its passes."""

    id: str
    day: int
    upto: int
    clock: int
    passes: tuple[str, ...]

    @property
    def now(self) -> int:
        """The end of its day in microseconds: whatever happened that day is no day old."""
        return (self.day + 1) * DAY


@dataclass
class RunContext:
    """The state of one run. Arrays are aligned with `entries` unless they are said to go by row."""

    store: MemifyStore
    run: Run
    deciding: bool  # a run that happens now may decide anew; a replay repeats what was decided
    priors: Priors  # by row, as they become
    before: Priors  # by row, as they were
    anew: bool = False  # graph and index may differ: what either has is said again
    changes: list[Changes] = field(default_factory=list)
    streams: list[Iterator[Changes]] = field(default_factory=list)  # what is too much to be made at once
    counts: Counter[str] = field(default_factory=Counter)

    @cached_property
    def entries(self) -> Entries:
        """All items."""
        return self.store.text.columns.entries()

    @cached_property
    def recorded(self) -> np.ndarray:
        """When each item came into the store, in microseconds; conclusions have the time of what they tell, but are no
        older than the store."""
        ids, clocks = self.store.log.state.clocks()
        events = self.entries.event
        found: np.ndarray = np.maximum(self.entries.at, clocks.min(initial=np.iinfo(np.int64).max) if len(ids) else 0)
        if len(ids):
            places = np.minimum(np.searchsorted(ids, events), len(ids) - 1)
            known = ids[places] == events
            found[known] = clocks[places[known]]
        return found

    @cached_property
    def here(self) -> np.ndarray:
        """Which items were there at the run, but for what runs themselves conclude."""
        there: np.ndarray = self.recorded <= max(self.run.clock, self.run.now)
        own = [place for place, item in enumerate(self.entries.ids) if item.startswith(OWN)]
        there[own] = False
        return there

    @cached_property
    def usage(self) -> Usage:
        """What became of items up to the run."""
        return usage.fold_usage(self.store.log.read(types=usage.TYPES, upto=self.run.upto))

    @cached_property
    def hand(self) -> Hand:
        """What was decided by hand, up to now: it counts at once."""
        return usage.manual_decisions(self.store.log.read(types=usage.BY_HAND))

    @cached_property
    def duplicates(self) -> Duplicates:
        """Facts of several sessions that say the same."""
        said_again = dict(map(tuple, self.query("said_again")))
        return find_duplicates(self.entries, self.here, self.recorded, self.texts, said_again)

    @cached_property
    def place(self) -> dict[str, int]:
        """Where those items stand in `entries` that anything is known of."""
        wanted = (
            self.usage.items.keys()
            | self.hand.away
            | self.hand.kept
            | self.duplicates.first.keys()
            | self.duplicates.said.keys()
        )
        return {item: place for place, item in enumerate(self.entries.ids) if item in wanted}

    @cached_property
    def used(self) -> dict[int, Use]:
        """Uses by place; those of a duplicate count for the first that said so."""
        found: dict[int, Use] = {}
        for item, use in self.usage.items.items():
            place = self.place.get(self.duplicates.first.get(item, item))
            if place is None:
                continue
            known = found.get(place)
            found[place] = use if known is None else _united(known, use)
        return found

    def column(self, name: str) -> np.ndarray:
        """One number of each item's use."""
        values = np.zeros(len(self.entries.rows))
        for place, use in self.used.items():
            value = getattr(use, name)
            values[place] = len(value) if isinstance(value, set) else value
        return values

    def days(self, since: np.ndarray) -> np.ndarray:
        """Whole days from these times to the day of the run, none for later ones."""
        return np.asarray(np.maximum(0, self.run.day - since // DAY))

    def query(self, name: str, **parameters: Any) -> list[list[Any]]:
        """The rows of one of the queries in `queries/graph/memify`."""
        cypher = extend_query(resources.text(f"queries/graph/memify/{name}.cypher"), self.store.graph.schema()["nodes"])
        return self.store.graph.query(cypher, parameters).rows

    def labels(self) -> Iterator[tuple[str, np.ndarray]]:
        """(label, places) of the items that are nodes with a standing of their own."""
        for kind, label in LABELS.items():
            places = np.flatnonzero(self.entries.of(kind))
            if len(places):
                yield label, places

    def ids(self, places: Iterable[int]) -> list[str]:
        """Ids of the items at these places."""
        return [self.entries.ids[place] for place in places]

    def texts(self, places: Sequence[int]) -> dict[int, str]:
        """Title and text of the items at these places."""
        rows = self.entries.rows[np.asarray(places, np.int64)].tolist() if len(places) else []
        back = dict(zip(rows, places, strict=True))
        return {int(back[row]): f"{title}\n{text}".strip() for row, title, text in self.store.text.columns.texts(rows)}


def _united(one: Use, other: Use) -> Use:
    return Use(
        one.shown + other.shown,
        one.chosen + other.chosen,
        one.retrieved + other.retrieved,
        one.useful + other.useful,
        one.wrong + other.wrong,
        max(one.last, other.last),
        one.sessions | other.sessions,
    )
