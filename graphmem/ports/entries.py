"""All items as numeric columns, with their usage data: importance, retention, level, archive state and category. Columns
instead of objects, because there may be millions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np

COLUMNS = ("importance", "retention", "feedback", "level", "stage", "flags", "category")
# Bits of `flags`. Archived items are not returned by default, whichever of the first three archived them.
ARCHIVED, DUPLICATE, PUT_AWAY, KEPT, CONTESTED = 1, 2, 4, 8, 16
HIDDEN = ARCHIVED | DUPLICATE | PUT_AWAY
UNIT = 100  # quantisation steps from 0 to 1 of importance, retention and feedback


class Entries(NamedTuple):
    """All live items, ordered by row. `kind` and `project` are indexes into `names`; `at` and `recorded` are in
    microseconds; `event` has the event ids ("" for conclusions)."""

    rows: np.ndarray
    ids: list[str]
    kind: np.ndarray
    project: np.ndarray
    at: np.ndarray
    event: np.ndarray
    names: dict[str, int]

    def of(self, *kinds: str) -> np.ndarray:
        """Return a boolean mask of entries of these kinds."""
        import numpy as np

        return np.isin(self.kind, [self.names[kind] for kind in kinds if kind in self.names])


@dataclass(slots=True)
class Priors:
    """The columns, one byte per row; rows beyond the end are zero, meaning unknown."""

    importance: np.ndarray
    retention: np.ndarray
    feedback: np.ndarray
    level: np.ndarray
    stage: np.ndarray
    flags: np.ndarray
    category: np.ndarray

    @classmethod
    def empty(cls, size: int) -> Priors:
        """Return unknown priors for rows below `size`."""
        import numpy as np

        return cls(*(np.zeros(size, np.uint8) for _ in COLUMNS))

    def grown(self, size: int) -> Priors:
        """Return a copy with space for rows below `size`."""
        import numpy as np

        columns = [getattr(self, name) for name in COLUMNS]
        return Priors(*(np.concatenate([c[:size], np.zeros(max(0, size - len(c)), np.uint8)]) for c in columns))


class EntryTable(Protocol):
    """The items of an index as columns, and their priors."""

    def entries(self) -> Entries:
        """Return all live items."""
        ...

    def priors(self) -> Priors:
        """Return the last saved priors, empty at first."""
        ...

    def keep(self, priors: Priors, cursors: Mapping[str, int]) -> None:
        """Replace the priors and set cursors, in one transaction."""
        ...

    def texts(self, rows: Sequence[int]) -> Iterator[tuple[int, str, str]]:
        """Return (row, title, text) of these rows, in any order."""
        ...
