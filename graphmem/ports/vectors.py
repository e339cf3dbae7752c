"""Vectors of items: an outbox of texts to embed, and nearest neighbours. The outbox never loses a job; an index may be
deleted at any time, since it is made from what the outbox stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np

    from graphmem.ports.text import ItemFilter


class Job(NamedTuple):
    """A text that waits for its vector. `key` identifies the job, `row` the item with this very content."""

    key: int
    row: int
    text: str


class Outbox(Protocol):
    """Jobs of one embedder, written together with their items and claimed under a lease, so that a crash loses none
    (REQUIREMENTS 9)."""

    def claim(self, limit: int) -> list[Job]:
        """The oldest pending jobs that are due, now processing."""
        ...

    def complete(self, jobs: Sequence[Job], vectors: np.ndarray) -> None:
        """Store one vector a job (float32, one row each) and mark the jobs done, in one transaction."""
        ...

    def fail(self, jobs: Sequence[Job], error: str, *, permanent: bool = False) -> None:
        """Give the jobs back for a later try, or for good."""
        ...

    def reconcile(self) -> Mapping[str, int]:
        """Free stuck jobs, retry failed ones, drop old ones; returns how many of each."""
        ...

    def metrics(self) -> Mapping[str, float]:
        """Jobs by status, and the age of the oldest pending one in seconds."""
        ...


class VectorIndex(Protocol):
    """Nearest neighbours by cosine."""

    def search(self, vector: np.ndarray, limit: int, where: ItemFilter | None = None) -> list[tuple[int, float]]:
        """(row, cosine) best first, among the items that the filter lets through."""
        ...

    def search_many(
        self, vectors: np.ndarray, limit: int, where: ItemFilter | None = None
    ) -> list[list[tuple[int, float]]]:
        """`search` for each row of `vectors` (float32), exactly and as one product of matrices."""
        ...

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of these rows (float32, length 1), zeros where there is none."""
        ...

    def build(self) -> bool:
        """Make the approximate index anew where enough was added for it; returns whether it did."""
        ...

    def refresh(self) -> int:
        """Take in what was written since the last call, by this process or another; returns how many vectors it has."""
        ...

    def waiting(self, limit: int) -> list[str]:
        """The events of texts whose vectors are still to be made, the oldest first, at most so many."""
        ...

    def rest(self) -> None:
        """Let go of memory that the next search takes again in some milliseconds."""
        ...
