"""What the command line prints: every character of an answer, whatever the printer could take it for."""

from __future__ import annotations

import pytest

from graphmem import Memory
from graphmem.errors import UsageError
from graphmem.interfaces.cli import render
from graphmem.model.answers import Outline


def test_nothing_of_an_answer_is_taken_for_markup_or_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    render.show("", [{"id": "task:b:turn", "path": "app.[id].page", "names": ["pkg.[bold]q", ":smile:"]}])
    assert capsys.readouterr().out.splitlines()[1].split() == [
        "task:b:turn",
        "app.[id].page",
        "pkg.[bold]q,",
        ":smile:",
    ]


def test_the_end_of_an_answer_about_code_is_whole(memory: Memory, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tree/app/[id]").mkdir(parents=True)
    (tmp_path / "tree/app/[id]/page.ts").write_text("export function show() {}\n")
    memory.index_code(tmp_path / "tree")
    render.show("code callers", memory.code.callers("show"))
    assert "of app.[id].page.show;" in capsys.readouterr().out
    render.show("code outline", memory.code.outline("page.ts"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == "1 function show()" and lines[-1].endswith("app/[id]/page.ts, typescript, 1 line")
    render.show("code outline", Outline("huge.py", "python", "", (), skipped="too large"))
    assert capsys.readouterr().out.endswith("; skipped: too large\n")


def test_a_limit_is_a_number_of_rows(memory: Memory) -> None:
    with pytest.raises(UsageError, match="`limit` must be at least 0, not -1"):
        memory.history(limit=-1)
