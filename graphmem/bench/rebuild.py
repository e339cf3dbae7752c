"""Measures how fast projections are rebuilt: `graphmem bench rebuild --count 100000` writes a log of that many events
with their derivations to a temporary store, rebuilds it, and prints events per second and memory. The result is not
checked."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from graphmem import settings
from graphmem.cognify import entities, episodes, facts
from graphmem.cognify.source import source_of
from graphmem.memory import Memory
from graphmem.model.batches import batched
from graphmem.model.events import Derivation, Draft, Event
from graphmem.store import Store
from graphmem.sync.derivations import COGNIFIED
from graphmem.sync.pipeline import project_pending
from graphmem.tasks import learn
from graphmem.tree import sensor

_APPEND_BATCH = 10_000  # events
_DERIVE_BATCH = 2_000  # events
_MAX_PENDING_BATCHES = 4  # derived batches that may wait to be written
_POLL_S = 0.5  # between two measurements of the memory
_WORDS = [
    f"{a}{b}"
    for a in "parse cache token graph queue retry socket index merge build".split()
    for b in ("", "r", "s", "_all", "Path")
]


def drafts(count: int, seed: int = 1) -> Iterator[Draft]:
    """Turns of many sessions: prompts, answers, tool calls with their files."""
    chance = random.Random(seed)
    for number in range(count):
        kind = ("user_prompt", "agent_response", "tool_observation")[number % 3]
        text = " ".join(chance.choices(_WORDS, k=25))
        payload: dict[str, Any] = {
            "content": text,
            "role": ("user", "assistant", "tool")[number % 3],
            "ref": f"t{number}",
        }
        if kind == "tool_observation":
            payload |= {
                "command": f"pytest tests/{chance.choice(_WORDS)}.py",
                "exit_code": 0,
                "writes": [f"src/{chance.choice(_WORDS)}.py"],
            }
        yield Draft(kind, payload, 1_700_000_000_000_000 + number * 1_000_000, f"s{number // 200}", "bench", "user")


def make_derivations(events: Sequence[Event], seed: int = 2) -> list[Derivation]:
    """Return synthetic derivations: entities and an episode for each event, a fact for every tenth."""
    chance = random.Random(f"{seed} {events[0].position}")
    made: list[Derivation] = []
    for event in events:
        number = event.position - 1
        name, place = event.id, {"label": "Turn", "project": "bench"}
        mentions = [["function", word, 1] for word in chance.sample(_WORDS, 2)]
        bodies: dict[str, dict[str, Any]] = {step: {} for step in (facts.NAME, learn.STEP)}
        bodies[entities.NAME] = place | {"node": name, "item": name, "mentions": mentions}
        bodies[episodes.NAME] = episodes.derive([source_of(event)])[0] or {}
        if number % 10 == 0:
            fact = {"id": f"fact:{number:08}", "kind": "decision", "content": " ".join(chance.choices(_WORDS, k=10)),
                    "start": 0, "end": 40, "confidence": 0.6, "outcome": "unknown", "files": [], "entities": []}  # fmt: skip
            bodies[facts.NAME] = place | {"source": name, "session": event.session, "facts": [fact]}
        bodies[sensor.STEP] = sensor.sense_turn(event) or {}
        made += (Derivation(step, name, "x", body) for step, body in bodies.items())
    return made


def write_log(folder: Path, count: int) -> None:
    """Write a log with derivations of every step for every event. Derivations are computed in parallel; at most
    `_MAX_PENDING_BATCHES` batches are held in memory."""
    store = Store(folder, settings.load_settings(folder), "bench")
    log = store.log
    for batch in batched(drafts(count), _APPEND_BATCH):
        log.append(batch)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[list[Derivation]]] = deque()
        for events in batched(log.read(), _DERIVE_BATCH):
            waiting.append(pool.submit(make_derivations, events))
            if len(waiting) > _MAX_PENDING_BATCHES:
                log.store_derivations(waiting.popleft().result())
        for made in waiting:
            log.store_derivations(made.result())
    for work in (COGNIFIED, sensor.STEP):
        log.state.save_watermark(work, log.head())
    store.close()


def main(count: int) -> None:
    """Write a log, project it, rebuild, and print the result as JSON."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        write_log(Path(name), count)
        sys.stdout.write(json.dumps(measure_rebuild(Path(name), count)) + "\n")


def measure_rebuild(folder: Path, count: int) -> dict[str, Any]:
    """Return events per second for projection into empty stores, for a full rebuild, and for a rebuild that reuses the
    memory tree; and the peak memory (PSS) of this process and its helpers, in MiB."""
    ended = threading.Event()
    with ThreadPoolExecutor(1) as watch:
        memory = watch.submit(_peak_memory_kib, ended)
        try:
            found = _measured(folder, count)
        finally:
            ended.set()
        return {**found, "peak_mb": memory.result() >> 10}


def _measured(folder: Path, count: int) -> dict[str, Any]:
    store = Store(folder, settings.load_settings(folder, {"embedding.provider": "none"}), "bench")
    projected, cpu = _timed(lambda: project_pending(store))
    store.close()
    with Memory.open(folder, settings={"embedding.provider": "none"}) as mem:
        whole, _ = _timed(mem.rebuild)
        again, spent = _timed(mem.rebuild)
        nodes = mem.stats()["nodes"]
    return {
        "events": count,
        "projected_per_second": round(count / projected),
        "projecting_cpu_seconds": round(cpu, 1),
        "rebuilt_per_second": round(count / whole),
        "rebuilt_again_per_second": round(count / again),
        "rebuilding_again_cpu_seconds": round(spent, 1),
        "nodes": nodes,
    }


def _peak_memory_kib(ended: threading.Event) -> int:
    """Poll until `ended` is set; return the peak proportional set size (PSS) of this process and its children, in KiB; 0
    without /proc."""
    peak = 0
    while not ended.wait(_POLL_S):
        total = 0
        with contextlib.suppress(OSError):  # a thread or a child ended meanwhile
            listed = [file.read_text().split() for file in Path("/proc/self/task").glob("*/children")]
            for process in ("self", *chain.from_iterable(listed)):
                rollup = Path("/proc", process, "smaps_rollup").read_text()
                total += int(re.findall(r"^Pss:\s*(\d+)", rollup, re.M)[0])
        peak = max(peak, total)
    return peak


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and seconds of processor time of this process and its helpers."""
    before, started = os.times(), time.perf_counter()
    work()
    after = os.times()
    return time.perf_counter() - started, sum(after[:4]) - sum(before[:4])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
