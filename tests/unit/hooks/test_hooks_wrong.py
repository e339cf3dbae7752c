"""What a person marked wrong is not injected again, at any event, until the mark is taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.hooks.respond import respond

FAILED = "Exit code 2\ngcc: error: hull.c: No such file or directory"


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "store", project="demo", settings={"embedding.provider": "none"}, daemon=False
    ) as opened:
        yield opened


def shown(mem: Memory, event: str, session: str, **given: Any) -> str:
    answer = respond(mem._store, event, {"session_id": session, **given})
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def remember_rule(mem: Memory) -> str:
    return mem.remember(
        "We decided that hull/keel.py must always round the draught of a ship down to whole feet.",
        title="Draught is whole feet", files=["hull/keel.py"],
    )  # fmt: skip


def remember_failure(mem: Memory) -> str:
    given = {"session_id": "one", "tool_name": "Bash", "tool_use_id": "1", "tool_input": {"command": "make hull"}}
    respond(mem._store, "PostToolUse", {**given, "error": FAILED})
    mem.process()
    (gotcha,) = mem.search("make hull failed", kinds=["gotcha"], k=1).hits
    return gotcha.id


EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "hull/keel.py", "old_string": "a", "new_string": "b"}}
RUN = {"tool_name": "Bash", "tool_input": {"command": "make hull"}}
ASKED = {"prompt": "Why does hull/keel.py round the draught of a ship down to whole feet?"}


@pytest.mark.parametrize(
    ("make", "event", "given", "words"),
    [
        (remember_rule, "SessionStart", {}, "whole feet"),
        (remember_rule, "UserPromptSubmit", ASKED, "must always round"),
        (remember_rule, "PreToolUse", EDIT, "must always round"),
        (remember_failure, "PreToolUse", RUN, "`make hull` failed"),
    ],
)
def test_what_is_marked_wrong_is_shown_to_no_agent(
    mem: Memory, make: Any, event: str, given: dict[str, Any], words: str
) -> None:
    id = make(mem)
    mem.process()
    assert words in shown(mem, event, "before", **given)
    assert mem.feedback(id, "wrong", "It was never so.")["verdict"] == "wrong"
    assert words not in shown(mem, event, "after", **given)
    mem.restore(id)
    assert words in shown(mem, event, "again", **given)


def test_a_reason_is_kept_and_goes_with_what_it_is_about(mem: Memory) -> None:
    id = remember_rule(mem)
    mem.process()
    mem.feedback(id, "wrong", "  The barnacle said so.  ")
    (judged,) = mem.history(types=["memory_feedback"])
    assert judged.payload["reason"] == "The barnacle said so."
    mem.forget(id=id, purge=True)
    assert mem.history(types=["memory_feedback"]) == []
    assert all(b"barnacle" not in file.read_bytes() for file in mem.location.rglob("*") if file.is_file())


def test_the_reason_of_a_derived_memory_goes_with_it(mem: Memory) -> None:
    id = remember_failure(mem)
    mem.feedback(id, "wrong", "The barnacle said so.")
    mem.forget(id=id)
    assert mem.history(types=["memory_feedback"]) == []
