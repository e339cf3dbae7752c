"""How fast the projections are made again: `python -m graphmem.bench.rebuild 100000` writes a log of so many events with
their derivations into a temporary store, rebuilds it, and prints events per second and memory. It checks nothing."""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphmem import settings
from graphmem.cognify import entities, facts
from graphmem.memory import Memory
from graphmem.model.events import Derivation, Draft
from graphmem.wiring import Store

_BATCH = 10_000
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


def derived(ids: list[str], seed: int = 2) -> Iterator[Derivation]:
    """What the steps made of them: entities of each, a fact of every tenth."""
    chance = random.Random(seed)
    for number, name in enumerate(ids):
        mentions = [["function", word, 1] for word in chance.sample(_WORDS, 2)]
        body = {"label": "Turn", "node": name, "item": name, "project": "bench", "mentions": mentions}
        yield Derivation(entities.NAME, name, "x", body)
        made = [] if number % 10 else [
            {"id": f"fact:{number:08}", "kind": "decision", "content": " ".join(chance.choices(_WORDS, k=10)),
             "start": 0, "end": 40, "confidence": 0.6, "outcome": "unknown", "files": []}
        ]  # fmt: skip
        yield Derivation(
            facts.NAME, name, "x", {"label": "Turn", "source": name, "project": "bench", "session": "", "facts": made}
        )


def fill(folder: Path, count: int) -> None:
    """Write the log."""
    store = Store(folder, settings.load(folder), "bench")
    log = store.log
    ids: list[str] = []
    pending: list[Draft] = []
    for draft in drafts(count):
        pending.append(draft)
        if len(pending) == _BATCH:
            ids += [appended.id for appended in log.append(pending)]
            pending = []
    ids += [appended.id for appended in log.append(pending)]
    rows = list(derived(ids))
    for start in range(0, len(rows), _BATCH):
        log.derive(rows[start : start + _BATCH])
    store.close()


def main(count: int) -> None:
    """Fill, rebuild, report."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        folder = Path(name)
        fill(folder, count)
        with Memory.open(folder, settings={"embedding.provider": "none"}) as mem:
            started, busy = time.perf_counter(), time.process_time()
            mem.rebuild()
            seconds, cpu = time.perf_counter() - started, time.process_time() - busy
            found = {
                "events": count,
                "seconds": round(seconds, 1),
                "events_per_second": round(count / seconds),
                "cpu_seconds": round(cpu, 1),
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
                "nodes": mem.stats()["nodes"],
            }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
