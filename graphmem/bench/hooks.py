"""What an append costs a hook as a whole process: `python -m graphmem.bench.hooks 40` starts so many, one after the other,
on a temporary store, and prints the median and the 95th percentile in milliseconds. It checks nothing."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time

_APPEND = """
import sys
from pathlib import Path
from graphmem import settings
from graphmem.model.events import Draft
from graphmem.wiring import Store
path = Path(sys.argv[1])
store = Store(path, settings.load(path), "bench")
store.recorder.record([Draft("user_prompt", {"content": "what a hook is given", "role": "user"}, 1, "s", "bench", "user")])
store.close()
"""


def main(count: int) -> None:
    """Append and report; a bare interpreter is timed beside it, since the machine may be busy."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as store:
        found = {
            "append": _times([sys.executable, "-c", _APPEND, store], count),
            "python": _times([sys.executable, "-c", "pass"], count),
        }
    sys.stdout.write(json.dumps(found) + "\n")


def _times(command: list[str], count: int) -> dict[str, float]:
    spent = []
    for _ in range(count):
        started = time.perf_counter()
        subprocess.run(command, check=True)
        spent.append((time.perf_counter() - started) * 1000)
    return {"median_ms": round(statistics.median(spent), 1), "p95_ms": round(statistics.quantiles(spent, n=20)[-1], 1)}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
