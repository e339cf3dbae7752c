"""What a graph that was empty when this process made it has been given since. A key that is not among it cannot be there,
so it is created without looking, which costs a quarter of a merge; relations between keys that are there are copied as
tables. It holds no keys, only their hashes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

_Hashes = np.ndarray[Any, np.dtype[np.int64]]


class Seen:
    """A set of 64-bit hashes in sorted arrays, eight bytes each. Two keys with one hash count as one key: the second is
    taken for known, and merged."""

    def __init__(self) -> None:
        self._runs: list[_Hashes] = []
        self._removed: set[Any] = set()

    def new(self, keys: Sequence[Any]) -> list[bool]:
        """Which of these hashable keys come for the first time; from now on they are known."""
        hashes, first = np.unique(np.fromiter(map(hash, keys), np.int64, len(keys)), return_index=True)
        fresh = ~self._among(hashes)
        self._add(hashes[fresh])
        self._removed.difference_update(keys)
        answer = np.zeros(len(keys), bool)
        answer[first[fresh]] = True
        return list(answer.tolist())

    def has(self, keys: Sequence[Any]) -> list[bool]:
        """Which of these came and were not removed since."""
        found = self._among(np.fromiter(map(hash, keys), np.int64, len(keys)))
        if self._removed:
            found &= np.fromiter((key not in self._removed for key in keys), bool, len(keys))
        return list(found.tolist())

    def remove(self, keys: Iterable[Any]) -> None:
        """These are gone. They stay known: should they come again, what is there is looked at."""
        self._removed.update(keys)

    def _among(self, hashes: _Hashes) -> np.ndarray[Any, np.dtype[np.bool_]]:
        found = np.zeros(len(hashes), bool)
        for run in self._runs:
            found |= run[np.minimum(np.searchsorted(run, hashes), len(run) - 1)] == hashes
        return found

    def _add(self, run: _Hashes) -> None:
        """Runs of like size are united, so that there are few."""
        if len(run):
            while self._runs and len(self._runs[-1]) < 2 * len(run):
                run = np.sort(np.concatenate((self._runs.pop(), run)))
            self._runs.append(run)
