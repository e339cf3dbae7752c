"""What a graph that was empty when this process made it has been given since. A key that is not among it cannot be there,
so it is created without looking, which costs a quarter of a merge. It holds no keys, only their hashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_Hashes = np.ndarray[Any, np.dtype[np.int64]]


class Seen:
    """A set of 64-bit hashes in sorted arrays, eight bytes each. Two keys with one hash count as one key: the second is
    taken for known, and merged."""

    def __init__(self) -> None:
        self._runs: list[_Hashes] = []

    def new(self, keys: Sequence[Any]) -> list[bool]:
        """Which of these hashable keys come for the first time; from now on they are known."""
        hashes, first = np.unique(np.fromiter(map(hash, keys), np.int64, len(keys)), return_index=True)
        fresh = np.ones(len(hashes), bool)
        for run in self._runs:
            fresh &= run[np.minimum(np.searchsorted(run, hashes), len(run) - 1)] != hashes
        self._add(hashes[fresh])
        answer = np.zeros(len(keys), bool)
        answer[first[fresh]] = True
        return list(answer.tolist())

    def _add(self, run: _Hashes) -> None:
        """Runs of like size are united, so that there are few."""
        if len(run):
            while self._runs and len(self._runs[-1]) < 2 * len(run):
                run = np.sort(np.concatenate((self._runs.pop(), run)))
            self._runs.append(run)
