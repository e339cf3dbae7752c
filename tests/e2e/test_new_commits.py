"""Commits after `init`: read by the next command, or by the owner on its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import STOP_S, Repository, end_owner, wait_until

from graphmem import Memory
from graphmem.interfaces.hooks.place import find

COMMAND = Path(sys.executable).parent / "graphmem"


def run(*arguments: str, cwd: Path, given: str | None = None) -> str:
    done = subprocess.run([COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=STOP_S, input=given)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def harbour(repository: Repository) -> Repository:
    repository.commit("Add berths", {"berth.py": "def free():\n    return 1\n"})
    run("init", cwd=repository.path)
    return repository


def commits_in(memory: Memory) -> list[str]:
    return [event.payload["subject"] for event in memory.history(types=["commit_observed"])]


def subjects(cwd: Path) -> list[str]:
    with Memory.open(find(str(cwd)).store) as memory:
        return commits_in(memory)


def test_a_search_finds_a_commit_that_was_made_a_moment_ago(harbour: Repository) -> None:
    harbour.commit("Charge visitors for electricity", {"berth.py": "def free():\n    return 2\n"})
    found = run("search", "charge visitors for electricity", "--kind", "commit", cwd=harbour.path)
    assert "Charge visitors for electricity" in found


@pytest.mark.parametrize("command", ["process", "index"])
def test_without_an_owner_a_command_reads_new_commits(command: str, harbour: Repository) -> None:
    end_owner(Path(find(str(harbour.path)).store))
    harbour.commit("Charge visitors for electricity")
    run(command, cwd=harbour.path)
    end_owner(Path(find(str(harbour.path)).store))
    assert "Charge visitors for electricity" in subjects(harbour.path)


def test_the_owner_reads_what_an_agent_commits(harbour: Repository) -> None:
    store = Path(find(str(harbour.path)).store)
    end_owner(store)
    harbour.commit("Let pilots reserve the crane")
    call = {"session_id": "s1", "cwd": str(harbour.path), "tool_name": "Bash", "tool_use_id": "t1",
            "tool_input": {"command": "git commit -qm 'Let pilots reserve the crane'"}, "tool_response": {"stdout": ""}}  # fmt: skip
    run("hook", "PostToolUse", cwd=harbour.path, given=json.dumps(call))  # starts the owner
    with Memory.open(store, daemon=True) as memory:
        wait_until(lambda: "Let pilots reserve the crane" in commits_in(memory))
        harbour.commit("Weigh anchors by hand")  # nobody says so
        wait_until(lambda: "Weigh anchors by hand" in commits_in(memory))


def test_the_owner_indexes_code_again_after_a_commit_and_a_checkout(harbour: Repository) -> None:
    with Memory.open(Path(find(str(harbour.path)).store), daemon=True) as memory:
        harbour.git("checkout", "-qb", "anchors")
        harbour.commit("Weigh anchors by hand", {"anchor.py": "def weigh():\n    return 1\n"})
        wait_until(lambda: memory.code.known("weigh"))
        harbour.git("checkout", "-q", "main")
        wait_until(lambda: not memory.code.known("weigh"))


def test_the_first_commits_of_an_empty_repository_are_read(repository: Repository) -> None:
    assert "no commits yet" in run("init", cwd=repository.path)
    repository.commit("Add berths", {"berth.py": "def free():\n    return 1\n"})
    run("process", cwd=repository.path)
    assert "Add berths" in run("search", "add berths", "--kind", "commit", cwd=repository.path)
