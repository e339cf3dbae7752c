"""How a store grows: `graphmem bench capacity --count 100000` records so many turns, facts and tasks, and measures ingest, disk,
memory and queries with each graph engine that is installed, in a process of its own."""

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

from graphmem.backends.graph.engines import EMBEDDED
from graphmem.bench.viewer import fill
from graphmem.errors import SourceError
from graphmem.memory import Memory

_ASKED = 30
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
        found = measure_store(sys.argv[1], int(sys.argv[2]), Path(made) / "store")
    sys.stdout.write(json.dumps(found) + "\n")
