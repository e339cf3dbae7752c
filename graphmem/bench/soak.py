"""Suite `soak`: does the memory of an owner stay flat under hours of mixed work? `graphmem bench soak --count 30` lets one owner
record, process, search, answer Cypher and hooks, keep tasks, forget and index an edited file for 30 minutes, one cycle after the
other, and samples its memory (PSS, helpers included). Growth is the median of the last quarter divided by that of the second."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphmem import resources
from graphmem.backends.remote import client, place
from graphmem.bench.footprint import process_memory, processor_seconds
from graphmem.memory import Memory

_CYCLE_S = 1.0  # a cycle starts at most this often: a rate that people and agents reach, not the most that is possible
_SAMPLE_S = 5.0
_KEPT = 60  # a session is forgotten once that many newer ones exist: what is stored stays bounded, too
_HOOK = [sys.executable, "-m", "graphmem.interfaces.entry", "hook", "UserPromptSubmit"]
_CYPHER = "queries/graph/read/authors.cypher"
_CURVE = 12  # points that are printed


def main(count: int) -> None:
    """Run for `count` minutes and print one JSON line."""
    sys.stdout.write(json.dumps(run(60.0 * count)) + "\n")


def run(seconds: float) -> dict[str, Any]:
    """Return the number of cycles, memory in MB over time, its growth, the processor seconds of the owner, and failed hooks."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        store, tree = Path(folder) / "store", Path(folder) / "tree"
        tree.mkdir()
        subprocess.run(["git", "init", "-q", str(tree)], check=True)
        try:
            with Memory.open(store, project="bench", daemon=True, settings={"owner.idle_s": 120.0}) as memory:
                return _measure(memory, store, tree, seconds)
        finally:
            client.claim_from_daemon(store).release()


def _measure(memory: Memory, store: Path, tree: Path, seconds: float) -> dict[str, Any]:
    samples: list[tuple[float, float]] = []
    started = sampled = time.monotonic()
    cycles = failed = 0
    for failed_hook in _work(memory, store, tree):
        cycles += 1
        failed += failed_hook
        now = time.monotonic()
        if now - sampled >= _SAMPLE_S or not samples:
            sampled = now
            used = process_memory(int(place.read_endpoint(store)["pid"]))
            samples.append((now - started, (used.pss + used.helpers) / 1e6))
        if now - started >= seconds:
            break
        time.sleep(max(0.0, started + cycles * _CYCLE_S - now))
    spent = processor_seconds(int(place.read_endpoint(store)["pid"]))
    step = max(1, len(samples) // _CURVE)
    return {
        "minutes": round((time.monotonic() - started) / 60, 1),
        "cycles": cycles,
        "failed_hooks": failed,
        "owner_cpu_s": round(spent, 1),
        "growth": round(growth(samples), 3),
        "curve": [[round(at), round(size)] for at, size in samples[::step]],
    }


def growth(samples: list[tuple[float, float]]) -> float:
    """Return the median of the last quarter of the samples divided by that of the second quarter; the first one warms up."""
    quarter = max(1, len(samples) // 4)
    sizes = [size for _, size in samples]
    return statistics.median(sizes[-quarter:]) / statistics.median(sizes[quarter : 2 * quarter] or sizes[:quarter])


def _work(memory: Memory, store: Path, tree: Path) -> Iterator[int]:
    """Do one cycle of mixed work after the other; yield 1 if its hook failed, else 0."""
    number = 0
    while True:
        session = f"session {number}"
        memory.observe_many(
            {
                "content": f"We decided that service {number % 97} keeps queue {turn} in region {number % 13}.",
                "session": session,
            }
            for turn in range(5)
        )
        task = memory.tasks.create(f"Move queue {number} of the parser", priority="low")
        if number % 3 == 0:
            memory.tasks.update(task.id, status="in_progress")
            memory.tasks.update(task.id, status="done")
        if number % 5 == 0:
            memory.process()
        memory.search(f"Which region keeps queue {number % 5} of service {number % 97}?")
        memory.cypher(resources.text(_CYPHER))
        if number % 10 == 0:
            (tree / "module.py").write_text(f"def work_{number}(value):\n    return str(value)\n", "utf-8")
            memory.index_code(str(tree))
        if number >= _KEPT:
            memory.forget(session=f"session {number - _KEPT}")
        yield _call_hook(store, tree, number)
        number += 1


def _call_hook(store: Path, tree: Path, number: int) -> int:

    given = {"session_id": f"agent {number}", "cwd": str(tree), "prompt": f"What keeps queue {number} of the parser?"}
    environment = {**os.environ, "GRAPHMEM_STORE": str(store)}
    done = subprocess.run(_HOOK, input=json.dumps(given).encode(), env=environment, capture_output=True, check=False)
    return int(done.returncode != 0)
