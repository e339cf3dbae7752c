"""Context of a memify run: items as columns, their usage, priors before and after, and graph changes. It is determined by
the log up to one point in time, the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from graphmem import resources
from graphmem.log.recording import Recording
from graphmem.memify import usage
from graphmem.memify.duplicates import Duplicates, find_duplicates
from graphmem.memify.runs import Run
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
OWN = ("community:", "insight:")  # id prefixes of derived nodes


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


@dataclass
class RunContext:
    """State of a run. Arrays are aligned with `entries` unless stated to be by row."""

    store: MemifyStore
    run: Run
    deciding: bool  # a new run may make decisions; a replay repeats stored ones
    priors: Priors  # by row, new
    before: Priors  # by row, before
    anew: bool = False  # graph and index may differ: everything is written to both again
    changes: list[Changes] = field(default_factory=list)
    streams: list[Iterator[Changes]] = field(default_factory=list)  # changes that are too large to compute at once
    counts: Counter[str] = field(default_factory=Counter)

    @cached_property
    def entries(self) -> Entries:
        """Return all items."""
        return self.store.text.columns.entries()

    @cached_property
    def recorded(self) -> np.ndarray:
        """Return when each item was recorded, in microseconds; conclusions have the time of their content, but not before
        the store existed."""
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
        """Return which items existed at the run, except those that runs derive."""
        there: np.ndarray = self.recorded <= max(self.run.clock, self.run.now)
        own = [place for place, item in enumerate(self.entries.ids) if item.startswith(OWN)]
        there[own] = False
        return there

    @cached_property
    def usage(self) -> Usage:
        """Return the usage of items up to the run."""
        return usage.fold_usage(self.store.log.read(types=usage.TYPES, upto=self.run.upto))

    @cached_property
    def hand(self) -> Hand:
        """Return manual decisions up to now: these apply at once."""
        return usage.manual_decisions(self.store.log.read(types=usage.BY_HAND))

    @cached_property
    def duplicates(self) -> Duplicates:
        """Return equivalent facts of several sessions."""
        said_again = dict(map(tuple, self.query("said_again")))
        return find_duplicates(self.entries, self.here, self.recorded, self.texts, said_again)

    @cached_property
    def place(self) -> dict[str, int]:
        """Return the positions in `entries` of items with data."""
        wanted = (
            self.usage.items.keys()
            | self.hand.away
            | self.hand.kept
            | set(self.hand.merged.values())
            | self.duplicates.first.keys()
            | self.duplicates.said.keys()
        )
        return {item: place for place, item in enumerate(self.entries.ids) if item in wanted}

    @cached_property
    def used(self) -> dict[int, Use]:
        """Return uses by position; those of a duplicate count for its first fact, those of a merged item for the other."""
        found: dict[int, Use] = {}
        for item, use in self.usage.items.items():
            item = self.hand.merged.get(item, item)
            place = self.place.get(self.duplicates.first.get(item, item))
            if place is None:
                continue
            known = found.get(place)
            found[place] = use if known is None else _united(known, use)
        return found

    def column(self, name: str) -> np.ndarray:
        """Return one number of each item's usage."""
        values = np.zeros(len(self.entries.rows))
        for place, use in self.used.items():
            value = getattr(use, name)
            values[place] = len(value) if isinstance(value, set) else value
        return values

    def days(self, since: np.ndarray) -> np.ndarray:
        """Return whole days from these times to the day of the run, zero for later ones."""
        return np.asarray(np.maximum(0, self.run.day - since // DAY))

    def query(self, name: str, **parameters: Any) -> list[list[Any]]:
        """Return the rows of a query in `queries/graph/memify`."""
        cypher = extend_query(resources.text(f"queries/graph/memify/{name}.cypher"), self.store.graph.schema()["nodes"])
        return self.store.graph.query(cypher, parameters).rows

    def labels(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield (label, positions) of the items that are nodes with their own status."""
        for kind, label in LABELS.items():
            places = np.flatnonzero(self.entries.of(kind))
            if len(places):
                yield label, places

    def ids(self, places: Iterable[int]) -> list[str]:
        """Return ids of the items at these positions."""
        return [self.entries.ids[place] for place in places]

    def texts(self, places: Sequence[int]) -> dict[int, str]:
        """Return title and text of the items at these positions."""
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
