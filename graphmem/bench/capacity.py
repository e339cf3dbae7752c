"""How a store grows: `graphmem bench capacity --count 100000` records so many turns, facts and tasks, and measures ingest, disk,
memory and queries with each graph engine that is installed, in a process of its own. Counts that are too large for that are
measured in parts: `python -m graphmem.bench.capacity log 10000000` appends to a log and reads it, `… columns:ladybug 10000000`
copies the nodes of a graph."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphmem import resources
from graphmem.backends.graph.engines import EMBEDDED
from graphmem.backends.graph.opening import open_graph
from graphmem.backends.log.sqlite import SqliteLog
from graphmem.bench.viewer import fill
from graphmem.errors import SourceError
from graphmem.memory import Memory
from graphmem.model.changes import Changes, NodeTable
from graphmem.model.events import Draft
from graphmem.ports.clock import SystemClock
from graphmem.ports.text import EVENTS
from graphmem.settings import load_settings

_ASKED = 30
_BATCH, _ROWS = 500, 20_000  # events of a transaction, nodes of a batch
_START = 1_790_000_000_000_000  # microseconds
_QUERIES = ("sessions", "open_tasks", "tree_newest")


def main(count: int) -> None:
    """Measure each installed engine and print one line of JSON for each."""
    for name in (engine.name for engine in EMBEDDED.values() if engine.is_installed):
        words = [sys.executable, "-m", "graphmem.bench.capacity", name, str(count)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise SourceError(f"the engine {name} failed: {done.stderr.strip()[-500:]}")
        sys.stdout.write(done.stdout)
        sys.stdout.flush()


def measure_store(engine: str, count: int, store: Path) -> dict[str, Any]:
    """Return the figures of a new store of so many events."""
    begun, worked = time.perf_counter(), time.process_time()
    fill(store, count, settings={"graph.engine": engine})
    figures: dict[str, Any] = {
        "engine": engine,
        "events": count,
        "ingest_s": round(time.perf_counter() - begun, 1),
        "ingest_cpu_s": round(time.process_time() - worked + _of_children(), 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "disk_mb": _disk(store, ""),
        "graph_mb": _disk(store, "graph-"),
    }
    with Memory.open(store, settings={"graph.engine": engine}) as memory:
        memory.search("warm up")
        words = ("parser ledger berth", "token cache queue", "retry timeout deadline", "hook owner daemon")
        figures["search_ms"] = _median(lambda n: memory.search(f"{words[n % 4]} {n}"))
        for name in _QUERIES:
            figures[f"{name}_ms"] = _median(lambda n, name=name: memory.query(name))  # type: ignore[misc]
    return figures


def measure_log(count: int, folder: Path) -> dict[str, Any]:
    """Return the figures of a log alone: so many turns, appended by batches, then read in order. Raises SourceError if one is
    missing."""
    log = SqliteLog(folder / "log.db", SystemClock())
    begun = time.process_time()
    for start in range(0, count, _BATCH):
        log.append([_draft(number) for number in range(start, min(start + _BATCH, count))])
    appended, read = time.process_time(), 0
    for number, event in enumerate(log.read(0)):
        if event.payload["content"] != _text(number):
            raise SourceError(f"event {number} is not what was appended")
        read += 1
    done = time.process_time()
    log.close()
    if read != count:
        raise SourceError(f"{read} of {count} events were read")
    return _part("log", count, append_cpu_s=appended - begun, read_cpu_s=done - appended) | {
        "disk_mb": _disk(folder, "log")
    }


def measure_columns(engine: str, count: int, folder: Path) -> dict[str, Any]:
    """Return the figures of the nodes of a graph alone: so many turns, copied by batches, then counted and looked up. Raises
    SourceError if one is missing."""
    graph = open_graph(folder / f"graph.{engine}", load_settings(folder), engine=engine)
    begun, query = time.process_time(), resources.text("queries/graph/bench/node.cypher")
    for start in range(0, count, _ROWS):
        numbers = range(start, min(start + _ROWS, count))
        columns = {"id": [f"n{n}" for n in numbers], "content": [_text(n) for n in numbers], "sequence": [*numbers]}
        graph.apply(Changes(node_tables=[NodeTable("Turn", columns)]), {EVENTS: numbers[-1] + 1})
    found = [graph.query(query, {"id": f"n{n}"}).rows[0][1] for n in (0, count // 2, count - 1)]
    copied = time.process_time()
    lookup = _median(lambda n: graph.query(query, {"id": f"n{n * count // 40}"}))
    graph.close()
    if found != [0, count // 2, count - 1]:
        raise SourceError(f"the graph answers wrongly: {found}")
    return _part(engine, count, copy_cpu_s=copied - begun, close_cpu_s=time.process_time() - copied) | {
        "lookup_ms": lookup, "disk_mb": _disk(folder, "graph")
    }  # fmt: skip


def _part(what: str, count: int, **seconds: float) -> dict[str, Any]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {"what": what, "count": count, "peak_mb": peak} | {name: round(value, 1) for name, value in seconds.items()}


def _draft(number: int) -> Draft:
    payload = {"content": _text(number), "role": "user", "ref": f"r{number}"}
    return Draft("agent_response", payload, _START + number * 1_000_000, session=f"s{number // 100}", project="bench")


def _text(number: int) -> str:
    return f"turn {number}: the berth {number % 97} keeps the crane of pier {number % 31} because of the tide ".ljust(
        160, "x"
    )


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _median(ask: Callable[[int], object]) -> float:
    """Return the median time of a call in milliseconds; the first one is not counted."""
    taken: list[float] = []
    for number in range(_ASKED + 1):
        started = time.perf_counter()
        ask(number)
        taken.append((time.perf_counter() - started) * 1_000)
    return round(statistics.median(taken[1:]), 1)


def _disk(store: Path, prefix: str) -> float:
    """Return the space of the files of a closed store whose names begin so, in MB."""
    files = (file for file in store.rglob(f"{prefix}*") if file.is_file())
    return round(sum(file.stat().st_blocks for file in files) * 512 / (1 << 20), 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as made:
        what, _, engine = sys.argv[1].partition(":")
        if what == "log":
            found = measure_log(int(sys.argv[2]), Path(made))
        elif what == "columns":
            found = measure_columns(engine, int(sys.argv[2]), Path(made))
        else:
            found = measure_store(what, int(sys.argv[2]), Path(made) / "store")
    sys.stdout.write(json.dumps(found) + "\n")
