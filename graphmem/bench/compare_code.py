"""Suite `compare-code`: graphmem and other code indexes read the same tree in one run, one after the other, each in a copy and
with a home of its own. With an index of SCIP (`--data INDEX.scip`, in its tree), calls are scored as in the suite `oracle`; with a
folder, only time and memory are measured. A rival that does not run, or finds nothing, is a failure in the table."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from graphmem.bench.compare import describe_machine
from graphmem.bench.footprint import process_memory
from graphmem.bench.oracle import Call, Comparison, Score, load_comparison
from graphmem.errors import UsageError
from graphmem.resources import VERSION

_FOLDER = Path(__file__).with_name("code_rivals")
RIVALS = tuple(sorted(path.stem.removeprefix("rival_") for path in _FOLDER.glob("rival_*.py")))
_LIMIT_S = 1_800.0
_LOOK_S = 0.1  # between looks at the memory of a program
_LEFT_OUT = shutil.ignore_patterns("node_modules", ".codegraph", ".code-review-graph", "graphify-out", ".gitnexus")
_INDEX = """
import sys
from graphmem import Memory
with Memory.open(sys.argv[1], project="bench", settings={"embedding.provider": "none"}) as mem:
    mem.index_code(".")
    mem.process()
"""


class _Failure(Exception):
    """Why a rival has no result."""


@dataclass(frozen=True, slots=True)
class Result:
    """One system: seconds and processor seconds to index, the most memory of its processes in MB, the number of resolved calls, and
    with an oracle precision and recall of all calls and of those between files; or why it failed."""

    system: str
    version: str
    index_s: float = 0.0
    cpu_s: float = 0.0
    memory_mb: float = 0.0
    calls: int | None = None
    precision: float | None = None
    recall: float | None = None
    cross_precision: float | None = None
    cross_recall: float | None = None
    failed: str = ""


def run(data: Path, rivals: Sequence[str] = RIVALS, programs: Path | None = None) -> dict[str, Any]:
    """Return `{"machine", "tree", "oracle", "at", "results"}`. `data` is an index of SCIP of the working directory, or a folder
    with code. `programs` has an environment in a folder named after each rival; others are looked for on PATH. Raises UsageError
    for an unknown rival, SourceError for an index of another tree."""
    unknown = [name for name in rivals if name not in RIVALS]
    if unknown:
        raise UsageError(f"unknown rival `{unknown[0]}`: choose of {', '.join(RIVALS)}", rival=unknown[0])
    tree = data.resolve() if data.is_dir() else Path().resolve()
    oracle = None if data.is_dir() else load_comparison(data, tree)
    results = [_own(tree, oracle), *(_rival(name, tree, oracle, programs) for name in rivals)]
    return {
        "machine": describe_machine(),
        "tree": tree.name,
        "oracle": None if oracle is None else data.name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "results": [asdict(result) for result in results],
    }


def _own(tree: Path, oracle: Comparison | None) -> Result:
    """Return the result of graphmem: a new store with graph and full text, values followed."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        copy = _copied(tree, Path(folder))
        command = [sys.executable, "-P", "-c", _INDEX, str(Path(folder) / "store")]
        spent = _measure([command], copy, _environment(Path(folder), []))
    if oracle is None:
        return Result("graphmem", VERSION, *spent)
    return Result("graphmem", VERSION, *spent, len(oracle.made), *_shares(oracle.scores()[-1]))


def _rival(name: str, tree: Path, oracle: Comparison | None, programs: Path | None) -> Result:
    adapter = import_module(f"graphmem.bench.code_rivals.rival_{name}")
    version = pins_of(adapter)[1][0].partition("==")[2]
    try:
        with tempfile.TemporaryDirectory(prefix="graphmem-bench-", ignore_cleanup_errors=True) as folder:
            environment = _environment(Path(folder), _folders(programs / name) if programs else [])
            environment |= getattr(adapter, "ENVIRONMENT", {})
            program = _find_program(name, adapter, version, environment, programs)
            copy = _copied(tree, Path(folder))
            spent = _measure([[program, *words] for words in adapter.COMMANDS], copy, environment)
            if not hasattr(adapter, "calls"):
                return Result(name, version, *spent)

            def ask(*words: str) -> str:
                return _output([program, *words], copy, environment)

            found = list(adapter.calls(copy, ask))
    except (_Failure, LookupError, ValueError, OSError, sqlite3.Error, subprocess.SubprocessError) as error:
        return Result(name, version, failed=" ".join(f"{error}".split())[:300] or type(error).__name__)
    return _scored(name, version, spent, found, oracle)


def _scored(
    name: str, version: str, spent: tuple[float, float, float], found: list[Call], oracle: Comparison | None
) -> Result:
    if not found:
        return Result(name, version, *spent, failed="indexed the tree, but found no call")
    if oracle is None:
        return Result(name, version, *spent, len(found))
    return Result(name, version, *spent, len(oracle.edges_of(found)), *_shares(oracle.score_calls(found)))


def _shares(score: Score) -> tuple[float, float, float, float]:
    return score.precision, score.recall, score.cross_precision, score.cross_recall


def pins_of(adapter: ModuleType) -> tuple[str, list[str]]:
    """Return the registry of an adapter ("pip", "npm", "apt") and its packages with versions, as `NAME==VERSION`."""
    text = Path(str(adapter.__file__)).read_text("utf-8")
    found = re.search(r"^# (pip|npm|apt): (.+)$", text, re.M)
    return (found[1], found[2].split()) if found else ("", ["=="])


def _install_command(name: str, adapter: ModuleType) -> str:
    """Return how a rival gets into the folder of programs. pip takes packages one by one: their ranges may exclude each other."""
    registry, packages = pins_of(adapter)
    if registry == "apt":
        return f"apt-get install {packages[0].partition('==')[0]}"
    if registry == "npm":
        return f"npm install --prefix PROGRAMS/{name} {' '.join(each.replace('==', '@') for each in packages)}"
    steps = (f"PROGRAMS/{name}/bin/pip install {each}" for each in packages)
    return " && ".join((f"python -m venv PROGRAMS/{name}", *steps))


def _folders(environment: Path) -> list[Path]:
    """Return where an environment of pip or npm may have programs; a package that is a Node.js has its own folder."""
    modules = environment.resolve() / "node_modules"
    return [environment.resolve() / "bin", modules / ".bin", *sorted(modules.glob("node-*/bin"))]


def _environment(home: Path, folders: Iterable[Path]) -> dict[str, str]:
    """Return the environment of a program: an empty home, and nothing sent anywhere."""
    path = os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")])
    quiet = {"CODEGRAPH_TELEMETRY": "0", "CODEGRAPH_NO_DAEMON": "1", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1"}
    return {**os.environ, **quiet, "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "PATH": path}


def _find_program(
    name: str, adapter: ModuleType, version: str, environment: dict[str, str], programs: Path | None
) -> str:
    """Return the path of a rival's program. Raises _Failure if it is missing or of another version."""
    found: str | None = shutil.which(adapter.PROGRAM, path=environment["PATH"])
    if found is None:
        where = f" (with --programs PROGRAMS{'' if programs is None else f', here {programs}'})"
        raise _Failure(f"not installed: {_install_command(name, adapter)}{where}")
    said = _output([found, *getattr(adapter, "VERSION", ("--version",))], Path.home(), environment, both=True)
    if re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.]*\d)", said) is None:
        raise _Failure(f"`{adapter.PROGRAM}` is not of version {version}: {said.strip().partition(chr(10))[0]}")
    return found


def _copied(tree: Path, folder: Path) -> Path:
    return Path(shutil.copytree(tree, folder / "tree" / tree.name, symlinks=True, ignore=_LEFT_OUT))


def _output(command: Sequence[str], folder: Path, environment: dict[str, str], *, both: bool = False) -> str:
    """Return what a program prints, with `both` on its error output, too. Into a file: some exit before a pipe has taken all."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complained:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=printed,
                              stderr=printed if both else complained, timeout=_LIMIT_S, check=False)  # fmt: skip
        said = [_text(file) for file in (printed, complained)]
    if done.returncode:
        raise _Failure(_last_line("\n".join(said)) or f"ended with status {done.returncode}")
    return said[0]


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _measure(
    commands: Iterable[Sequence[str]], folder: Path, environment: dict[str, str]
) -> tuple[float, float, float]:
    """Return seconds, processor seconds and the most memory in MB of some commands. Raises _Failure if one fails."""
    most, before, started = 0, sum(os.times()[2:4]), time.perf_counter()
    for command in commands:
        with tempfile.TemporaryFile() as printed:
            process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=printed, stderr=subprocess.STDOUT)  # fmt: skip
            try:
                while process.poll() is None:
                    memory = process_memory(process.pid)
                    most = max(most, memory.pss + memory.helpers)
                    if time.perf_counter() - started > _LIMIT_S:
                        raise _Failure(f"not done after {_LIMIT_S:g} s")
                    time.sleep(_LOOK_S)
            except KeyError:  # it ended between two looks
                process.wait()
            finally:
                process.kill()
                process.wait()
            if process.returncode:
                raise _Failure(_last_line(_text(printed)) or f"ended with status {process.returncode}")
    spent = sum(os.times()[2:4]) - before
    return round(time.perf_counter() - started, 2), round(spent, 2), round(most / 1e6, 1)


def _last_line(text: str) -> str:
    """Return the line of an output that names an error, otherwise the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"\b(error|failed|cannot)\b", line, re.I)]
    return (telling or lines or [""])[-1][:300]


def markdown(found: dict[str, Any]) -> str:
    """Return the results as a Markdown table below a line about the run."""
    machine = ", ".join(str(value) for value in found["machine"].values())
    oracle = f"calls against {found['oracle']}" if found["oracle"] else "no oracle"
    lines = [
        f"Tree: {found['tree']}, {oracle}. {found['at']}, {machine}.",
        "",
        "| System | Version | Index | Processor | Memory | Calls | Precision, recall | Between files |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in found["results"]:
        head = f"| {one['system']} | {one['version']} |"
        if one["failed"]:
            lines.append(f"{head} failed: {one['failed'].replace('|', '/')} | | | | | |")
            continue
        calls = "–" if one["calls"] is None else f"{one['calls']:,}"
        lines.append(
            f"{head} {one['index_s']:.1f} s | {one['cpu_s']:.1f} s | {one['memory_mb']:.0f} MB | {calls} |"
            f" {_pair(one['precision'], one['recall'])} | {_pair(one['cross_precision'], one['cross_recall'])} |"
        )
    return "\n".join(lines)


def _pair(precision: float | None, recall: float | None) -> str:
    return "–" if precision is None or recall is None else f"{precision:.3f}, {recall:.3f}"
