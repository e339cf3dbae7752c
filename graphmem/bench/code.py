"""Measures indexing of a source tree of yours, from scratch and after edits, queries about it, and loading its history:
`graphmem bench code --data TREE`. The baselines run at the same time: a bare tree-sitter parse, and ctags and codegraph
if installed. Accuracy is not measured."""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from graphmem import settings
from graphmem.code.indexing import follow_values
from graphmem.codegraph import languages, scan
from graphmem.codegraph.python import is_compiled
from graphmem.errors import NotFound, UsageError
from graphmem.extract.git import find_repository
from graphmem.memory import Memory
from graphmem.store import Store
from graphmem.sync.pipeline import project_pending

_EDITS, _QUERIES = 11, 500
_LOOK = 0.1  # seconds between looks at the memory of helpers
_INDEX = """
import sys
from graphmem import Memory
with Memory.open(sys.argv[1], project="bench", settings={"embedding.provider": "none"}) as mem:
    mem.index_code(".")
"""


class Row(NamedTuple):
    """One line of the table: what was done, how long it took, and at what rate."""

    what: str
    seconds: float
    lines_per_second: int | None
    note: str = ""


def run(tree: Path, seed: int = 1) -> list[Row]:
    """Measure on a copy of the tree, and on the history of the repository that it is the work tree of. Raises UsageError
    where it is no folder, or holds no code."""
    if not tree.is_dir():
        raise UsageError(f"{tree} is not a folder", path=str(tree))
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".git", ".codegraph"), symlinks=True)
        with Memory(_store(Path(folder) / "code")) as mem:
            rows, lines = _own(mem, copy, random.Random(seed))
            if not lines:
                raise UsageError(f"{tree} contains no source file in a supported language", path=str(tree))
        rows += _history(_store(Path(folder) / "history"), tree.resolve())
        floors = [("index, as a process with a new store", _process), ("codegraph, as a process", _codegraph),
                  ("ctags, as a process", _ctags), ("tree-sitter parse, one process", _parse)]  # fmt: skip
        for what, floor in floors:
            seconds = floor(copy)
            if seconds is not None:
                rows.append(Row(what, round(seconds, 2), round(lines / seconds)))
    return rows


def _store(folder: Path) -> Store:
    return Store(folder, settings.load_settings(None, {"embedding.provider": "none"}), "bench")


def _own(mem: Memory, tree: Path, chance: random.Random) -> tuple[list[Row], int]:
    ended = threading.Event()
    with ThreadPoolExecutor(1) as watcher:
        helpers = watcher.submit(_most_of_a_child, threading.get_native_id(), ended)
        try:
            first = mem.index_code(tree)
        finally:
            ended.set()
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + helpers.result()) >> 10
    how = "" if is_compiled() else "; Python front end interpreted"
    rows = [_row("index: names, imports and types", first.seconds, first.lines, f"{first.resolved:.1%} of calls{how}")]
    for report in mem.process().code:
        rows.append(_row("then: values followed", report.seconds, report.lines, f"{report.resolved:.1%} of calls"))
    rows.append(Row("memory of both processes", 0.0, None, f"{memory} MiB"))
    if _names(mem):
        rows.append(Row("one-file edit to an answer", _edit(mem, tree, chance), None, f"median of {_EDITS}"))
        rows.append(Row("callers, warm", _asked(mem, chance), None, f"median of {_QUERIES}"))
    return rows, first.lines


def _most_of_a_child(thread: int, ended: threading.Event) -> int:
    """Return the most memory that a child of this process held meanwhile, in KiB, of those that a thread started.
    Asked while they live: what is told of ended ones counts what this process held when it started them. 0 if
    there is no /proc."""
    most = 0
    while not ended.wait(_LOOK):
        with contextlib.suppress(OSError):  # a child ended meanwhile
            for child in Path(f"/proc/self/task/{thread}/children").read_text().split():
                status = Path("/proc", child, "status").read_text()
                most = max(most, *map(int, re.findall(r"VmHWM:\s*(\d+)", status)), 0)
    return most


def _history(store: Store, tree: Path) -> list[Row]:
    """Commits from the repository into log, graph and text of a new store that knows its code; then which of them changed
    which symbol."""
    try:
        if find_repository(tree)[0] != tree:
            return []
    except NotFound:
        return []
    with Memory(store) as mem:
        mem.index_code(tree)
        follow_values(store, lambda stage, done: None)
        used, started = os.times(), time.perf_counter()
        count = mem.ingest("git", tree).new
        read = time.perf_counter()
        project_pending(store)
        shown = time.perf_counter()
        follow_values(store, lambda stage, done: None)
        ended = time.perf_counter()
    steps = [("history: read, made safe and recorded", read - started), ("history: into graph and text", shown - read)]
    rows = [
        Row(what, round(seconds, 2), None) for what, seconds in (*steps, ("history: changed symbols", ended - shown))
    ]
    spent = sum(os.times()[:4]) - sum(used[:4])
    note = f"{count} commits, {count / (ended - started):.0f} a second; of processor time {count / spent:.0f}"
    return [*rows, Row("history in all", round(ended - started, 2), None, note)]


def _row(what: str, seconds: float, lines: int, note: str) -> Row:
    return Row(what, round(seconds, 2), round(lines / seconds), note)


def _edit(mem: Memory, tree: Path, chance: random.Random) -> float:
    """Return a new function that calls an old one, indexed; then a question."""
    names = _names(mem)
    files = [source.path for source in scan.scan_tree(tree) if not source.skipped]
    spent: list[float] = []
    for path in chance.choices(files, k=_EDITS):
        text = (tree / path).read_text("utf-8", "replace")
        (tree / path).write_text(f"{text}\n\n\ndef added{len(spent)}():\n    return added{len(spent)}()\n", "utf-8")
        started = time.perf_counter()
        mem.index_code(tree, only=[path])
        _callers(mem, chance.choice(names))
        spent.append(time.perf_counter() - started)
    return round(statistics.median(spent), 3)


def _asked(mem: Memory, chance: random.Random) -> float:
    names = _names(mem)
    spent: list[float] = []
    for name in chance.choices(names, k=_QUERIES):
        started = time.perf_counter()
        _callers(mem, name)
        spent.append(time.perf_counter() - started)
    return round(statistics.median(spent), 6)


def _names(mem: Memory) -> list[str]:
    """Return the most used symbols."""
    return [str(row[0]) for row in mem.query("central_symbols", limit=1_000).rows]


def _callers(mem: Memory, name: str) -> None:
    with contextlib.suppress(NotFound):  # the name of several
        mem.code.callers(name)


def _parse(tree: Path) -> float | None:
    sources = [(s.language, (tree / s.path).read_bytes()) for s in scan.scan_tree(tree) if not s.skipped]
    started = time.perf_counter()
    for language, source in sources:
        if language in languages.all_languages():
            languages.make_parser(language).parse(source)
    return time.perf_counter() - started


def _process(tree: Path) -> float | None:
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        return _command(tree, sys.executable, ["-P", "-c", _INDEX, folder])


def _ctags(tree: Path) -> float | None:
    return _command(tree, "ctags", ["-R", "-f", os.devnull, "."])


def _codegraph(tree: Path) -> float | None:
    return _command(tree, "codegraph", ["init", "-i", "."])


def _command(tree: Path, name: str, arguments: list[str]) -> float | None:
    """Return how long a program takes, or None if there is no such program or it fails."""
    found = shutil.which(name)
    if found is None:
        return None
    started = time.perf_counter()
    environment = {**os.environ, "CODEGRAPH_TELEMETRY": "0"}
    done = subprocess.run([found, *arguments], cwd=tree, capture_output=True, env=environment, check=False)
    return None if done.returncode else time.perf_counter() - started
