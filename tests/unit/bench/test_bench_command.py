"""`graphmem bench` reaches every suite and says what is missing."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from support import Repository

from graphmem.bench import questions
from graphmem.errors import SourceError, UsageError
from graphmem.interfaces.cli.benchmarks import RECALL, SPEED, TREE, measure


def test_every_suite_is_there() -> None:
    assert all(callable(import_module(f"graphmem.bench.{name}").run) for name in (*RECALL, *TREE))
    assert all(callable(import_module(f"graphmem.bench.{name.replace('-', '_')}").main) for name in SPEED)


def test_what_is_missing_is_said() -> None:
    with pytest.raises(UsageError, match="unknown suite"):
        measure("nothing", None, None, False)
    with pytest.raises(UsageError, match="--data"):
        measure("locomo", None, None, False)


@pytest.mark.deep
def test_a_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    measure("paraphrase", Path(__file__).parents[3] / "fixtures" / "questions", None, False)
    assert {"graphmem", "BM25", "embeddings"} <= set(capsys.readouterr().out.split())


def test_a_repository_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SourceError, match="no table"):
        measure("repository", tmp_path, None, False)
    harbour = Repository(tmp_path / "harbour")
    harbour.write("crane.py", "def lift(load):\n    return load\n")
    harbour.commit("The crane lifts loads")
    questions = "code\twhich function lifts loads?\tsymbol\tlift\ncommit\twhen did the crane change?\tcommit\tcrane\n"
    (tmp_path / "harbour.tsv").write_text(questions)
    measure("repository", tmp_path, None, True)
    printed = capsys.readouterr().out
    assert "harbour: code" in printed and "as one list" in printed
    (tmp_path / "harbour.tsv").write_text("no question\n")
    with pytest.raises(SourceError, match="line 1"):
        measure("repository", tmp_path, None, False)


def test_code_is_measured_on_a_tree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(UsageError, match="no source file"):
        measure("code", tmp_path, None, False)
    (tmp_path / "a.py").write_text("def f():\n    return g()\n\n\ndef g():\n    return 1\n")
    measure("code", tmp_path, None, False)
    printed = capsys.readouterr().out
    assert "names, imports and types" in printed and "values followed" in printed and "tree-sitter" in printed


def test_questions_with_answers_by_name_are_asked(tmp_path: Path) -> None:
    harbour = Repository(tmp_path / "harbour")
    harbour.write("crane.py", "def lift_load(load):\n    return load\n")
    harbour.write("README.md", "# Harbour\n\n## Tides\n\nShips wait for the flood.\n")
    first = harbour.commit("Let the crane lift loads")
    harbour.write("crane.py", "")
    harbour.commit("Drop the crane")
    asked = [
        ("where is lift_load defined?", "where", [{"kind": "symbol", "name": "lift_load", "path": "crane.py"}]),
        ("who let the crane lift loads?", "who", [{"kind": "commit", "hash": first}]),
        ("what do ships wait for?", "how", [{"kind": "document", "heading": "Tides", "path": "README.md"}]),
        ("how is the submarine painted?", "nothing", []),
    ]
    table = tmp_path / "owner+harbour.jsonl"
    lines = [
        json.dumps({"repo": "owner/harbour", "commit": first, "question": text, "type": type_, "gold": gold})
        for text, type_, gold in asked
    ]
    table.write_text("\n".join(lines))
    rows = {(row.system, row.group): row for row in questions.run(tmp_path)}
    assert rows["graphmem", "all"].questions == 4 and rows["graphmem", "all"].metrics["hit@1"] == 1.0
    assert rows["git grep, git log", "all"].metrics["hit@1"] == 1.0  # as the tree was at that commit
    assert {"none"} == set(rows["graphmem", "nothing"].metrics)
    table.write_text('{"repo": "owner/harbour"}')
    with pytest.raises(SourceError, match="no table of questions"):
        questions.run(tmp_path)
    (tmp_path / "owner+harbour.jsonl").rename(tmp_path / "owner+quay.jsonl")
    table.with_name("owner+quay.jsonl").write_text(lines[0].replace("harbour", "quay"))
    with pytest.raises(SourceError, match=r"no clone owner\+quay"):
        questions.run(tmp_path)


def test_the_questions_of_the_project_are_whole() -> None:
    tables = sorted((Path(__file__).parents[3] / "fixtures" / "questions" / "gold").glob("*.jsonl"))
    asked = [one for table in tables for one in questions.read_table(table)[2]]
    assert len(tables) >= 8 and len(asked) >= 200
    assert all((one.type == "nothing") == (not one.gold) for one in asked)
