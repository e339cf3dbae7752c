"""Tracks keys written to an initially empty graph. An untracked key cannot exist, so it is created without a lookup,
which saves a quarter of a merge; relations between existing keys are copied as tables. Stores hashes only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from graphmem.model.changes import EdgeTable, NodeTable

_Hashes = np.ndarray[Any, np.dtype[np.int64]]
_Flags = np.ndarray[Any, np.dtype[np.bool_]]
_SPREAD = np.int64(0x2545F4914F6CDD1D)  # so that an edge and its reverse have different hashes


class HashSet64:
    """A set of 64-bit hashes in sorted arrays, eight bytes each. Of two keys with the same hash, the second counts as
    existing, and is merged."""

    def __init__(self) -> None:
        self._runs: list[_Hashes] = []
        self._removed: set[tuple[str, str]] = set()

    def new(self, table: NodeTable | EdgeTable) -> _Flags:
        """Return which rows are new, and add them."""
        hashes, first = np.unique(_hashes(table), return_index=True)
        fresh = ~self._among(hashes)
        self._add(hashes[fresh])
        if self._removed and isinstance(table, NodeTable):
            self._removed.difference_update((table.label, one) for one in table.columns["id"])
        answer = np.zeros(len(table.columns["id" if isinstance(table, NodeTable) else "source"]), np.bool_)
        answer[first[fresh]] = True
        return answer

    def has(self, label: str, ids: Sequence[str]) -> _Flags:
        """Return which of these nodes were added and not removed since."""
        hashes, places = np.unique(_hashed(ids) ^ hash(label), return_inverse=True)  # sorted lookups are faster
        found = self._among(hashes)[places]
        if self._removed:
            found &= np.fromiter(((label, one) not in self._removed for one in ids), np.bool_, len(ids))
        return found

    def remove(self, nodes: Iterable[tuple[str, str]]) -> None:
        """Mark these (label, id) as removed. They stay known: if added again, the graph is checked."""
        self._removed.update(nodes)

    def _among(self, hashes: _Hashes) -> _Flags:
        found = np.zeros(len(hashes), np.bool_)
        for run in self._runs:
            found |= run[np.minimum(np.searchsorted(run, hashes), len(run) - 1)] == hashes
        return found

    def _add(self, run: _Hashes) -> None:
        """Merge runs of similar size, so that there are few."""
        if len(run):
            while self._runs and len(self._runs[-1]) < 2 * len(run):
                run = np.concatenate((self._runs.pop(), run))
                run.sort()
            self._runs.append(run)


def _hashes(table: NodeTable | EdgeTable) -> _Hashes:
    """Return one hash per row from its identifying values."""
    if isinstance(table, NodeTable):
        return _hashed(table.columns["id"]) ^ hash(table.label)
    ends = _hashed(table.columns["source"]) * _SPREAD + _hashed(table.columns["target"])
    return ends ^ hash((table.type, table.source_label, table.target_label))


def _hashed(names: Sequence[str]) -> _Hashes:
    return np.fromiter(map(hash, names), np.int64, len(names))
