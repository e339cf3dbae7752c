"""An edit that puts back what a person corrected is told the correction, whichever session it is made in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem import settings
from graphmem.hooks.respond import respond
from graphmem.hooks.undoing import undoes
from graphmem.operations.pipeline import Process
from graphmem.store import Store


@pytest.fixture
def store(tmp_path: Path, clock) -> Iterator[Store]:
    opened = Store(tmp_path / "store", settings.load_settings(None, {"embedding.provider": "none"}), "demo", clock)
    yield opened
    opened.close()


def edit(store: Store, session: str, old: str, new: str) -> str:
    given = {"file_path": "/x/src/names.py", "old_string": old, "new_string": new}
    answer = respond(
        store, "PreToolUse", {"session_id": session, "cwd": "/x", "tool_name": "Edit", "tool_input": given}
    )
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


@pytest.mark.parametrize(
    "said",
    [
        "Rather use `upload` as the stem instead of `file`, our frontend filters names that start with file.",
        "`file` 대신 `upload`를 쓰자, 프런트엔드가 file로 시작하는 이름을 거르거든.",
    ],
)
def test_an_edit_that_undoes_a_correction_is_told_it(store: Store, said: str) -> None:
    respond(store, "UserPromptSubmit", {"session_id": "one", "prompt": said})
    store.run(Process())
    assert "undoes" not in edit(store, "three", 'name = f"file{ext}"', 'name = f"upload{ext}"')
    assert "undoes" not in edit(store, "four", "x = upload(1)", "x = upload(2)")
    undone = edit(store, "two", '        name = f"upload{ext}"', '        name = f"file{ext}"')
    assert "This edit undoes:" in undone and "upload" in undone
    assert edit(store, "two", 'name = f"upload{ext}"', 'name = f"file{ext}"') == ""  # told once


@pytest.mark.parametrize(
    ("said", "old", "new", "undone"),
    [
        ("Make it 30 instead of 60.", "timeout = 30", "timeout = 60", True),
        ("Make it 30 instead of 60.", "timeout = 60", "timeout = 30", False),
        ("Use 4096 bytes instead of 1024, counted after encoding.", "LIMIT = 4096", "LIMIT = 1024", True),
        ("타임아웃은 30초가 아니라 45초야.", "timeout_s=45", "timeout_s=30", True),
        ("Never edit the changelog.", "a = 1", "a = 2", False),
    ],
)
def test_what_replaced_what_is_read_from_a_correction(said: str, old: str, new: str, undone: bool) -> None:
    assert undoes(said, old, new) is undone
