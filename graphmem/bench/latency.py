"""How long a search takes: a made-up store of so many items, warm, in one process, the embedding of the query included;
plain FTS5 over the same texts in the same run for comparison. `python -m graphmem.bench.latency 100000`."""

from __future__ import annotations

import json
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.text.statements import quoted
from graphmem.backends.vectors.outbox import SqliteOutbox
from graphmem.backends.vectors.usearch import UsearchIndex
from graphmem.model.changes import Item
from graphmem.ports.clock import SystemClock
from graphmem.retrieve.retriever import Retriever
from graphmem.retrieve.state import Ports

_QUERIES, _WARM = 300, 50
_BATCH = 5_000


class Timing(NamedTuple):
    """Milliseconds of one system."""

    system: str
    p50: float
    p99: float


class Latency(NamedTuple):
    """The outcome: how long filling took (seconds), the timings, and the largest memory of the process (MiB)."""

    items: int
    text_seconds: float
    vector_seconds: float
    timings: list[Timing]
    memory: int


def main(count: int) -> None:
    """Measure and report."""
    found = run(count)
    sys.stdout.write(json.dumps(found._asdict() | {"timings": [timing._asdict() for timing in found.timings]}) + "\n")


def run(count: int = 100_000, seed: int = 1) -> Latency:
    """Fill a temporary store and ask it."""
    chance = random.Random(seed)
    embedder = WordLlamaEmbedder()
    vocabulary = sorted(embedder._vocabulary[0])
    chance.shuffle(vocabulary)
    items = [_item(number, vocabulary, chance) for number in range(count)]
    queries = [
        " ".join(["what about", *chance.sample(items[chance.randrange(count)].text.split(), 6)])
        for _ in range(_QUERIES)
    ]
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        path = Path(folder) / "index.db"
        started = time.perf_counter()
        text = Fts5Index(path)
        for start in range(0, count, _BATCH):
            text.apply([], items[start : start + _BATCH], [], {})
        filled = time.perf_counter()
        outbox = SqliteOutbox(path, embedder.name, embedder.dimensions, SystemClock())
        while jobs := outbox.claim(_BATCH):
            outbox.complete(jobs, embedder.embed([job.text for job in jobs]))
        vectors = UsearchIndex(path, embedder.name, embedder.dimensions, text.mask)
        vectors.build()
        embedded = time.perf_counter()
        retriever = Retriever(Ports(text, text.mentions, SystemClock(), vectors, embedder))
        timings = [
            _timed("graphmem", lambda query: retriever.search(query, project="p"), queries),
            _timed("FTS5", _floor(Path(folder) / "floor.db", items), queries),
        ]
        text.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Latency(count, round(filled - started, 2), round(embedded - filled, 2), timings, memory)


def _item(number: int, vocabulary: list[str], chance: random.Random) -> Item:
    ranks = (int(len(vocabulary) ** chance.random()) for _ in range(16))  # about as unequal as words are
    text = " ".join(vocabulary[rank - 1] for rank in ranks)
    turn = number % 2 == 1
    return Item(f"i{number}", "turn" if turn else "fact", "", text, number, session=f"s{number // 100}" if turn else "",
                project="p", event=f"e{number}", sequence=number)  # fmt: skip


def _floor(path: Path, items: list[Item]) -> Callable[[str], object]:
    db = sqlite3.connect(path)
    db.execute("CREATE VIRTUAL TABLE floor USING fts5(text, tokenize='porter unicode61')")
    db.executemany("INSERT INTO floor VALUES (?)", [(item.text,) for item in items])
    db.commit()

    def search(query: str) -> object:
        terms = " OR ".join(map(quoted, query.split()[2:]))
        return db.execute("SELECT rowid FROM floor WHERE floor MATCH ? ORDER BY rank LIMIT 10", (terms,)).fetchall()

    return search


def _timed(system: str, search: Callable[[str], object], queries: list[str]) -> Timing:
    for query in queries[:_WARM]:
        search(query)
    times = []
    for query in queries[_WARM:]:
        started = time.perf_counter()
        search(query)
        times.append((time.perf_counter() - started) * 1_000)
    p50, p99 = np.percentile(times, [50, 99])
    return Timing(system, round(float(p50), 2), round(float(p99), 2))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
