"""Where the disk is full, an append is durable or says so, and the projections catch up later."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from graphmem import Memory

QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 64}
FULL = """
import resource, signal, sys
from graphmem import Memory
from graphmem.errors import GraphmemError
mem = Memory.open(sys.argv[1], project="demo", settings={"embedding.provider": "none", "graph.buffer_pool_mb": 64})
mem.observe("first")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
refused = 0
for n in range(200):
    try:
        print(mem.observe(f"turn {n} " + "x" * 5000), flush=True)
    except GraphmemError as error:
        assert type(error).__name__ == "StoreError", error
        refused += 1
assert refused
print("refused", file=sys.stderr)
"""


def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path / "s"], capture_output=True, text=True)
    assert done.returncode == 0 and "refused" in done.stderr, done.stderr
    said = done.stdout.split()
    assert said
    with Memory.open(tmp_path / "s", project="demo", settings=QUIET) as mem:
        mem.process()
        assert {event.id for event in mem.history(limit=1000)} >= set(said)
        assert mem.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[len(said) + 1]]
        assert mem.health()["sound"]


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "log.db").mkdir()
    with Memory.open(tmp_path, settings=QUIET) as mem:
        try:
            mem.observe("one")
        except Exception as error:  # noqa: BLE001
            assert type(error).__name__ in ("StoreError", "StoreDamaged") and "log.db" in str(error)
        else:
            raise AssertionError("it was accepted")
    assert list((tmp_path / "log.db").iterdir()) == []
