"""Measures the memory of an owner in daily use: `graphmem bench owner --count 100000` fills a store with that many
events, starts its owner and reads the resident memory of that process after each kind of work. Its short-lived helpers
are not counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from graphmem.backends.remote import client, place
from graphmem.bench.rebuild import write_log
from graphmem.memory import Memory

_HOOK = [sys.executable, "-m", "graphmem.interfaces.entry", "hook", "UserPromptSubmit"]
_ROUNDS, _TURNS, _REST_S = 20, 50, 15.0


def main(count: int) -> None:
    """Measure and print one JSON line, in MB."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        store = Path(folder) / "store"
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            process.submit(_filled, store, count).result()
        sys.stdout.write(json.dumps({"events": count, **_lived(store)}) + "\n")


def _filled(store: Path, count: int) -> None:
    write_log(store, count)
    with Memory.open(store, project="bench") as memory:
        memory.process()


def _lived(store: Path) -> dict[str, int]:
    """MB of the owner after each part of a day."""
    os.environ["GRAPHMEM_OWNER__IDLE_S"] = "600"
    found: dict[str, int] = {}
    with Memory.open(store, project="bench", daemon=True) as memory:
        memory.stats()
        found["started"] = _resident(store)
        for number in range(_ROUNDS):
            memory.observe_many(
                {"content": f"We decided that service {number} keeps queue {turn}.", "session": f"day{number}"}
                for turn in range(_TURNS)
            )
            given = {
                "session_id": f"day{number}",
                "cwd": str(store),
                "prompt": f"What keeps queue {number} of the parser?",
            }
            environment = {**os.environ, "GRAPHMEM_STORE": str(store)}
            subprocess.run(_HOOK, input=json.dumps(given).encode(), env=environment, capture_output=True)
            memory.process()
        found["after work"] = _resident(store)
        memory.memify()
        found["after memify"] = _resident(store)
        time.sleep(_REST_S)
        found["at rest"] = _resident(store)
    client.claim_from_daemon(store).release()
    return found


def _resident(store: Path) -> int:
    pid = str(place.read_endpoint(store)["pid"])
    told = subprocess.run(["ps", "-o", "rss=", "-p", pid], capture_output=True, text=True, check=True)
    return int(told.stdout) >> 10
