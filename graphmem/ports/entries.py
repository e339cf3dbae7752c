"""Every item as a row of numbers, and what is thought of it: how important it is, how much of it is left, how far it rose,
whether it was put away, and its category. Columns, not objects: there may be millions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np

COLUMNS = ("importance", "retention", "feedback", "level", "stage", "flags", "category")
# Bits of `flags`. What lies in the archive is not found by default, whichever of the first three put it there.
ARCHIVED, DUPLICATE, PUT_AWAY, KEPT, CONTESTED = 1, 2, 4, 8, 16
HIDDEN = ARCHIVED | DUPLICATE | PUT_AWAY
UNIT = 100  # steps from 0 to 1 of importance, retention and feedback


class Entries(NamedTuple):
    """All living items in the order of their rows. `kind` and `project` are numbers into `names`; `at` and `recorded` in
    microseconds; `event` holds the ids of their events ("" for conclusions)."""

    rows: np.ndarray
    ids: list[str]
    kind: np.ndarray
    project: np.ndarray
    at: np.ndarray
    event: np.ndarray
    names: dict[str, int]

    def of(self, *kinds: str) -> np.ndarray:
        """Which entries are of one of these kinds, as booleans."""
        import numpy as np

        return np.isin(self.kind, [self.names[kind] for kind in kinds if kind in self.names])


@dataclass(slots=True)
class Priors:
    """The columns, one byte a row; rows beyond their end have zeros, which means: nothing is known yet."""

    importance: np.ndarray
    retention: np.ndarray
    feedback: np.ndarray
    level: np.ndarray
    stage: np.ndarray
    flags: np.ndarray
    category: np.ndarray

    @classmethod
    def empty(cls, size: int) -> Priors:
        """Nothing known about rows below `size`."""
        import numpy as np

        return cls(*(np.zeros(size, np.uint8) for _ in COLUMNS))

    def grown(self, size: int) -> Priors:
        """A copy with room for rows below `size`."""
        import numpy as np

        columns = [getattr(self, name) for name in COLUMNS]
        return Priors(*(np.concatenate([c[:size], np.zeros(max(0, size - len(c)), np.uint8)]) for c in columns))


class EntryTable(Protocol):
    """The items of an index as columns, and their priors."""

    def entries(self) -> Entries:
        """All living items."""
        ...

    def priors(self) -> Priors:
        """What was last kept, empty at first."""
        ...

    def keep(self, priors: Priors, cursors: Mapping[str, int]) -> None:
        """Replace the priors and set cursors, in one transaction."""
        ...

    def texts(self, rows: Sequence[int]) -> Iterator[tuple[int, str, str]]:
        """(row, title, text) of these rows, in any order."""
        ...
