"""Numbers and times that no projection can take, by the doors that people use: `init`, a commit of git, a hook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import STOP_S, Repository

ENTRY = [sys.executable, "-m", "graphmem.interfaces.entry"]
FAR = "1000000000000 +0000"  # a day of the year 33658, which git takes
EXIT = "Exit code 99999999999999999999999"


def run(cwd: Path, *arguments: str, told: str = "") -> str:
    done = subprocess.run([*ENTRY, *arguments], cwd=cwd, input=told, capture_output=True, text=True, timeout=STOP_S)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.deep
def test_odd_events_stop_nothing_after_them(repository: Repository) -> None:
    repository.commit("Begin", {"a.py": "def f():\n    return 1\n"})
    tree, parent = repository.git("rev-parse", "HEAD^{tree}"), repository.git("rev-parse", "HEAD")
    by = f"Ada <ada@example.org> {FAR}"
    commit = repository.write(".git/far", f"tree {tree}\nparent {parent}\nauthor {by}\ncommitter {by}\n\nFar away\n")
    repository.git("update-ref", "HEAD", repository.git("hash-object", "-t", "commit", "-w", str(commit)))
    assert "33658" in repository.git("log", "-1", "--format=%cd")
    run(repository.path, "init")
    told = {"session_id": "s", "cwd": str(repository.path)}
    ran = {"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": {"stdout": EXIT, "exit_code": 10**23}}
    assert json.loads(run(repository.path, "hook", "PostToolUse", told=json.dumps(told | ran))) == {}
    run(repository.path, "hook", "UserPromptSubmit", told=json.dumps(told | {"prompt": "the harbour counts cents"}))
    for command in ("process", "rebuild"):
        run(repository.path, command)
        found = run(repository.path, "search", "harbour cents far away")
        assert "the harbour counts cents" in found and "Far away" in found
        assert "healthy" in run(repository.path, "doctor")
