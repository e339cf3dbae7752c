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
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from graphmem import settings
from graphmem.cognify import entities, episodes, facts
from graphmem.cognify.source import source_of
from graphmem.memory import Memory
from graphmem.model.events import Derivation, Draft, Event
from graphmem.store import Store
from graphmem.sync.pipeline import COGNIFIED, project_pending
from graphmem.tasks import learn
from graphmem.tree import sensor

_BATCH, _PART, _AHEAD = 10_000, 2_000, 4  # events that are appended or derived at once, and parts that may wait
_LOOK = 0.5  # seconds between two looks at the memory
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


def derived(events: Sequence[Event], seed: int = 2) -> list[Derivation]:
    """Return what the steps made of them: entities and an episode of each, a fact of every tenth."""
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


def fill(folder: Path, count: int) -> None:
    """Write a log of which every step has seen every event. Every core derives; little of it waits to be written."""
    store = Store(folder, settings.load_settings(folder), "bench")
    log = store.log
    for batch in batched(drafts(count)):
        log.append(batch)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[list[Derivation]]] = deque()
        for events in batched(log.read(), _PART):
            waiting.append(pool.submit(derived, events))
            if len(waiting) > _AHEAD:
                log.store_derivations(waiting.popleft().result())
        for made in waiting:
            log.store_derivations(made.result())
    for work in (COGNIFIED, sensor.STEP):
        log.state.save_watermark(work, log.head())
    store.close()


def batched(source: Iterable[Any], size: int = _BATCH) -> Iterator[list[Any]]:
    """Lists of so many, the last perhaps shorter."""
    iterator = iter(source)
    while batch := list(islice(iterator, size)):
        yield batch


def main(count: int) -> None:
    """Fill, project, rebuild, report."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        fill(Path(name), count)
        sys.stdout.write(json.dumps(measured(Path(name), count)) + "\n")


def measured(folder: Path, count: int) -> dict[str, Any]:
    """Return what it takes to bring the log into empty tables of graph and text, and what a whole rebuild takes, with
    the conclusions and the memory tree: one that folds the tree, and one that finds it kept. Memory is what this
    process and its helpers hold at once, at its highest."""
    ended = threading.Event()
    with ThreadPoolExecutor(1) as watch:
        memory = watch.submit(_most_held, ended)
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


def _most_held(ended: threading.Event) -> int:
    """Return the most memory that this process and its children held at once, in KiB; of pages that they share each
    counts its part. 0 if there is no /proc."""
    most = 0
    while not ended.wait(_LOOK):
        held = 0
        with contextlib.suppress(OSError):  # a thread or a child ended meanwhile
            listed = [file.read_text().split() for file in Path("/proc/self/task").glob("*/children")]
            for process in ("self", *chain.from_iterable(listed)):
                rollup = Path("/proc", process, "smaps_rollup").read_text()
                held += int(re.findall(r"^Pss:\s*(\d+)", rollup, re.M)[0])
        most = max(most, held)
    return most


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and seconds of processor time of this process and its helpers."""
    before, started = os.times(), time.perf_counter()
    work()
    after = os.times()
    return time.perf_counter() - started, sum(after[:4]) - sum(before[:4])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
