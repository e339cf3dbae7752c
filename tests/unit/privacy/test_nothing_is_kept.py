"""No byte of a store holds a secret, whichever way it came: every path is fed marked secrets, then all files are read,
write-ahead logs included."""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support import Hands, Repository, read_stored

from graphmem import Memory
from graphmem.backends.log.sqlite import SqliteLog
from graphmem.hooks.respond import respond
from graphmem.interfaces.mcp.tools import find
from graphmem.interfaces.web import saved
from graphmem.log import spool
from graphmem.model.events import Draft

ALNUM = string.ascii_letters + string.digits


def letters(seed: str, size: int = 36) -> str:
    drawn = hashlib.sha512(seed.encode()).digest() + hashlib.sha512(f"{seed}2".encode()).digest()
    return "".join(ALNUM[byte % 62] for byte in drawn[:size])


class Marks:
    """Secrets, each made for one place, so that one that is found tells where it got through."""

    def __init__(self) -> None:
        self.made: dict[str, str] = {}

    def token(self, place: str) -> str:
        """A token of a known provider."""
        return self._kept(place, "gh" + "p_" + letters(place))

    def told(self, place: str) -> str:
        """An assignment whose name alone gives its value away."""
        return f"DB_PASSWORD={self._kept(f'{place} (named)', f'{letters(place, 4)}-quiet-{letters(place, 6)}-harbour')}"

    def both(self, place: str) -> str:
        return f"{place} {self.token(place)}\n{self.told(place)}\n"

    def _kept(self, place: str, value: str) -> str:
        self.made[place] = value
        return value

    def found(self, store: Path) -> dict[str, list[str]]:
        """The places whose secrets stand in files, and in which."""
        found: dict[str, list[str]] = {}
        for file in sorted(path for path in store.rglob("*") if path.is_file()):
            body = read_stored(file).lower()
            for place, value in self.made.items():
                core = value.lower().encode()
                if core in body or core[4:24] in body:
                    found.setdefault(place, []).append(file.name)
        return found


@pytest.fixture
def marks() -> Marks:
    return Marks()


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Callable[[], Memory]]:
    opened: list[Memory] = []

    def open_one() -> Memory:
        opened.append(Memory.open(tmp_path / "store", project="demo", settings={"embedding.provider": "none"}))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


def test_what_callers_say(marks: Marks, open_store: Callable[[], Memory], tmp_path: Path) -> None:
    mem = open_store()
    metadata: dict[str, Any] = {
        f"key {marks.token('a metadata key')}": 1,
        "deep": [{"password": marks._kept("a masked value", letters("masked"))}, marks.both("metadata")],
    }
    first = mem.observe(marks.both("a turn"), session=f"s {marks.token('a session')}", metadata=metadata)
    mem.observe("x " + marks.both("an answer"), role="assistant", ref=marks.token("a ref"))
    mem.remember(marks.both("a memory"), title=marks.token("a title"), tags=[marks.token("a tag")],
                 files=[f"src/{marks.token('a file')}.py"], evidence=[first])  # fmt: skip
    task = mem.tasks.create(f"Rotate {marks.token('a task')}", description=marks.both("a description"))
    mem.tasks.update(task.id, title=f"Turn {marks.token('a new title')}", description=marks.both("a new description"))
    mem.capture(f"deploy --token {marks.token('a command')}", output=marks.both("output") + "error: " + marks.token("an error"),
                exit_code=1, cwd=f"/srv/{marks.token('a folder')}", session=marks.token("its session"))  # fmt: skip
    mem.process()
    mem.search(marks.both("a query"))
    assert marks.found(tmp_path / "store") == {}
    mem.rebuild()
    mem.memify()
    mem.close()
    assert marks.found(tmp_path / "store") == {}


def test_what_repositories_hold(
    marks: Marks, open_store: Callable[[], Memory], repository: Repository, tmp_path: Path
) -> None:
    repository.commit(
        f"Use {marks.token('a subject')}\n\n{marks.both('a body')}",
        {
            f"src/{marks.token('a name of a file')}.py": "def f(): ...\n",
            f"docs/{marks.token('a name of a document')}.md": "# Title\n\nText.\n",
            "docs/guide.md": f"# Guide\n\n{marks.both('a document')}",
            "a.py": f'"""{marks.both("a docstring")}"""\n# {marks.token("a comment")}\nKEY = "{marks.token("a constant")}"\n\n'
            f'def f(token="{marks.token("a default")}"):\n    return unknown("{marks.token("an argument")}").go(KEY)\n',
            "run.sh": f"export {marks.told('a shell script')}\ndeploy --token {marks.token('an option')} --now\n",
            "config.yaml": f"password: {marks._kept('yaml', letters('yaml', 12))}\ntoken: {marks.token('a token in yaml')}\n",
            ".env": marks.both("an environment file"),
            "note.ipynb": json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": [
                f"password = '{marks._kept('a notebook', letters('notebook'))}'\n", "<private>\n",
                f"{marks._kept('a private cell', letters('cell'))}\n", "</private>\n"]}],
                "metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
            "b.go": f"package main\n\n// <private>\n// {marks._kept('a private comment', letters('private'))}\n// </private>\n"
            "func main() {}\n",
        },
    )  # fmt: skip
    repository.git("config", "user.name", "x")
    repository.git(
        "commit", "-q", "--allow-empty", "-m", "By another", "--author", f"{marks.token('an author')} <a@b.io>"
    )
    repository.git("tag", "-a", "v1", "-m", marks.both("a tag of git"))
    repository.git("checkout", "-q", "-b", f"fix/{marks.token('a branch')}")
    repository.commit("Rotate", {".env": marks.both("a changed file")})
    mem = open_store()
    mem.ingest("git", repository.path)
    mem.ingest("documents", repository.path)
    mem.index_code(repository.path)
    mem.process()
    assert marks.found(tmp_path / "store") == {}


def test_what_other_programs_wrote(
    marks: Marks, open_store: Callable[[], Memory], repository: Repository, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "build.log").write_text(f"$ make {marks.token('a logged command')}\n{marks.both('a log')}Error: failed\n")
    (folder / "junit.xml").write_text(
        f'<testsuite name="{marks.token("a suite")}" tests="1" failures="1"><testcase classname="a" name="t" time="1">'
        f'<failure message="{marks.token("a failure")}">{marks.both("a trace")}</failure></testcase></testsuite>'
    )
    session = letters("session", 12)
    lines: list[dict[str, Any]] = [
        {"type": "user", "message": {"role": "user", "content": marks.both("a prompt")}},
        {"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "text", "text": marks.both("a response")},
            {"type": "tool_use", "id": "t1", "name": "Bash",
             "input": {"command": f"curl -u me:{marks._kept('curl', letters('curl', 12))} https://a.io",
                       "env": {"API_TOKEN": marks._kept("an input", letters("input", 12))}}}]}},
        {"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": marks.both("a result"), "is_error": True}]}},
    ]  # fmt: skip
    transcript = folder / f"{session}.jsonl"
    transcript.write_text(
        "".join(
            json.dumps({"sessionId": session, "uuid": f"u{i}", "cwd": str(tmp_path), "timestamp": f"2026-01-05T10:00:0{i}Z"}
                       | line) + "\n"
            for i, line in enumerate(lines)
        )
    )  # fmt: skip
    mem = open_store()
    mem.ingest("terminal", folder / "build.log")
    mem.ingest("tests", folder / "junit.xml")
    mem.ingest("sessions", transcript)
    mem.process()
    assert mem.stats()
    assert marks.found(tmp_path / "store") == {}


def test_what_hooks_and_agents_tell(marks: Marks, open_store: Callable[[], Memory], tmp_path: Path) -> None:
    mem = open_store()
    called = {
        "session_id": f"s {marks.token('a session of a hook')}",
        "cwd": f"/srv/{marks.token('a folder of a hook')}",
    }
    told: list[tuple[str, dict[str, Any]]] = [
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": marks.both("a prompt of a hook")}),
        ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": f"/srv/{marks.token('a file to read')}.py"}}),
        ("PostToolUse", {"tool_name": "Bash", "tool_use_id": "t1",
                         "tool_input": {"command": marks.both("a command of a hook"), "env": {marks.token("a name"): "1"}},
                         "tool_response": {"stdout": marks.both("stdout"), "stderr": marks.both("stderr"), "exit_code": 1}}),
        ("Stop", {"last_assistant_message": marks.both("an answer of a hook")}),
        ("SessionEnd", {"reason": marks.token("a reason")}),
    ]  # fmt: skip
    for event, given in told:
        body = called | given
        delivery = spool.write(str(mem.location), event, json.dumps(body).encode())
        assert marks.found(tmp_path / "store") == {}  # what waits is encrypted
        respond(mem._store, event, body | {spool.DELIVERY: delivery})
    for name, given in {
        "remember": {"content": marks.both("a fact of a tool"), "title": marks.token("a title of a tool")},
        "tasks_create": {"title": f"Turn {marks.token('a task of a tool')}"},
        "search": {"query": marks.both("a question of a tool")},
        "cypher": {"query": f"RETURN '{marks.token('a query of a tool')}' AS x"},
    }.items():
        tool, arguments = find(name, given)
        tool.verb.call(mem, **arguments)
    saved.keep(mem.location, marks.token("the name of a query"), f"RETURN '{marks.token('a kept query')}', 1")
    assert next(iter(saved.load(mem.location).values())).endswith(", 1")
    mem.process()
    mem.close()
    assert marks.found(tmp_path / "store") == {}


@pytest.mark.parametrize(
    "printed",
    [
        "api_key={}", "API-KEY: {}", "secret = {}", "token:{}", "PASSWORD='{}'", "Authorization: Bearer {}", "Bearer {}",
        '{{"token": "{}"}}', "password: {}", "my token={}", "\x1b[1mSECRET\x1b[0m=\x1b[2m{}\x1b[0m",
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", ["hunter", "a-b-c", "a.b.c", "abc_def", "Xy"])
def test_in_a_snapshot_the_name_is_enough(memory: Memory, printed: str, value: str) -> None:
    value = f"{value}{'q' * (6 - len(value))}"
    memory.capture("print it", output=f"starting\n{printed.format(value)}\nerror: it failed\n", exit_code=1)
    (event,) = memory.history(types=["snapshot_captured"])
    assert value not in json.dumps(event.payload)


def test_what_another_machine_exported(marks: Marks, open_store: Callable[[], Memory], tmp_path: Path) -> None:
    """An export of a machine that hid nothing: its secrets are gone before they touch the disk, and its chain goes on."""
    origin = tmp_path / "other"
    origin.mkdir()
    with closing(SqliteLog(origin / "log.db", Hands())) as log:
        log.append([Draft("user_prompt", {"role": "user", "content": f"{marks.both('a merged turn')} harbour"}, 1)])
        log.append([Draft("memory_remembered", {"content": "clean words", "tags": [marks.token("a merged tag")]}, 2)])
        names = [f"deploy {marks.token(where)}" for where in ("a merged session", "a merged project", "a merged actor")]
        log.append([Draft("user_prompt", {"role": "user", "content": "named badly"}, 2, *names)])
        first, records = tmp_path / "first.jsonl", [json.dumps(one) for one in log.dump()]
        first.write_text("\n".join(records) + "\n")
        log.append([Draft("user_prompt", {"role": "user", "content": f"later {marks.token('a later turn')}"}, 3)])
        (tmp_path / "second.jsonl").write_text("".join(json.dumps(one) + "\n" for one in log.dump()))
    mem = open_store()
    assert mem.merge(first).records == 3 and marks.found(tmp_path / "store") == {}
    assert mem.merge(tmp_path / "second.jsonl").records == 1 and marks.found(tmp_path / "store") == {}
    assert mem.search("harbour").hits and mem.search("clean words").hits and mem.health()["sound"]
    (named,) = [event for event in mem.history(types=["user_prompt"]) if event.payload["content"] == "named badly"]
    assert all(name.startswith("deploy [REDACTED") for name in (named.session, named.project, named.actor))
    assert mem.merge(first).records == 0
    mem.export(tmp_path / "again.jsonl")
    assert marks.found(tmp_path / "store") == {}
    with Memory.open(tmp_path / "third", project="demo", settings={"embedding.provider": "none"}) as third:
        assert third.merge(tmp_path / "again.jsonl").records >= 3 and third.health()["sound"]
        assert third.search("harbour").hits
