"""Measures search latency on a generated store: warm, in one process, including the embedding of the query. For
comparison, plain FTS5 searches the same texts in the same run, and `graphmem search` runs as a whole process. A store
in a folder is filled once and measured often; another process fills it, so that its memory is not counted."""

from __future__ import annotations

import json
import multiprocessing
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.text.statements import quote_term
from graphmem.backends.vectors.outbox import SqliteOutbox
from graphmem.backends.vectors.usearch import UsearchIndex
from graphmem.model.changes import Item
from graphmem.ports.clock import SystemClock
from graphmem.retrieve.ports import Ports
from graphmem.retrieve.retriever import Retriever

_QUERIES, _WARM = 300, 50
_BATCH = 5_000
_COLD = 5  # whole processes
_PROJECT = "p"
_ENTRY = "from graphmem.interfaces.entry import run; run()"


class Timing(NamedTuple):
    """Milliseconds of one system."""

    system: str
    p50: float
    p99: float


class Latency(NamedTuple):
    """The outcome: how long filling took (seconds; 0 if it was there), the timings, and the largest memory of
    the process that searched (MiB)."""

    items: int
    text_seconds: float
    vector_seconds: float
    timings: list[Timing]
    memory: int


def main(count: int, folder: Path | None = None) -> None:
    """Measure and report."""
    found = run(count, folder)
    sys.stdout.write(json.dumps(found._asdict() | {"timings": [timing._asdict() for timing in found.timings]}) + "\n")


def run(count: int = 100_000, folder: Path | None = None) -> Latency:
    """Fill a store, in this folder or a temporary one, and ask it."""
    with nullcontext(folder) if folder else tempfile.TemporaryDirectory(prefix="graphmem-bench-") as place:
        store = Path(place)
        store.mkdir(parents=True, exist_ok=True)
        filler = multiprocessing.get_context("spawn").Process(target=fill, args=(store, count))
        filler.start()
        filler.join()
        spent = json.loads((store / "filled.json").read_text("utf-8"))
        embedder = WordLlamaEmbedder()
        text = Fts5Index(store / "index.db")
        vectors = UsearchIndex(store / "index.db", embedder.name, embedder.dimensions, text.mask)
        retriever = Retriever(Ports(text, text.mentions, SystemClock(), vectors, embedder))
        queries = _queries(count)
        timings = [_timed("graphmem", lambda query: retriever.search(query, project=_PROJECT), queries)]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        timings += [_timed("FTS5", _floor(store / "floor.db"), queries), _cold(store, queries)]
        text.close()
    return Latency(count, spent[0], spent[1], timings, memory)


# -- the store


def fill(store: Path, count: int) -> None:
    """Bring a store to so many items: text, vectors, the approximate index, and the floor's own file. What is there
    already stays."""
    embedder = WordLlamaEmbedder()
    started = time.perf_counter()
    text = Fts5Index(store / "index.db")
    floor = sqlite3.connect(store / "floor.db")
    floor.execute("CREATE VIRTUAL TABLE IF NOT EXISTS floor USING fts5(text, tokenize='porter unicode61')")
    done = text.cursors().get("bench", 0)
    floored = 0.0
    for batch in _batches(count):
        if batch[-1].sequence >= done:
            text.apply([], batch, [], {"bench": batch[-1].sequence + 1})
            aside = time.perf_counter()
            floor.executemany("INSERT INTO floor VALUES (?)", [(item.text,) for item in batch])
            floor.commit()
            floored += time.perf_counter() - aside
    filled = time.perf_counter()
    outbox = SqliteOutbox(store / "index.db", embedder.name, embedder.dimensions, SystemClock())
    while jobs := outbox.claim(_BATCH):
        outbox.complete(jobs, embedder.embed([job.text for job in jobs]))
    UsearchIndex(store / "index.db", embedder.name, embedder.dimensions, text.mask).build()
    spent = (round(filled - started - floored, 2), round(time.perf_counter() - filled, 2))
    (store / "filled.json").write_text(json.dumps(spent if done < count else (0.0, 0.0)), "utf-8")
    text.close()
    floor.close()


def _batches(count: int) -> Iterator[list[Item]]:
    """Yield the same items every time."""
    vocabulary = _vocabulary()
    for start in range(0, count, _BATCH):
        chance = random.Random(start)
        yield [_item(number, vocabulary, chance) for number in range(start, min(start + _BATCH, count))]


def _vocabulary() -> list[str]:
    words = sorted(WordLlamaEmbedder().words())
    random.Random(0).shuffle(words)
    return words


def _item(number: int, vocabulary: list[str], chance: random.Random) -> Item:
    ranks = (int(len(vocabulary) ** chance.random()) for _ in range(16))  # about as unequal as words are
    text = " ".join(vocabulary[rank - 1] for rank in ranks)
    turn = number % 2 == 1
    return Item(f"i{number}", "turn" if turn else "fact", "", text, number, session=f"s{number // 100}" if turn else "",
                project=_PROJECT, event=f"e{number}", sequence=number)  # fmt: skip


def _queries(count: int) -> list[str]:
    """Six words of some item each."""
    chance = random.Random(count)
    items = next(_batches(min(count, _BATCH)))
    return [
        " ".join(["what about", *chance.sample(chance.choice(items).text.split(), 6)]) for _ in range(_QUERIES + _WARM)
    ]


# -- the questions


def _floor(path: Path) -> Callable[[str], object]:
    db = sqlite3.connect(path)

    def search(query: str) -> object:
        terms = " OR ".join(map(quote_term, query.split()[2:]))
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
    return _percentiles(system, times)


def _cold(store: Path, queries: list[str]) -> Timing:
    """`graphmem search` from the start of the process to its end."""
    times = []
    for query in queries[:_COLD]:
        started = time.perf_counter()
        command = [sys.executable, "-c", _ENTRY, "search", query, "--store", str(store), "--project", _PROJECT]
        subprocess.run(command, check=True, capture_output=True)
        times.append((time.perf_counter() - started) * 1_000)
    return _percentiles("graphmem search, whole process", times)


def _percentiles(system: str, times: list[float]) -> Timing:
    p50, p99 = np.percentile(times, [50, 99])
    return Timing(system, round(float(p50), 2), round(float(p99), 2))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
