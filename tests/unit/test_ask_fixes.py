"""Which faults of a kind were fixed: by any word for the kind or near it, commits that fix something first, never sure."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory


def _fixes(memory: Memory, question: str) -> list[str]:
    found = memory.ask(question)
    assert found.confidence != "high"
    return [line.partition(": ")[2].partition(" — ")[0] for line in found.lines[1:]]


@pytest.fixture
def harbour(memory: Memory, repository: Repository) -> Memory:
    for number, message in enumerate(
        (
            "Add the crane",
            'Avoid "database is locked" errors',
            "Fix a race condition in lifting",
            "Fix the trace of the bracket",  # only contains `rac`
            "Update lift() to use select_for_update()\n\nWithout it, two cranes can deadlock.",
            "Fix the colour of the lamp",
            "Fix mypy errors of locks",
            "Document how locks prevent races\n\nIt fixes the doubts about deadlocks.",
            "Lift on a thread",
            "Fix list permissions of guests",
            "Disallow private berths in the public list",
            "Fix the login of the ferry",
        )
    ):
        repository.commit(message, {"a.py": f"x = {number}\n"})
    memory.init(repository.path)
    return memory


def test_words_near_a_kind_of_fault_are_looked_for(harbour: Memory) -> None:
    expected = [
        "Fix a race condition in lifting", 'Avoid "database is locked" errors', "Update lift() to use select_for_update()"
    ]  # fmt: skip
    assert _fixes(harbour, "which bugs in concurrency were fixed?")[:3] == expected
    said = _fixes(harbour, "which commits fixed race conditions, deadlocks or locked errors?")
    assert said[:3] == expected and not any(
        "bracket" in line or "mypy" in line or "lamp" in line or "Document" in line for line in said
    )


def test_any_of_several_kinds_counts(harbour: Memory) -> None:
    said = _fixes(harbour, "which bugs in permission, authentication or access control were fixed?")
    assert said[:3] == [
        "Fix list permissions of guests",
        "Fix the login of the ferry",
        "Disallow private berths in the public list",
    ]


def test_a_short_word_is_no_part_of_another(memory: Memory, repository: Repository, tmp_path: Path) -> None:
    repository.commit("Fix the syntax of bills", {"a.py": "x = 1\n"})
    repository.commit("Fix taxes of bills", {"a.py": "x = 2\n"})
    memory.init(repository.path)
    lines = memory.ask("which bugs in the tax were fixed?").lines
    assert any("Fix taxes" in line for line in lines) and not any("syntax" in line for line in lines)


def test_commits_have_the_date_of_their_authors_zone(memory: Memory, repository: Repository) -> None:
    late = {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in
            {"NAME": "Ada", "EMAIL": "a@example.org", "DATE": "1772749200 +0900"}.items()}  # fmt: skip
    repository.write("tax.py", "def tax():\n    return 1\n")
    repository.git("add", "-A")
    subprocess.run(
        ["git", "-C", str(repository.path), "commit", "-qm", "Fix the taxes"], check=True, env=os.environ | late
    )
    memory.init(repository.path)
    shown = repository.git("log", "-1", "--format=%as")
    assert shown == "2026-03-06"  # in UTC, it is still the 5th
    assert any(shown in line for line in memory.ask("which bugs in taxes were fixed?").lines)
    assert f"{memory.code.patches('return 1').commits[0].commit.at:%Y-%m-%d}" == shown
    assert f"{memory.code.history('tax').rows[0][1]:%Y-%m-%d}" == shown
