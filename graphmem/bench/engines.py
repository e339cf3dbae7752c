"""Compares the graph engines that are installed: `graphmem bench engines --count 60000` fills a graph of that many nodes and
three times as many relations with each, in a process of its own, and measures writes, queries, checkpoints with readers
meanwhile, disk and memory. What is read is compared with what was written."""

from __future__ import annotations

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphmem import resources, settings
from graphmem.backends.graph.engines import EMBEDDED
from graphmem.backends.graph.opening import open_graph
from graphmem.errors import SourceError
from graphmem.model.changes import Changes, Edge, EdgeKey, Node
from graphmem.ports.graph import OwnedGraph

_BATCH, _RELATIONS, _TEXT = 5_000, 3, 200
_CHANGED = 20  # nodes that change between two checkpoints
CHECKPOINTS = 30
_ASKED = 200
_PAUSE_S = 0.005  # between two reads: a checkpoint waits for a moment without any


def main(count: int) -> None:
    """Measure each installed engine and print one line of JSON for each."""
    for name in (engine.name for engine in EMBEDDED.values() if engine.is_installed):
        words = [sys.executable, "-m", "graphmem.bench.engines", name, str(count), str(CHECKPOINTS)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise SourceError(f"the engine {name} failed: {done.stderr.strip()[-500:]}")
        sys.stdout.write(done.stdout)


def measure_engine(name: str, count: int, checkpoints: int, folder: Path) -> dict[str, Any]:
    """Return the figures of one engine, which this process loads. Raises SourceError if it answers anything else than what
    was written."""
    chosen = settings.load_settings(folder)
    graph = open_graph(folder / f"graph.{name}", chosen, engine=name)
    run = _Run(graph, count)
    figures: dict[str, Any] = {
        "engine": name,
        "nodes": count,
        "relations": count * _RELATIONS,
        "write_s": _timed(run.fill),
    }
    figures |= {"lookup_ms": run.median("node"), "two_hops_ms": run.median("hops"), "scan_ms": run.median("scan", 5)}
    figures |= run.checkpoint_with_readers(checkpoints)
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    figures["open_mb"] = _disk(folder)
    figures["close_s"] = _timed(graph.release_memory)
    figures["closed_mb"] = _disk(folder)
    figures["open_s"] = _timed(lambda: graph.query(_query("node"), {"id": "n0"}))
    run.verify()
    graph.close()
    return figures


class _Run:
    """A graph of turns in which each follows others at random, and what it must hold."""

    def __init__(self, graph: OwnedGraph, count: int) -> None:
        self._graph, self._count = graph, count
        self._chance = random.Random(1)
        self._versions = dict.fromkeys(range(count), 0)
        self._edges: set[tuple[int, int]] = set()
        self._wrong: list[str] = []

    def fill(self) -> None:
        """Write all nodes, then all relations."""
        for start in range(0, self._count, _BATCH):
            self._graph.apply(Changes(nodes=[_node(n, 0) for n in range(start, min(start + _BATCH, self._count))]), {})
        while len(self._edges) < self._count * _RELATIONS:
            pairs = {self._pair() for _ in range(_BATCH)} - self._edges
            self._edges |= set(list(pairs)[: self._count * _RELATIONS - len(self._edges)])
        edges = sorted(self._edges)
        for start in range(0, len(edges), _BATCH):
            self._graph.apply(
                Changes(edges=[_edge(*pair) for pair in edges[start : start + _BATCH]]), {"events": start + 1}
            )
        self._graph.query(_query("node"), {"id": "n0"})

    def _pair(self) -> tuple[int, int]:
        return self._chance.randrange(self._count), self._chance.randrange(self._count)

    def median(self, query: str, times: int = _ASKED) -> float:
        """Return the median time of a query in milliseconds."""
        ids = [f"n{self._chance.randrange(self._count)}" for _ in range(times)]
        taken = [_timed(lambda id=id: self._graph.query(_query(query), {"id": id})) for id in ids]  # type: ignore[misc]
        return round(statistics.median(taken) * 1000, 2)

    def checkpoint_with_readers(self, times: int) -> dict[str, float]:
        """Change the graph again and again, and query a copy of it each time, which takes a checkpoint. Another thread reads
        meanwhile."""
        stop, reads, taken = threading.Event(), [0], list[float]()
        reader = threading.Thread(target=self._read, args=[stop, reads])
        reader.start()
        try:
            for number in range(1, times + 1):
                self._change(number)
                started = time.perf_counter()
                asked = self._graph.query_untrusted(_query("count"), {}, timeout=60).rows
                taken.append(time.perf_counter() - started)
                if asked != [[self._count, len(self._edges)]]:
                    self._wrong.append(f"checkpoint {number}: {asked}")
        finally:
            stop.set()
            reader.join()
        return {"checkpoints": times, "checkpoint_ms": round(statistics.median(taken) * 1000, 1), "reads": reads[0]}

    def _change(self, number: int) -> None:
        chosen = [self._chance.randrange(self._count) for _ in range(_CHANGED)]
        gone, new = self._chance.choice(tuple(self._edges)), self._pair()
        self._edges.discard(gone)
        key = EdgeKey("NEXT", "Turn", f"n{gone[0]}", "Turn", f"n{gone[1]}")
        self._graph.apply(Changes(removed_edges=[key]), {})
        self._edges.add(new)
        self._versions |= dict.fromkeys(chosen, number)
        nodes = [_node(n, number) for n in dict.fromkeys(chosen)]
        self._graph.apply(Changes(nodes=nodes, edges=[_edge(*new)]), {"events": number})

    def _read(self, stop: threading.Event, reads: list[int]) -> None:
        chance = random.Random(2)
        while not stop.is_set():
            one = chance.randrange(self._count)
            before = self._versions[one]
            rows = self._graph.query(_query("node"), {"id": f"n{one}"}).rows
            if not (len(rows) == 1 and rows[0][0] == f"n{one}" and rows[0][1] in (before, self._versions[one])):
                self._wrong += [f"n{one}: {rows}"] if before == self._versions[one] else []
            reads[0] += 1
            time.sleep(_PAUSE_S)

    def verify(self) -> None:
        """Raise SourceError unless the graph holds what was written."""
        nodes = {row[0]: (row[1], row[2]) for row in self._graph.query(_query("nodes")).rows}
        edges = {tuple(row) for row in self._graph.query(_query("relations")).rows}
        if nodes != {f"n{n}": (version, _text(n, version)) for n, version in self._versions.items()}:
            self._wrong.insert(0, "nodes differ")
        if edges != {(f"n{a}", f"n{b}") for a, b in self._edges}:
            self._wrong.insert(0, "relations differ")
        if self._wrong:
            raise SourceError(f"the graph answers wrongly: {'; '.join(self._wrong[:5])}")


def _query(name: str) -> str:
    return resources.text(f"queries/graph/bench/{name}.cypher")


def _text(number: int, version: int) -> str:
    return f"turn {number} in version {version} ".ljust(_TEXT, "x")


def _node(number: int, version: int) -> Node:
    return Node("Turn", f"n{number}", {"content": _text(number, version), "sequence": version, "session": "s"})


def _edge(source: int, target: int) -> Edge:
    return Edge("NEXT", "Turn", f"n{source}", "Turn", f"n{target}", {"position": 1})


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return round(time.perf_counter() - started, 4)


def _disk(folder: Path) -> float:
    """Return the space of the graph's files on disk in MB, without copies for readers."""
    files = (file for file in folder.glob("graph.*") if file.is_file())
    return round(sum(file.stat().st_blocks for file in files) * 512 / (1 << 20), 2)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as made:
        found = measure_engine(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(made))
    sys.stdout.write(json.dumps(found) + "\n")
