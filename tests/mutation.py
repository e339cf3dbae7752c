"""Prints how many faults put into the state machines on purpose their tests notice: `python tests/mutation.py [MODULE ...]`.
Needs `mutmut` (`pip install '.[mutation]'`). The faults are made in a copy; the tree is never touched."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
# Modules with rules whose fault would lose or falsify something, each with the tests that guard it. A process that a test
# starts does not know which fault it is to make, so that modules tested through such processes cannot be measured.
GUARDED: dict[str, tuple[str, ...]] = {
    "backends/log/chain.py": ("unit/backends/test_log_chain.py", "unit/backends/test_sqlite_log.py"),
    "tasks/transitions.py": ("unit/tasks/test_task_transitions.py", "unit/tasks/test_task_machine.py"),
    "memify/scores.py": ("unit/memify/test_scores.py",),
    "owner/window.py": ("unit/owner/test_window.py",),
    "tasks/ready.py": ("unit/tasks/test_ready.py",),
}  # fmt: skip
_CONFIGURATION = """
[tool.mutmut]
source_paths = ["graphmem"]
only_mutate = ["graphmem/{module}"]
pytest_add_cli_args_test_selection = [{tests}]
pytest_add_cli_args = ["-m", "not deep", "-o", "addopts="]
also_copy = [{copied}]
"""
_NOTICED = (1, 3, 24, -24, 152, 255, 36)  # exit statuses of a worker whose test failed, or that ran past its limit
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


class Score(NamedTuple):
    """Faults in the logic of a module, and in its texts (messages, SQL), of which many change nothing."""

    noticed: int
    made: int
    texts_noticed: int
    texts_made: int
    missed: list[str]


def copy_tree(folder: Path) -> None:
    """Copy what git knows and what is new, without what it ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (source := ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, folder / name)


def score(module: str, tests: Sequence[str], folder: Path) -> Score:
    """Make each fault that mutmut knows in a module of the copy, and count those that no test notices."""
    copied = [path.name for path in folder.iterdir() if path.name not in {"tests", "mutants", "pyproject.toml"}]
    project = folder / "pyproject.toml"
    plain = (ROOT / "pyproject.toml").read_text()
    quoted = ", ".join(json.dumps(f"tests/{test}") for test in tests)
    names = ", ".join(map(json.dumps, sorted(copied)))
    project.write_text(plain + _CONFIGURATION.format(module=module, tests=quoted, copied=names))
    shutil.rmtree(folder / "mutants", ignore_errors=True)
    ran = subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", "2"], cwd=folder, capture_output=True, text=True
    )
    results = folder / "mutants" / "graphmem" / f"{module}.meta"
    statuses = json.loads(results.read_text())["exit_code_by_key"] if results.exists() else {}
    if not statuses or None in statuses.values():
        raise SystemExit(f"mutmut failed on {module}: {ran.stdout[-2_000:]}{ran.stderr[-2_000:]}")
    logic, texts, missed = [], [], []
    for name, status in statuses.items():
        noticed = status in _NOTICED
        if noticed:
            difference = ""
        else:
            shown = subprocess.run(
                [sys.executable, "-m", "mutmut", "show", name], cwd=folder, capture_output=True, text=True
            )
            difference = shown.stdout
        of_text = is_text(difference) if difference else False
        (texts if of_text else logic).append(noticed)
        if not noticed and not of_text:
            missed.append(difference)
    return Score(sum(logic), len(logic), sum(texts), len(texts), missed)


def is_text(difference: str) -> bool:
    """Return whether a fault differs from the original only within literals of text."""
    lines = [line for line in difference.splitlines() if re.match(r"[-+](?![-+])", line)]
    removed = [_TEXT.sub('""', line[1:]) for line in lines if line[0] == "-"]
    added = [_TEXT.sub('""', line[1:]) for line in lines if line[0] == "+"]
    return bool(lines) and removed == added


def main() -> None:
    """Print a line a module, then the faults of the logic that no test noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(GUARDED)}; all by default")
    parser.add_argument("--show", action="store_true", help="print the faults that no test noticed")
    chosen = parser.parse_args()
    if unknown := set(chosen.modules) - set(GUARDED):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="graphmem-mutation-") as folder:
        copy_tree(Path(folder))
        for module in chosen.modules or GUARDED:
            done = score(module, GUARDED[module], Path(folder))
            print(f"{module:26} {done.noticed}/{done.made} = {done.noticed / max(1, done.made):.2f}", flush=True)
            if chosen.show:
                print(*done.missed, sep="\n", flush=True)


if __name__ == "__main__":
    main()
