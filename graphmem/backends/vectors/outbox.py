"""The outbox of one embedder. Jobs go pending -> processing -> done or failed. Failed ones are retried with growing
delays, and `reconcile` releases jobs of dead workers. It stores vectors, but does not compute them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from graphmem.backends.log.sqlite_errors import transaction, translate_errors
from graphmem.backends.text.fts5 import open_index
from graphmem.backends.text.rows import embedded_text
from graphmem.errors import UsageError
from graphmem.plurals import counted
from graphmem.ports.clock import Clock
from graphmem.ports.vectors import Job

_SECOND = 1_000_000
DELAYS = (1 * _SECOND, 5 * _SECOND, 30 * _SECOND)  # delay before the first, second and third retry
LEASE = 300 * _SECOND  # a job in processing for longer has lost its worker
FINISHED_RETENTION_US = 7 * 86_400 * _SECOND  # how long finished jobs are kept for the metrics


class SqliteOutbox:
    """Jobs and vectors of one model in `index.db`. Safe for concurrent threads and processes."""

    def __init__(self, path: Path, name: str, dimensions: int, clock: Clock) -> None:
        self._lock = threading.RLock()
        self._db = open_index(path)
        self._clock = clock
        self._dimensions = dimensions
        self._opened = clock.now()
        self._model = self._register(name)

    def _register(self, name: str) -> int:
        """Return the number of the model. A new one gets a job for every existing item."""
        with self._transaction():
            row = self._db.execute("SELECT number, dimensions FROM models WHERE name = ?", (name,)).fetchone()
            if row is None:
                self._db.execute("INSERT INTO models(name, dimensions) VALUES (?, ?)", (name, self._dimensions))
                row = self._db.execute("SELECT number, dimensions FROM models WHERE name = ?", (name,)).fetchone()
                self._db.execute(
                    "INSERT OR IGNORE INTO jobs(row, model) SELECT row, ? FROM items WHERE embed AND NOT passages ORDER BY row",
                    row[:1],
                )
            if row[1] != self._dimensions:
                raise UsageError(
                    f"the model {name} now has {counted(self._dimensions, 'dimension')}, its stored vectors have {row[1]}:"
                    " use a different name for the new version", name=name)  # fmt: skip
            return int(row[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, translate_errors("the outbox was not changed", "rebuild"), transaction(self._db):
            yield

    def claim(self, limit: int) -> list[Job]:
        now = self._clock.now()
        with self._transaction():
            rows = self._db.execute(
                "SELECT j.number, row, name, title, text, start FROM jobs j JOIN contents USING (row) JOIN items USING (row)"
                " JOIN names k ON k.number = kind"
                " WHERE model = ? AND status = 'pending' AND due <= ? ORDER BY j.number LIMIT ?",
                (self._model, now, limit),
            ).fetchall()
            self._db.executemany(
                "UPDATE jobs SET status = 'processing', since = ? WHERE number = ?", [(now, row[0]) for row in rows]
            )
        return [Job(number, row, embedded_text(*texts)) for number, row, *texts in rows]

    def complete(self, jobs: Sequence[Job], vectors: np.ndarray) -> None:
        if vectors.shape != (len(jobs), self._dimensions):
            raise UsageError(
                f"{counted(len(jobs), 'vector')} of {counted(self._dimensions, 'dimension')}"
                f" were expected, got an array of shape {vectors.shape}"
            )
        now = self._clock.now()
        with self._transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors(model, digest, vector) SELECT ?, digest, ? FROM items WHERE row = ?",
                [
                    (self._model, vector.tobytes(), job.row)
                    for job, vector in zip(jobs, vectors.astype(np.float16), strict=True)
                ],
            )
            self._db.executemany(
                "UPDATE jobs SET status = 'done', error = '', since = ? WHERE number = ? AND status = 'processing'",
                [(now, job.key) for job in jobs],
            )

    def fail(self, jobs: Sequence[Job], error: str, *, permanent: bool = False) -> None:
        now = self._clock.now()
        with self._transaction():
            for job in jobs:
                row = self._db.execute(
                    "SELECT retries FROM jobs WHERE number = ? AND status = 'processing'", (job.key,)
                ).fetchone()
                if row is None:
                    continue
                spent = permanent or row[0] >= len(DELAYS)
                due = now if spent else now + DELAYS[row[0]]
                self._db.execute(
                    "UPDATE jobs SET status = ?, retries = ?, error = ?, due = ?, since = ? WHERE number = ?",
                    ("failed" if spent else "pending", len(DELAYS) if spent else row[0] + 1, error[:500], due, now,
                     job.key),
                )  # fmt: skip

    def reconcile(self) -> dict[str, int]:
        now = self._clock.now()
        stuck = (
            self._model,
            max(now - LEASE, self._opened - 1),
        )  # only one owner embeds: older jobs belong to a dead one
        with self._transaction():
            lost = self._db.execute(
                "UPDATE jobs SET status = 'failed', error = 'its worker was lost too often'"
                f" WHERE model = ? AND status = 'processing' AND since <= ? AND retries >= {len(DELAYS)}", stuck
            ).rowcount  # fmt: skip
            freed = self._db.execute(
                "UPDATE jobs SET status = 'pending', retries = retries + 1"
                " WHERE model = ? AND status = 'processing' AND since <= ?", stuck
            ).rowcount  # fmt: skip
            retried = self._db.execute(
                "UPDATE jobs SET status = 'pending', retries = retries + 1"
                f" WHERE model = ? AND status = 'failed' AND retries < {len(DELAYS)}", stuck[:1]
            ).rowcount  # fmt: skip
            dropped = self._db.execute(
                "DELETE FROM jobs WHERE model = ? AND status = 'done' AND since <= ?",
                (self._model, now - FINISHED_RETENTION_US),
            ).rowcount
        return {"freed": freed, "lost": lost, "retried": retried, "dropped": dropped}

    def metrics(self) -> dict[str, float]:
        with self._lock:
            counts = dict.fromkeys(("pending", "processing", "done", "failed"), 0.0)
            counts |= self._db.execute(
                "SELECT status, count(*) FROM jobs WHERE model = ? GROUP BY status", (self._model,)
            ).fetchall()
            oldest = self._db.execute(
                "SELECT i.at FROM jobs j JOIN items i USING (row) WHERE model = ? AND status = 'pending'"
                " ORDER BY number LIMIT 1",
                (self._model,),
            ).fetchone()
        age = max(0.0, (self._clock.now() - oldest[0]) / _SECOND) if oldest else 0.0
        return {**counts, "oldest_pending_seconds": age}

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
