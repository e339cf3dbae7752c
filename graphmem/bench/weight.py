"""How much graphmem weighs: `graphmem bench weight [--data REPOSITORY]` prints the size of the installation and of stores,
the memory of an owner through its day, and how long whole commands take.

All figures are of real processes: commands run as a shell runs them, on a new store of the repository (default: the current
one). Next to each command runs an interpreter that only imports `json` and `socket`; the ratio of both can be compared
between machines, and on a busy one. Processor time is that of the command alone, without its owner."""

from __future__ import annotations

import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphmem import resources
from graphmem.backends.remote import client, place
from graphmem.bench.footprint import installed_sizes, process_memory, processor_seconds, store_sizes
from graphmem.codegraph.languages import for_path
from graphmem.errors import UsageError
from graphmem.extract.git import find_repository
from graphmem.gitprocess import run as git
from graphmem.log.stages import CODE, read_state

_PYTHON = [sys.executable, "-P", "-c"]
_PYTHON_NAME = 'python -c "import json, socket"'
_FLOOR = [*_PYTHON, "import json, socket"]
_GRAPHMEM = [*_PYTHON, "from graphmem.interfaces.entry import run; run()"]
_CYPHER = "queries/graph/read/authors.cypher"
_DEFINITION = re.compile(r"^\s*(?:pub |async |static |export )*(?:def|fn|func|function)\s+([A-Za-z]\w{4,})\s*\(", re.M)
_SEARCHES, _COLD = 50, 5  # searches until the memory is read, and starts without an owner
_REST_S, _RENEWED_S = 60.0, 8.0  # an owner renews itself in the first quiet seconds after `init`
_POLL_S, _LONGEST_START_S, _LONGEST_S = 0.2, 30.0, 1_800.0
_LISTED = 10  # packages
_MB = 1e6


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process took."""

    wall_s: float
    cpu_s: float


def main(count: int, data: Path | None = None) -> None:
    """Measure and print one JSON line."""
    sys.stdout.write(json.dumps(run(count, data)) + "\n")


def run(count: int, data: Path | None = None, rest_s: float = _REST_S) -> dict[str, Any]:
    """Return all figures. Each command runs `count` times; the owner is left alone for `rest_s` seconds. Raises NotFound if
    `data` is not in a git repository, UsageError if no function there can be asked about."""
    root, _ = find_repository((data or Path()).absolute())
    symbol, subjects = _find_symbol(root), _subjects(root)
    found: dict[str, Any] = {"repository": root.name, "installed": _installed(), "stores": {}, "owner": {}}
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder, _own_environment(Path(folder)):
        with _owned(Path(folder) / "empty") as store:
            _measure_empty(store, Path(folder), found)
        with _owned(Path(folder) / "used") as store:
            _measure_used(store, root, symbol, subjects, found, rest_s)
            found["commands"] = _time_commands(store, root, symbol, subjects, max(2, count))
    return found


def _find_symbol(root: Path) -> str:
    """Return the name of the first function that is defined once in a repository, as far as patterns can tell."""
    defined: Counter[str] = Counter()
    for name in os.fsdecode(git(root, "ls-files", "-z")).split("\0"):
        if for_path(name) not in ("", "manifest") and (root / name).is_file():
            defined.update(_DEFINITION.findall((root / name).read_text("utf-8", "replace")))
    symbol = next((name for name, times in defined.items() if times == 1), "")
    if not symbol:
        raise UsageError(f"{root} has no function that can be asked about: choose another repository with --data")
    return symbol


def _subjects(root: Path) -> list[str]:
    """Return the latest subjects of commits, as many as there are searches."""
    lines = git(root, "log", "--format=%s", "-n", str(_SEARCHES)).decode("utf-8", "replace").splitlines()
    return [lines[number % len(lines)].strip("-") or "fix" for number in range(_SEARCHES)]


@contextmanager
def _own_environment(folder: Path) -> Iterator[None]:
    """Give all processes a home of their own, no settings, and stored bytecode as after an installation."""
    before = dict(os.environ)
    for name in before:
        if name.startswith("GRAPHMEM_") or name == "PYTHONDONTWRITEBYTECODE":
            del os.environ[name]
    os.environ["GRAPHMEM_HOME"] = str(folder / "home")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _owned(store: Path) -> Iterator[Path]:
    """Make this the store of all commands, and end its owner in the end."""
    os.environ["GRAPHMEM_STORE"] = str(store)
    try:
        yield store
    finally:
        if store.exists():
            _end_owner(store)


def _end_owner(store: Path) -> None:
    client.claim_from_daemon(store).release()


def _installed() -> dict[str, Any]:
    sizes = installed_sizes()
    largest = {name: round(size / _MB, 1) for name, size in list(sizes.items())[:_LISTED]}
    return {"packages": len(sizes), "mb": round(sum(sizes.values()) / _MB, 1), "largest": largest}


def _measure_empty(store: Path, folder: Path, found: dict[str, Any]) -> None:
    """Measure a store of a repository without any commit."""
    empty = folder / "nothing"
    subprocess.run(["git", "init", "-q", str(empty)], check=True)
    for words in (["init"], ["stats"], ["cypher", resources.text(_CYPHER)]):
        _finish(words, empty)
    found["owner"]["empty store"] = _memory(store)
    _end_owner(store)
    found["stores"]["empty"] = _store_mb(store)


def _measure_used(
    store: Path, root: Path, symbol: str, subjects: list[str], found: dict[str, Any], rest_s: float
) -> None:
    """Measure a store from `init` until a minute after 50 searches."""
    found["steps"] = _time_init(store, root, symbol)
    found["owner"]["after init"] = _memory(store)
    time.sleep(min(_RENEWED_S, rest_s))
    found["owner"]["a moment later"] = _memory(store)
    for subject in subjects:
        _finish(["search", subject], root)
    _finish(["code", "callers", symbol], root)
    _finish(["cypher", resources.text(_CYPHER)], root)
    found["owner"][f"after {_SEARCHES} searches"] = _memory(store)
    found["stores"]["in use"] = _store_mb(store)
    time.sleep(rest_s)
    found["owner"][f"at rest, {rest_s:g} s later"] = _memory(store)
    found["stores"]["at rest"] = _store_mb(store)
    found["steps"]["first search after the rest"] = round(_finish(["search", subjects[0]], root).wall_s, 2), None
    _end_owner(store)
    found["stores"]["closed"] = _store_mb(store)


def _memory(store: Path) -> dict[str, float]:
    until = time.perf_counter() + _LONGEST_START_S
    while "pid" not in (endpoint := place.read_endpoint(store)) and time.perf_counter() < until:
        time.sleep(_POLL_S)  # it is being renewed
    measured = process_memory(int(endpoint["pid"]))
    return {f"{name}_mb": round(size / _MB, 1) for name, size in asdict(measured).items()}


def _store_mb(store: Path) -> dict[str, float]:
    parts = store_sizes(store)
    return {"all": round(sum(parts.values()) / _MB, 2)} | {name: round(size / _MB, 2) for name, size in parts.items()}


def _time_init(store: Path, root: Path, symbol: str) -> dict[str, tuple[float, float | None]]:
    """Return the seconds until the first answer about code and until `init` is done, each with the processor time of the owner.
    Code is asked about once its stage is ready: asking all the time would take an eighth of two cores from `init`."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [*_GRAPHMEM, "init"], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    found: dict[str, tuple[float, float | None]] = {}

    def note(step: str) -> None:
        used = processor_seconds(int(place.read_endpoint(store)["pid"]))
        found[step] = round(time.perf_counter() - started, 1), round(used, 1)

    try:
        while (process.poll() is None or not found) and time.perf_counter() - started < _LONGEST_S:
            if not found and _is_ready(store) and _is_answered(["code", "callers", symbol], root):
                note("init, first code answer")
            elif process.poll() is not None:
                break
            time.sleep(_POLL_S)
    finally:
        process.kill()
        status = process.wait()
    if status or not found:
        raise UsageError(f"`graphmem init` failed in {root}, or `code callers {symbol}` has no answer: run them there")
    note("init, whole")
    if (state := read_state(str(store))) is not None:
        found |= {f"init, {stage.name} ready (as told)": (stage.ready_s or 0.0, None) for stage in state.stages}
    return found


def _is_ready(store: Path) -> bool:
    state = read_state(str(store))
    return state is not None and state.is_ready(CODE) and "pid" in place.read_endpoint(store)


def _is_answered(words: list[str], root: Path) -> bool:
    return subprocess.run([*_GRAPHMEM, *words], cwd=root, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


def _finish(words: list[str], root: Path) -> Spent:
    """Run a command. Raises UsageError if it fails."""
    return _spend([*_GRAPHMEM, *words], root)


def _spend(command: list[str], root: Path) -> Spent:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise UsageError(f"`{' '.join(command[len(_PYTHON) + 1 :])}` failed in {root}: {said}")
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _time_commands(
    store: Path, root: Path, symbol: str, subjects: list[str], count: int
) -> dict[str, dict[str, dict[str, float]]]:
    """Time each command without an owner, then with one. All take turns, so that each meets the same moments of a busy
    machine."""
    commands = {
        "search": ["search", subjects[0]],
        "code callers": ["code", "callers", symbol],
        "cypher": ["cypher", resources.text(_CYPHER)],
        "tasks ready": ["tasks", "ready"],
        "status": ["status"],
        "--help": ["--help"],
    }
    cold: dict[str, list[Spent]] = {}
    for _ in range(_COLD):
        for name in ("search", "code callers", "cypher"):
            _end_owner(store)
            cold.setdefault(_PYTHON_NAME, []).append(_spend(_FLOOR, root))
            cold.setdefault(name, []).append(_finish(commands[name], root))
    warm: dict[str, list[Spent]] = {}
    for turn in range(-2, count):  # the first ones load what later ones find loaded
        for name, command in (
            (_PYTHON_NAME, _FLOOR),
            *((name, [*_GRAPHMEM, *words]) for name, words in commands.items()),
        ):
            spent = _spend(command, root)
            if turn >= 0:
                warm.setdefault(name, []).append(spent)
    return {"owner running": _summarise(warm), "no owner": _summarise(cold)}


def _summarise(runs: Mapping[str, list[Spent]]) -> dict[str, dict[str, float]]:
    """Return the times of each command, and their ratios to those of a bare interpreter."""

    def median(name: str, part: str) -> float:
        return float(statistics.median(getattr(each, part) for each in runs[name]))

    return {
        name: {
            "median_ms": round(1000 * median(name, "wall_s"), 1),
            "p95_ms": round(1000 * sorted(each.wall_s for each in spent)[int(0.95 * (len(spent) - 1))], 1),
            "cpu_ms": round(1000 * median(name, "cpu_s"), 1),
            "ratio": round(median(name, "wall_s") / median(_PYTHON_NAME, "wall_s"), 2),
            "cpu_ratio": round(median(name, "cpu_s") / median(_PYTHON_NAME, "cpu_s"), 2),
        }
        for name, spent in runs.items()
    }


def tables(found: Mapping[str, Any]) -> list[tuple[str, list[str], list[list[Any]]]]:
    """Return the result of `run` as tables: title, columns and rows."""
    installed, stores = found["installed"], found["stores"]
    parts = list(dict.fromkeys(part for sizes in stores.values() for part in sizes))
    made = [
        (f"installed: {installed['packages']} packages, {installed['mb']:,} MB", ["package", "MB"],
         [list(row) for row in installed["largest"].items()]),
        ("store, MB on disk", ["part", *stores],
         [[part, *(sizes.get(part, 0.0) for sizes in stores.values())] for part in parts]),
        ("memory of the owner, MB", ["when", "PSS", "USS", "helpers"],
         [[when, *each.values()] for when, each in found["owner"].items()]),
        (
            found["repository"],
            ["step", "s", "owner's CPU s"],
            [[step, *spent] for step, spent in found["steps"].items()],
        ),
    ]  # fmt: skip
    for name, commands in found["commands"].items():
        columns = ["command", "median ms", "95 %", "CPU ms", "x python", "x python, CPU"]
        made.append((f"whole processes, {name}", columns, [[what, *each.values()] for what, each in commands.items()]))
    return made
