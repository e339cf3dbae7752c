"""The trigger table as hooks reach it: real hook processes, an owner behind, and what is concluded after each thing that
happened, no more and no less."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import STOP_S

from graphmem import Memory
from graphmem.interfaces.hooks.place import find

LABELS = ("Gotcha", "Pattern", "Skill", "Summary")
SAID = (
    "The queue must never use `redis` for sessions in production.",
    "The import crashed because `redis` was not running on the host.",
    "We decided to use `redis` instead of memcached for the cache.",
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose owner never finds it quiet, so that only triggers conclude."""
    for name, value in {"BUFFER__IDLE_S": "900", "BUFFER__FLUSH_S": "0.2", "EMBEDDING__PROVIDER": "none"}.items():
        monkeypatch.setenv(f"GRAPHMEM_{name}", value)
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q")
    hook("SessionStart", root, source="startup")
    with opened(root) as mem:
        mem.memify("daily", force=True)  # what is due for the first time is no trigger's doing
    return root


def git(root: Path, *words: str) -> str:
    own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *own, *words], cwd=root, check=True, capture_output=True, text=True).stdout


def hook(event: str, root: Path, **given: Any) -> None:
    told = json.dumps({"hook_event_name": event, "session_id": "s1", "cwd": str(root)} | given).encode()
    done = subprocess.run([sys.executable, "-m", "graphmem.interfaces.entry", "hook", event], input=told, cwd=root,
                          capture_output=True, timeout=STOP_S)  # fmt: skip
    assert done.returncode == 0, done.stderr


def ran(root: Path, number: int, command: str, output: str, code: int = 0) -> None:
    hook("PostToolUse", root, tool_name="Bash", tool_use_id=f"t{number}", tool_input={"command": command},
         tool_response={"stdout": output, "stderr": "", "exit_code": code})  # fmt: skip


def worked(root: Path) -> None:
    """The same procedure three times, which is a skill."""
    for number in range(3):
        ran(root, 100 + 2 * number, "make lint", "ok")
        ran(root, 101 + 2 * number, f"git commit -m {number}", "ok")


def opened(root: Path) -> Memory:
    return Memory.open(find(str(root)).store, daemon=True)


def concluded(mem: Memory, wanted: set[str], least: int) -> set[str]:
    """The labels that are there, once at least so many events were derived and nothing more comes."""
    deadline = time.monotonic() + STOP_S
    while time.monotonic() < deadline:
        there = {label for label in LABELS if mem.cypher(f"MATCH (n:{label}) RETURN n.id LIMIT 1").rows}
        if there >= wanted and len(mem.history()) >= least and not mem.health()["buffer"]["waiting"]:
            return there
        time.sleep(0.1)
    return there


@pytest.mark.deep  # on a machine that is slow for a moment it was seen to fail; the table itself is tested with conclusions
def test_each_thing_that_happened_concludes_its_own(repository: Path) -> None:
    for text in SAID:
        hook("UserPromptSubmit", repository, prompt=text)
    hook("PostToolUse", repository, tool_name="Edit", tool_use_id="e1", tool_response={},
         tool_input={"file_path": str(repository / "a.py"), "old_string": "", "new_string": "x = 1"})  # fmt: skip
    worked(repository)
    with opened(repository) as mem:
        assert concluded(mem, set(), 12) == set()
        ran(repository, 1, "npm test", "error: cannot find module 'left-pad'", 1)
        assert concluded(mem, {"Gotcha"}, 13) == {"Gotcha"}
        for number in range(3):
            for name in ("src", "tests"):
                (repository / name).mkdir(exist_ok=True)
                (
                    repository / name / f"test_{number}.py" if name == "tests" else repository / name / f"{number}.py"
                ).write_text("x")
            git(repository, "add", "-A")
            git(repository, "commit", "-qm", f"fix: number {number}")
        mem.ingest("git", repository)
        assert concluded(mem, {"Pattern"}, 16) == {"Gotcha", "Pattern"}
        hook("SessionEnd", repository, reason="exit")
        assert concluded(mem, {"Skill", "Summary"}, 17) == set(LABELS)


@pytest.mark.deep
@pytest.mark.parametrize("how", ["task_completion", "daily"])
def test_a_finished_task_and_the_daily_batch_conclude_everything(repository: Path, how: str) -> None:
    for text in SAID:
        hook("UserPromptSubmit", repository, prompt=text)
    ran(repository, 1, "npm run build", "error: cannot find module 'left-pad'", 1)
    hook("PostToolUse", repository, tool_name="Edit", tool_use_id="e1", tool_response={},
         tool_input={"file_path": str(repository / "a.py"), "old_string": "", "new_string": "x = 1"})  # fmt: skip
    worked(repository)
    with opened(repository) as mem:
        assert concluded(mem, set(), 11) == set()
        if how == "daily":
            command = [sys.executable, "-m", "graphmem.interfaces.entry", "process", "--trigger", how]
            subprocess.run(command, cwd=repository, check=True, capture_output=True)
        else:
            task = mem.tasks.create("Mend the build").id
            for status in ("in_progress", "done"):
                mem.tasks.update(task, status=status)
        assert concluded(mem, {"Gotcha", "Skill", "Summary"}, 11) == {"Gotcha", "Skill", "Summary"}
