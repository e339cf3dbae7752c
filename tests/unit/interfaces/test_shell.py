"""The Cypher shell: queries are cut out of what is typed, completion follows the schema, and errors end nothing."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.interfaces.cli.shell import Completions, Shell, make_prompt, read_lines, split_queries


def test_a_query_ends_with_a_semicolon_or_an_empty_line() -> None:
    lines = ["MATCH (t:Turn)", "RETURN t.id;", ":named authors", "", "// only a remark", "RETURN 1", "", "RETURN 2"]
    assert list(split_queries(lines)) == ["MATCH (t:Turn)\nRETURN t.id", ":named authors", "RETURN 1", "RETURN 2"]


def test_completion_follows_the_schema(memory: Memory) -> None:
    words = Completions(memory.schema())
    assert words.after("MATCH (t:Tu") == ("Tu", ["Turn"])
    assert words.after("MATCH (a:Symbol)-[:CAL") == ("CAL", ["CALLS"]) and "IMPORTS" in words.after("-[:CALLS|I")[1]
    assert words.after("RETURN t.qualified")[1] == ["qualified_name"] and "RETURN" in words.after("MATCH (n) ret")[1]
    assert (
        "callers" in words.after(":named ca")[1]
        and words.after(":sc")[1] == [":schema"]
        and words.after("MATCH ")[1] == []
    )


def test_a_session_at_a_terminal(memory: Memory, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompt_toolkit = pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output import DummyOutput

    assert prompt_toolkit
    memory.remember("The quay is closed.", title="Quay")
    memory.process()
    said = io.StringIO()
    with create_pipe_input() as keys:
        keys.send_text(
            "MATCH (f:Fact) RETURN f.title AS title;\r:nonsense\rMATCH (x:Nope) RETURN x;\r:named authors\r:quit\r"
        )
        prompt = make_prompt(memory.schema(), tmp_path / "history", input=keys, output=DummyOutput())
        assert not Shell(memory).run(read_lines(prompt), said)
    shown = capsys.readouterr().out
    assert "Quay" in shown and "author" in shown
    assert "unknown command `:nonsense`" in said.getvalue() and "no label or relation `Nope`" in said.getvalue()
    assert "MATCH (f:Fact)" in (tmp_path / "history").read_text() and (tmp_path / "history").stat().st_mode & 0o077 == 0
