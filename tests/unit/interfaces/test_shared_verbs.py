"""What projects share: a failure with its fix goes in once, is found from elsewhere alone, and comes out again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem import settings as chosen
from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.noted import split_note
from graphmem.interfaces.verbs import shared as shared


def trouble(mem: Memory) -> str:
    """A session in which a command fails and another one works instead; the id of its gotcha."""
    turns = [("cmake hull/CMakeLists.txt", "Exit code 1\nCMake Error: generator ninja was not found", True),
             ("cmake build/CMakeLists.txt", "configured", False)]  # fmt: skip
    for number, (command, output, failed) in enumerate(turns):
        payload = {
            "tool": "Bash",
            "command": command,
            "input": {"command": command},
            "failed": failed,
            "exit_code": int(failed),
        }
        mem.observe(output, role="tool", session="s", ref=f"t{number}", metadata=payload)
    mem.process()
    ((identifier,),) = mem.cypher("MATCH (g:Gotcha) RETURN g.id").rows
    return str(identifier)


@pytest.fixture
def owned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shared store is owned by this process: no daemon has to start."""
    opened = Memory.open

    def without_daemon(path: Any = None, **more: Any) -> Memory:
        return opened(path, **{**more, "daemon": False})

    monkeypatch.setattr(shared.Memory, "open", without_daemon)


def test_a_way_out_travels_to_other_projects_and_back(memory: Memory, tmp_path: Path, owned: None) -> None:
    identifier = trouble(memory)
    table, note = split_note(shared.promote(memory))
    assert not table.rows and "anyway" in note  # nothing was verified
    for _ in range(2):  # twice is once
        shared.promote(memory, identifier)
    ((ref, project, title),) = shared.listed(memory).rows
    assert ref == f"demo:{identifier}" and project == "demo" and "ninja" in title
    table, note = split_note(shared.search(memory, "generator ninja was not found"))
    assert not table.rows and "1 hit from this project omitted" in note  # our own is no news
    with Memory.open(tmp_path / "other", project="boat", settings={"shared.enabled": True}) as other:
        (found,) = shared.search(other, "CMake Error: generator ninja was not found").rows
        assert found[0] == ref and "Solution:" in found[3]
        from graphmem.hooks import selection

        other.remember("An oar is lost.")
        other.process()
        told = selection.prompt_context(other._store, "CMake Error: generator ninja was not found, why?", "s9")
        assert "from another project" in told.text and "Solution:" in told.text
        shared.withdraw(other, ref)
        assert shared.search(other, "generator ninja was not found").rows == []
        assert not selection.prompt_context(
            other._store, "CMake Error: generator ninja was not found, why?", "s10"
        ).text
    assert chosen.shared_store().is_dir()


def test_only_troubles_with_a_way_out_are_shared(memory: Memory, owned: None) -> None:
    fact = memory.remember("The hull is red.")
    memory.process()
    with pytest.raises(UsageError, match="not a gotcha"):
        shared.promote(memory, fact)
    with pytest.raises(NotFound):
        shared.promote(memory, "nothing")
