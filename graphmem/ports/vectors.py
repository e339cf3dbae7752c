"""Vectors of items: an outbox of texts to embed, and nearest-neighbour search. The outbox never loses a job; an index can
be deleted at any time, because it is built from the outbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np

    from graphmem.ports.text import ItemFilter


class Job(NamedTuple):
    """A text waiting for its vector. `key` identifies the job, `row` the item with this content."""

    key: int
    row: int
    text: str


class Outbox(Protocol):
    """Jobs of one embedder, written together with their items and claimed with a lease, so that a crash loses none."""

    def claim(self, limit: int) -> list[Job]:
        """Return the oldest due jobs and mark them as processing."""
        ...

    def complete(self, jobs: Sequence[Job], vectors: np.ndarray) -> None:
        """Store one vector per job (float32, one row each) and mark the jobs done, in one transaction."""
        ...

    def fail(self, jobs: Sequence[Job], error: str, *, permanent: bool = False) -> None:
        """Release the jobs for a retry, or mark them failed permanently."""
        ...

    def reconcile(self) -> Mapping[str, int]:
        """Release stuck jobs, retry failed ones, delete old ones; return the number of each."""
        ...

    def metrics(self) -> Mapping[str, float]:
        """Return the number of jobs by status, and the age of the oldest pending one in seconds."""
        ...


class VectorIndex(Protocol):
    """Nearest-neighbour search by cosine similarity."""

    def search(self, vector: np.ndarray, limit: int, where: ItemFilter | None = None) -> list[tuple[int, float]]:
        """Return (row, cosine), best first, of items that pass the filter."""
        ...

    def search_many(
        self, vectors: np.ndarray, limit: int, where: ItemFilter | None = None
    ) -> list[list[tuple[int, float]]]:
        """Run an exact `search` for each row of `vectors` (float32), as one matrix product."""
        ...

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """Return the vectors of these rows (float32, length 1), zeros if there is none."""
        ...

    def build(self) -> bool:
        """Rebuild the approximate index if enough vectors were added; return whether it did."""
        ...

    def refresh(self) -> int:
        """Load vectors written since the last call, by any process; return the number of vectors."""
        ...

    def waiting(self, limit: int) -> list[str]:
        """Return the events of texts without vectors, oldest first, at most this many."""
        ...

    def release_memory(self) -> None:
        """Release memory that the next search reloads within milliseconds."""
        ...
