"""Entries of the ledger by place, packed: a large log has a million of them, and a change asks for those of one session.
It holds them and knows nothing of what they mean."""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Iterator, Set
from operator import itemgetter
from typing import Any, NamedTuple

from graphmem.cognify.groups import Place
from graphmem.model.events import Derivation

_LOOSE = 4_000  # entries that are not packed yet
_order = itemgetter(0, 1, 3)  # clock, source, step


class Entry(NamedTuple):
    """One derivation in its place."""

    clock: int
    source: str
    at: int
    step: str
    body: dict[str, Any]

    @property
    def place(self) -> Place:
        """Project and session."""
        return self.body["project"], self.body["session"]

    @property
    def derivation(self) -> Derivation:
        """As a projection takes it."""
        return Derivation(self.step, self.source, "", self.body, 0, self.at, self.clock)


class PackedEntries:
    """Entries by place, in the order of the clocks. Sixty bytes each, where the plain ones take two thousand."""

    def __init__(self) -> None:
        self._packed: dict[Place, list[bytes]] = {}
        self._loose: dict[Place, list[Entry]] = {}
        self._count = 0

    def add(self, entry: Entry) -> None:
        """Take an entry in."""
        self._loose.setdefault(entry.place, []).append(entry)
        self._count += 1
        if self._count >= _LOOSE:
            for place, entries in self._loose.items():
                packed = zlib.compress(marshal.dumps([tuple(one) for one in entries]), 1)
                self._packed.setdefault(place, []).append(packed)
            self._loose, self._count = {}, 0

    @property
    def places(self) -> Set[Place]:
        """Return all places with entries."""
        return self._packed.keys() | self._loose.keys()

    def of(self, place: Place) -> list[Entry]:
        """Return those of one place."""
        return sorted([*self._unpacked(place), *self._loose.get(place, ())], key=_order)

    def _unpacked(self, place: Place) -> Iterator[Entry]:
        for packed in self._packed.get(place, ()):
            yield from map(Entry._make, marshal.loads(zlib.decompress(packed)))
