"""The command line as a person or a script has it: real processes, pipes that close, JSON everywhere, sentences for errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support import STOP_S
from typer.testing import CliRunner

from graphmem import Memory
from graphmem.interfaces.cli.grouped import SECTIONS
from graphmem.interfaces.cli.guides import list_guides
from graphmem.interfaces.cli.main import build

GRAPHMEM = [sys.executable, "-m", "graphmem.interfaces.entry"]


@pytest.fixture
def here(memory: Memory, repository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose store this process owns, so that no daemon has to start for each command."""
    monkeypatch.setenv("GRAPHMEM_STORE", str(memory.location))
    monkeypatch.chdir(repository.path)
    memory.process()
    return repository.path


def run(*arguments: str, status: int = 0, input: str | None = None) -> SimpleNamespace:
    done = CliRunner().invoke(build(), arguments, input=input)
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.stderr
    return SimpleNamespace(stdout=done.stdout, stderr=done.stderr)


def data(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)["data"]


def test_a_pipe_that_closes_ends_it_quietly(here: Path) -> None:
    for command in ("schema", "--help", "export - --format jsonld", "history"):
        line = f'{" ".join(GRAPHMEM)} {command} | head -1; echo "${{PIPESTATUS[0]}}" >&2'
        done = subprocess.run(
            ["bash", "-c", line], cwd=here, env=dict(os.environ), capture_output=True, text=True, timeout=STOP_S
        )
        assert done.stderr.strip() == "0", (command, done.stderr)


def test_what_a_newcomer_gets_wrong_is_said_in_a_sentence(here: Path) -> None:
    for arguments, words in {
        ("details", "nope"): "no item `nope`",
        ("timeline", "nope"): "no item `nope`",
        ("neighbours", "nope"): "no item named `nope`",
        ("forget", "--session", "", "--confirm"): "the session to forget is empty",
        ("observe", "x", "--role", "martian"): "choose one of user",
        ("remember", "x", "--kind", "hunch"): "choose one of fact",
        ("import", "--from", "vi"): "choose one of aider, chatgpt",
        ("cypher", "MATCH (n:Nope) RETURN n"): "no label or relation `Nope`",
        ("cypher", "MATCH (n:Turn) RETURN n.nope"): "`n` has no property `nope`",
        ("cypher", "MATCH n RETURN n"): "line 1",
        ("cypher", "RETURN foo(1)"): "no function `FOO`",
    }.items():
        said = run(*arguments, status=2).stderr
        assert words in said and "exception" not in said and said.count("\n") == 1, said
        failed = json.loads(run(*arguments, "--json", status=2).stdout)
        assert words in failed["error"]["message"]
    assert "No such command" in run("nope", status=2).stderr


def test_tasks_say_what_they_did(here: Path) -> None:
    run("tasks", "create", "Caulk the hull")
    assert "already exists" in run("tasks", "create", "Caulk the hull").stderr
    assert (
        "cannot wait for itself" in run("tasks", "block", "Caulk the hull", "--by", "Caulk the hull", status=2).stderr
    )
    assert "placeholder" in run("tasks", "block", "Caulk the hull").stderr
    done = run("tasks", "update", "Caulk the hull", "--status", "done")
    assert "Caulk the hull  done" in done.stdout and "these blockers were removed" in done.stderr
    run("tasks", "create", "돛을 깁는다", "--blocked-by", "천이 온다")
    conditions = run("tasks", "conditions").stdout
    assert "천이 온다" in conditions and "built-in" not in conditions
    run("tasks", "create", "Paint the mast")
    never_begun = run("tasks", "update", "Paint the mast", "--status", "완료", "--outcome", "it is white")
    assert "Paint the mast  done" in never_begun.stdout and "it is white" in never_begun.stdout
    assert "started and then closed" in never_begun.stderr
    again = run("tasks", "create", "Caulk the hull", "--json")
    assert "was not changed: `graphmem tasks reopen" in json.loads(again.stdout)["meta"]["note"]
    assert "Caulk the hull" in run("tasks", "match", "caulk hull").stdout
    assert all(event["at"].endswith("+00:00") for event in data("history"))


def test_a_hook_without_an_event_stops_no_agent(here: Path) -> None:
    assert "the event name is missing" in run("hook", status=0).stderr


def test_every_command_that_reports_speaks_json(here: Path) -> None:
    for command in (
        "stats",
        "schema",
        "doctor",
        "history",
        "tasks ready",
        "tasks report",
        "pause",
        "resume",
    ):
        assert "data" in json.loads(run(*command.split(), "--json").stdout), command


def test_queries_of_a_pipe_are_answered_in_turn(here: Path) -> None:
    run("remember", "The fog horn is broken.", "--title", "Horn")
    run("process")
    done = run("cypher", input="MATCH (f:Fact)\nRETURN f.title;\nRETURN 1 + 1 AS two;\n")
    assert "Horn" in done.stdout and "two" in done.stdout
    assert "no label" in run("cypher", status=1, input="MATCH (x:Nope) RETURN x;\nRETURN 1;").stderr


def test_import_reads_what_a_program_kept(here: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    (tmp_path / "sessions" / "2026").mkdir(parents=True)
    meta = {
        "timestamp": "2026-01-01T00:00:00Z",
        "type": "session_meta",
        "payload": {"id": "s", "cwd": str(here)},
    }
    turn = {"timestamp": "2026-01-01T00:00:05Z", "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Ring the bell at noon."}]}}  # fmt: skip
    (tmp_path / "sessions" / "2026" / "rollout-1.jsonl").write_text(json.dumps(meta) + "\n" + json.dumps(turn) + "\n{")
    assert [row[0] for row in data("import", "--from", "codex", "--list")["rows"]] == ["rollout-1"]
    done = run("import", "--from", "codex").stdout
    assert "2 new" in done and "malformed line 1" in done
    assert "Ring the bell" in run("search", "when does the bell ring").stdout
    assert "0 new" in run("import", "--from", "codex").stdout


def test_help_is_grouped_and_guides_are_there(here: Path) -> None:
    page = run("--help").stdout
    assert all(f"\n{title}:\n" in page for title in SECTIONS)
    assert {"start", "import", "export", "code", "cypher", "agents", "tasks", "privacy"} <= set(list_guides())
    assert "Ctrl-D" in run("help", "cypher").stdout
    assert "--budget" in run("help", "search").stdout
    assert "choose one of" in run("help", "nonsense", status=2).stderr


def test_reading_a_repository_that_was_never_initialised_creates_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, home = tmp_path / "fresh", tmp_path / "home"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    monkeypatch.delenv("GRAPHMEM_STORE", raising=False)
    monkeypatch.setenv("GRAPHMEM_HOME", str(home))
    monkeypatch.chdir(root)
    for arguments in (("search", "anything"), ("stats",), ("details", "x")):
        done = CliRunner().invoke(build(), arguments)
        assert done.exit_code != 0 and "`graphmem init`" in done.stderr, arguments
    assert not list(home.glob("projects/*"))
