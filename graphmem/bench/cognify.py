"""Measures how fast transcripts are processed: `graphmem bench cognify --data FOLDER` reads the transcripts of a folder
into a temporary store and derives everything from them, vectors included, as `graphmem ingest` and `graphmem process`
do. Lines are those in the log: prompts, answers, commands and tool output. The quality of the results is not
measured."""

from __future__ import annotations

import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import UsageError
from graphmem.extract.transcripts import Transcript
from graphmem.memory import Memory
from graphmem.model.sources import IngestReport

_COPIES = (1, 4)  # how often the transcripts are read: memory must not grow with them
_ID = re.compile(rb"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|toolu_\w+|msg_\w+")


class Spent(NamedTuple):
    """Seconds on the clock and of the processor."""

    wall: float
    cpu: float


def run(data: Path) -> Iterator[tuple[str, float, int, str]]:
    """Yield (what, seconds, lines a second, note) of each stage. Raises UsageError if the folder holds no
    transcripts."""
    if not any(data.rglob("*.jsonl")):
        raise UsageError(f"{data} contains no transcripts: unpack them to .jsonl files", path=str(data))
    for copies in _COPIES:
        with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
            folder = Path(name) / "transcripts"
            lines = sum(_copied(data, folder / str(number), number) for number in range(copies))
            yield from _measured(folder, Path(name) / "store", lines, f"{copies} times " * (copies > 1))


def _copied(data: Path, folder: Path, number: int) -> int:
    """Copy the transcripts as those of other sessions; returns how many lines of log they hold."""
    total = 0
    for file in sorted(data.rglob("*.jsonl")):
        copy = folder / _ID.sub(lambda m: _other(m[0], number), str(file.relative_to(data)).encode()).decode()
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(_ID.sub(lambda m: _other(m[0], number), file.read_bytes()))
        for draft in Transcript(copy, "bench", IngestReport("sessions")).drafts():
            said = (str(draft.payload.get(name) or "") for name in ("content", "command"))
            total += sum(text.count("\n") + 1 for text in said if text)
    return total


def _other(name: bytes, number: int) -> bytes:
    return name[:-3] + b"%03x" % number if number else name


def _measured(folder: Path, store: Path, lines: int, times: str) -> Iterator[tuple[str, float, int, str]]:
    with Memory.open(store, project="bench") as mem:
        read = _timed(lambda: mem.ingest("sessions", folder))
        done = _timed(mem.process)
        facts = mem.stats()["nodes"].get("Fact", 0)
        again = _timed(lambda: (mem.ingest("sessions", folder), mem.process()))
    total = Spent(read.wall + done.wall, read.cpu + done.cpu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (20 if sys.platform == "darwin" else 10)
    for what, spent, note in (
        ("reading", read, f"{lines} lines"),
        ("deriving", done, f"{facts} facts"),
        (
            "both",
            total,
            f"{60 * lines / total.wall:,.0f} lines/min, {60 * lines / total.cpu:,.0f} a core",
        ),
        ("the same again", again, f"peak {peak} MB"),
    ):
        yield f"{times}{what}", round(spent.wall, 1), round(lines / spent.wall), note


def _timed(work: Callable[[], object]) -> Spent:
    before, started = os.times(), time.perf_counter()
    work()
    after = os.times()
    return Spent(time.perf_counter() - started, sum(after[:4]) - sum(before[:4]))
