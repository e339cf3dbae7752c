"""Measures the time and memory of a daily maintenance run on a generated store of turns, facts and documents with
vectors and a month of use: a first run over everything, then one a day later with 1% new entries and new use. Each step
is a separate process, so that the peak is that of the run."""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from graphmem import settings
from graphmem.backends.text.fts5 import open_index
from graphmem.backends.text.rows import vector_key
from graphmem.bench.year import Hands
from graphmem.memify.run import run_passes_on_store
from graphmem.memify.usage import DAY
from graphmem.model.changes import Changes, Edge, Item, Node
from graphmem.model.events import Draft
from graphmem.store import Store
from graphmem.store.files import INDEX

_BATCH = 20_000
_TOPICS, _WORDS, _ENTITIES = 12, 200, 2_000
_MONTH = 30
_SHOWN = 5


def main(count: int) -> None:
    """Fill, run twice, report."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        folder = Path(name)
        _apart(fill, folder, 0, count)
        first = _apart(batch, folder, 0)
        _apart(fill, folder, count, count + max(1, count // 100))
        daily = _apart(batch, folder, 1)
    sys.stdout.write(json.dumps({"entries": count, "first": first, "daily": daily}) + "\n")


def _apart(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns in a process of its own, so that its peak is nobody else's."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def batch(folder: Path, day: int) -> dict[str, Any]:
    """One run: seconds of wall and processor, peak memory in MiB, and what it counted."""
    store, started, before = _store(folder, day), time.perf_counter(), time.process_time()
    report = run_passes_on_store(store)
    seconds, processor = time.perf_counter() - started, time.process_time() - before
    store.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {"seconds": round(seconds, 1), "cpu_seconds": round(processor, 1), "peak_mb": peak, "counts": report.counts}


def _store(folder: Path, day: int) -> Store:
    clock = Hands()
    clock.time += day * DAY
    return Store(folder, settings.load_settings(folder), "bench", clock)


def fill(folder: Path, start: int, end: int) -> None:
    """Write entries straight into log, index, vectors and graph, without deriving anything from them."""
    store = _store(folder, 1 if start else 0)
    embedder = store.embedder
    assert embedder is not None and store.outbox is not None
    chance = np.random.default_rng(start)
    centres = np.random.default_rng(5).normal(size=(_TOPICS, embedder.dimensions))
    db = open_index(folder / INDEX)
    for place in range(start, end, _BATCH):
        items = list(_items(store, place, min(place + _BATCH, end), chance))
        _insert(db, items)
        _vectors(db, embedder.name, items, centres, chance)
        store.graph.apply(_graph(items, chance), {})
    db.close()
    _use(store, start, end, chance)
    store.close()


def _items(store: Store, start: int, end: int, chance: np.random.Generator) -> Iterator[Item]:
    ages = chance.integers(0, 200, end - start)
    drafts = [
        Draft("memory_remembered", {"content": str(number)}, store.clock.now() - int(age) * DAY, "", "bench", "user")
        for number, age in zip(range(start, end), ages, strict=True)
    ]
    for number, draft, appended in zip(range(start, end), drafts, store.recorder._log.append(drafts), strict=True):
        kind = ("turn", "turn", "turn", "turn", "turn", "turn", "turn", "fact", "fact", "document")[number % 10]
        topic = number % _TOPICS
        words = " ".join(f"t{topic}w{word}" for word in chance.integers(0, _WORDS, 12))
        yield Item(f"{kind}:{number:09}", kind, "", f"{words} {number}", draft.at, "", f"s{number // 200}", "bench", "",
                   appended.id, number)  # fmt: skip


def _insert(db: Any, items: list[Item]) -> None:
    """Rows of the index, except for the full text, which no pass reads."""
    first = db.execute("SELECT coalesce(max(row), 0) FROM items").fetchone()[0]
    db.execute("BEGIN")
    for name in {name for item in items for name in (item.kind, item.session, item.project)}:
        db.execute("INSERT OR IGNORE INTO names(name) VALUES (?)", (name,))
    numbers = dict(db.execute("SELECT name, number FROM names"))
    db.executemany(
        "INSERT INTO items VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,0,0,0,0)",
        [
            (row, item.id, numbers[item.kind], numbers[item.session], numbers[item.project], item.at, item.sequence, 12, 0,
             0, 1, item.id[-6:], vector_key(item.kind, item.title, item.text))
            for row, item in enumerate(items, first + 1)
        ],
    )  # fmt: skip
    db.executemany(
        "INSERT INTO contents VALUES (?,?,?,?,?,?,?,?)",
        [(row, "", item.text, "", "", item.event, "", "") for row, item in enumerate(items, first + 1)],
    )
    db.execute("COMMIT")


def _vectors(db: Any, model: str, items: list[Item], centres: np.ndarray, chance: np.random.Generator) -> None:
    topics = np.array([item.sequence % _TOPICS for item in items])
    points = centres[topics] + 1.2 * chance.normal(size=(len(items), centres.shape[1]))
    points = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float16)
    number = db.execute("SELECT number FROM models WHERE name = ?", (model,)).fetchone()[0]
    db.execute("BEGIN")
    rows = [
        (number, vector_key(item.kind, item.title, item.text), point.tobytes())
        for item, point in zip(items, points, strict=True)
    ]
    db.executemany("INSERT OR IGNORE INTO vectors(model, digest, vector) VALUES (?, ?, ?)", rows)
    db.execute("COMMIT")


def _graph(items: list[Item], chance: np.random.Generator) -> Changes:
    changes = Changes()
    for item in items:
        label = {"turn": "Turn", "fact": "Fact", "document": "Document"}[item.kind]
        properties: dict[str, Any] = {"content": item.text, "project": "bench", "at": item.at}
        if label == "Fact":
            properties |= {"kind": "decision", "confidence": 0.8, "status": "active", "level": 1, "stage": "working"}
            for entity in chance.integers(0, _ENTITIES, 2).tolist():
                name = f"ent:function:e{entity}"
                changes.nodes.append(Node("Entity", name, {"name": f"e{entity}", "type": "function"}))
                changes.edges.append(Edge("MENTIONS", "Fact", item.id, "Entity", name, {"count": 1}))
        changes.nodes.append(Node(label, item.id, properties))
    return changes


def _use(store: Store, start: int, end: int, chance: np.random.Generator) -> None:
    """Each answer shows five entries, some far more often than others."""
    answers = max(1, (end - start) // 100)
    shown = np.minimum(chance.zipf(1.3, (answers, _SHOWN)) * 7, max(1, end - 1))
    kinds = ("turn", "turn", "turn", "turn", "turn", "turn", "turn", "fact", "fact", "document")
    notes = [
        {"at": store.clock.now() - int(chance.integers(0, _MONTH)) * DAY, "session": f"u{number % 97}",
         "shown": [f"{kinds[n % 10]}:{n:09}" for n in row.tolist()]}
        for number, row in enumerate(shown)
    ]  # fmt: skip
    now = store.clock.now()
    store.recorder.record(
        [Draft("memory_used", {"notes": notes[i : i + 32]}, now, "", "bench", "system") for i in range(0, answers, 32)]
    )
