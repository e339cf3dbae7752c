"""What strangers send ends no process, shows no traceback, and loses nothing that was accepted. Each case has a number, its
seed: `Hostile(number)` repeats it. A few thousand run daily; 200,000 with `-m deep`."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hostile_values import Hostile
from support import STOP_S

from graphmem import Memory, align, anchor_times, canonical_key, extract_entities, redact, resolve_references
from graphmem.errors import GraphmemError
from graphmem.extract.chats.programs import PROGRAMS
from graphmem.extract.chats.turns import ImportContext
from graphmem.hooks.respond import respond
from graphmem.interfaces.http.access import Access
from graphmem.interfaces.http.guard import Guard
from graphmem.interfaces.http.tokens import Tokens
from graphmem.interfaces.mcp.answers import format_answer
from graphmem.interfaces.mcp.tools import agent_tools, find
from graphmem.interfaces.noted import split_note
from graphmem.model.sources import IngestReport
from graphmem.text.cypher import check_read_only

FIXTURES = Path(__file__).parents[2] / "fixtures" / "sessions"
SLOW_S = 20.0  # of the processor, for one small input


def amounts(daily: int, deep: int, at_once: int = 5_000) -> Callable[[Any], Any]:
    """A test with a few cases every day, and with many before a release, some thousand at once."""
    marks = [pytest.mark.deep, pytest.mark.timeout(3_600)]
    slices = [range(first, min(first + at_once, deep)) for first in range(0, deep, at_once)]
    many = [pytest.param(cases, marks=marks, id=f"{cases.start}-{cases.stop}") for cases in slices]
    return pytest.mark.parametrize("cases", [pytest.param(range(daily), id="daily"), *many])


def every(cases: range, attempt: Callable[[Hostile, int], object], *allowed: type[BaseException]) -> None:
    """Run cases; what is raised and not allowed, or takes too long, is reported by its number."""
    wrong: list[str] = []
    for number in cases:
        started = time.thread_time()
        try:
            attempt(Hostile(number), number)
        except allowed as error:
            if len(str(error)) > 2_000:  # it may quote what was sent, though not all of it
                wrong.append(f"{number}: {type(error).__name__} of {len(str(error))} characters")
        except Exception as error:  # noqa: BLE001 (that is what is looked for)
            wrong.append(f"{number}: {type(error).__name__}: {str(error)[:200]}")
        if (took := time.thread_time() - started) > SLOW_S:
            wrong.append(f"{number}: {took:.1f} s")
        if len(wrong) >= 20:
            break
    assert not wrong, "\n".join(wrong)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)  # a path that a caller names must not be found by chance
    with Memory.open(tmp_path / "store", project="demo", settings={"embedding.provider": "none"}) as mem:
        mem.observe("We sign releases with minisign.", session="s1")
        mem.remember("The harbour counts whole cents.", title="Cents")
        mem.tasks.create("Count the berths")
        mem.process()
        yield mem


EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop",
          "PreCompact", "SessionEnd", "Notification"]  # fmt: skip
GIVEN = {
    "session_id": "s1", "cwd": "/nowhere", "source": "startup", "reason": "clear", "prompt": "why whole cents?",
    "transcript_path": "/nowhere/t.jsonl", "tool_name": "Bash", "tool_use_id": "toolu_1", "agent_id": "a",
    "tool_input": {"command": "pytest -q", "file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b"}]},
    "tool_response": {"stdout": "FAILED tests/test_a.py::test_b\nExit code 1", "stderr": "", "interrupted": False, "exit_code": 1},
}  # fmt: skip


@amounts(120, 20_000, 2_000)
def test_hooks(store: Memory, cases: range) -> None:
    host = store._store
    said: list[str] = []

    def attempt(hostile: Hostile, number: int) -> None:
        event = EVENTS[number % len(EVENTS)]
        given = json.loads(
            json.dumps(hostile.mutated(GIVEN | {"prompt": hostile.text(), "tool_response": hostile.value()}))
        )
        given = given if isinstance(given, dict) else {}
        if event == "UserPromptSubmit":
            given["prompt"] = f"case-{number}-end {given.get('prompt')}"
            said.append(f"case-{number}-end")
        answered = respond(host, event, given)
        json.dumps(answered)

    every(cases, attempt)
    recorded = "\n".join(json.dumps(event.payload) for event in store.history(limit=10**7))
    assert not [mark for mark in said if mark not in recorded]
    assert store.process() and store.search("harbour cents").hits


LEFT_OUT = frozenset({"process", "rebuild", "memify", "init", "index", "ingest"})  # seconds of work each


def _call_tool(store: Memory, hostile: Hostile, number: int) -> None:
    names = [name for name, tool in agent_tools().items() if tool.verb.name not in LEFT_OUT]
    name = names[number % len(names)]
    given = {one: hostile.value(1) for one in agent_tools()[name].parameters if hostile.chance.random() < 0.6}
    if name.startswith("forget"):
        given["session"] = f"none {number}"
    if hostile.chance.random() < 0.05:
        given[hostile.text()] = hostile.value()
    tool, arguments = find(name, given)
    found, _ = split_note(tool.verb.call(store, **arguments))
    format_answer(tool.verb.name, found, arguments.get("budget")).encode("utf-8", "strict")


@amounts(300, 20_000, 2_000)
def test_arguments_of_mcp_tools(store: Memory, cases: range) -> None:
    kept = store.remember("Kept whatever is sent.", title="Kept")

    def attempt(hostile: Hostile, number: int) -> None:
        _call_tool(store, hostile, number)

    every(cases, attempt, GraphmemError, OSError)
    store.process()
    assert store.details([kept])


@amounts(2_000, 60_000)
def test_requests_at_the_guard(tmp_path: Path, cases: range) -> None:
    """Nobody without a token or a session of ours comes through, whatever headers, paths and bodies say."""
    access = Access(Tokens(tmp_path))
    token = access._tokens.create()
    host = "127.0.0.1:5000"
    session = access.log_in(token, host)
    passed: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    guard = Guard(app, access, {host, "localhost:5000"}, "graphmem_5000")
    names = [
        "host",
        "origin",
        "cookie",
        "authorization",
        "accept",
        "sec-fetch-site",
        "sec-fetch-mode",
        "accept-language",
    ]
    usual = {
        "host": [host, "localhost:5000", "evil.example"], "origin": [f"http://{host}", "null", "http://evil.example"],
        "cookie": [f"graphmem_5000={session[:-1]}", f"graphmem_5000={token}", "gm_language=ko; a=b", f"graphmem_5001={session}"],
        "authorization": ["Bearer ", f"Basic {token}", f"Bearer {token[:-1]}", f"Bearer {token} x"],
        "sec-fetch-site": ["none", "same-origin", "same-site", "cross-site"], "sec-fetch-mode": ["navigate", "cors", "websocket"],
        "accept": ["text/html", "*/*"], "accept-language": ["ko", "en"],
    }  # fmt: skip
    paths = [
        "/",
        "/api/stats",
        "/login",
        "/logout",
        "/graph",
        "/ws",
        "/_nicegui/3/static/a.js",
        "/api/../health",
        "//x",
    ]

    def attempt(hostile: Hostile, number: int) -> None:
        headers = {
            name: hostile.pick(usual[name]) if hostile.chance.random() < 0.7 else hostile.text() for name in names
            if name == "host" or hostile.chance.random() < 0.6
        }  # fmt: skip
        path = hostile.pick(paths) if hostile.chance.random() < 0.7 else "/" + hostile.text()
        kind = "websocket" if number % 5 == 4 else "http"
        body = f"key={hostile.text()}" if number % 2 else hostile.text() * hostile.pick((1, 200))
        scope: dict[str, Any] = {
            "type": kind, "path": path, "raw_path": path.encode("utf-8", "surrogatepass"),
            "query_string": hostile.text().encode("utf-8", "surrogatepass"),
            "headers": [(name.encode(), value.encode("utf-8", "surrogatepass")) for name, value in headers.items()],
        }  # fmt: skip
        if kind == "http":
            scope["method"] = hostile.pick(("GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT"))
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body.encode("utf-8", "surrogatepass"), "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        passed.clear()
        asyncio.run(guard(scope, receive, send))
        assert not passed, f"came through: {scope}"
        assert sent[0].get("status", 400) < 500 and sent[0]["type"] in ("http.response.start", "websocket.close")
        for name, value in sent[0].get("headers", ()):
            assert not {10, 13} & {*name, *value}, "a header holds a line break"
            assert name != b"set-cookie" or b"Max-Age=0" in value, "a session for nothing"

    every(cases, attempt)


@amounts(200, 20_000)
def test_files_to_import(tmp_path: Path, cases: range) -> None:
    """Every reader, on real files with something wrong in them; what one file does must not stop another."""
    real = _real_files()

    def attempt(hostile: Hostile, number: int) -> None:
        _import_file(hostile, number, real, tmp_path)

    every(cases, attempt, GraphmemError)


def _real_files() -> dict[str, list[bytes]]:
    found = {
        name: [path.read_bytes() for path in (FIXTURES / name).rglob("*") if path.is_file()]
        for name in PROGRAMS if (FIXTURES / name).is_dir()
    }  # fmt: skip
    assert len(found) >= 4
    return found


def _import_file(hostile: Hostile, number: int, real: dict[str, list[bytes]], tmp_path: Path) -> None:
    names = sorted(PROGRAMS)
    name = names[number % len(names)]
    data = hostile.pick(real.get(name) or [b""])
    how = hostile.chance.randrange(4)
    if how == 0:
        data = hostile.damaged(data)
    elif how == 1:
        records = [json.loads(line) for line in data.splitlines() if _is_json(line)] or [hostile.value()]
        data = hostile.lines(records)
    elif how == 2:
        whole = json.loads(data) if _is_json(data) else hostile.value()
        data = json.dumps(hostile.mutated(whole)).encode()
    else:
        data = b"[" * hostile.pick((1, 100, 100_000)) + hostile.text().encode("utf-8", "surrogatepass")
    file = tmp_path / f"{number % 7}{hostile.pick(('.jsonl', '.json', '.zip', '.vscdb'))}"
    if file.suffix == ".zip" and number % 2:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(hostile.pick(("conversations.json", "../x.json", "a/b.json")), data)
    else:
        file.write_bytes(data)
    report = IngestReport("sessions")
    for draft in PROGRAMS[name].read(file, ImportContext("demo", report)):
        json.dumps(draft.payload, default=str)


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
        return True
    except (ValueError, RecursionError):
        return False


QUERIES = [
    "MATCH (n:Task) RETURN n.title", "MATCH (a)-[r]->(b) WHERE a.id = $id RETURN a, r, b LIMIT 5", "UNWIND [1,2] AS x RETURN x",
    "MATCH p = (a)-[*1..3]->(b) RETURN p", "WITH 1 AS x RETURN x ORDER BY x SKIP 1", "CALL SHOW_TABLES() RETURN *",
    "RETURN 'it''s' + \"x\" + `y`", "MATCH (n) WHERE n.title CONTAINS 'a' RETURN count(n)",
]  # fmt: skip
WRITES = [
    "DELETE",
    "SET",
    "CREATE",
    "MERGE",
    "DROP",
    "COPY",
    "LOAD",
    "ATTACH",
    "INSTALL",
    "EXPORT",
    "IMPORT",
    "ALTER",
    "REMOVE",
]


@amounts(2_000, 60_000)
def test_the_guard_of_cypher(cases: range) -> None:
    """A query with a writing word outside of quotes, comments and names never passes, whatever is around it."""

    def attempt(hostile: Hostile, number: int) -> None:
        tokens = hostile.pick(QUERIES).split(" ")
        place = hostile.chance.randrange(len(tokens) + 1)
        word = hostile.pick(WRITES)
        if number % 2:
            cased = "".join(hostile.pick((letter.lower(), letter)) for letter in word)
            blank = hostile.pick((" ", "\n", "\t", " /* ' */ ", " // x\n"))
            query = f"{' '.join(hostile.pick(QUERIES).split(' '))}{blank}{cased}{blank}n"
            with pytest.raises(GraphmemError):
                check_read_only(query)
        tokens.insert(place, hostile.pick((word, hostile.text(), ";", "$" + hostile.text())))
        check_read_only(" ".join(tokens))

    every(cases, attempt, GraphmemError)


NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


@amounts(400, 20_000)
def test_functions_on_text(cases: range) -> None:
    def attempt(hostile: Hostile, number: int) -> None:
        text, other = hostile.text(), hostile.text()
        align(text, other)
        align(text, text[3:40])
        hidden = redact(text)
        assert isinstance(hidden if isinstance(hidden, str) else hidden.text, str)
        for mention in anchor_times(text, NOW):
            assert 0 <= mention.start <= mention.end <= len(text)
        extract_entities(text)
        canonical_key(text)
        if number % 20 == 0:
            resolve_references(text)

    every(cases, attempt, GraphmemError)


@amounts(300, 20_000)
def test_redaction_settles_and_its_spans_fit(cases: range) -> None:
    """What is redacted once stays as it is, and each span lies in the original, after the one before."""

    def attempt(hostile: Hostile, number: int) -> None:
        secret = "".join(hostile.pick("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(36))
        planted = hostile.pick((f"token = ghp_{secret}", f"Authorization: Bearer {secret}", f"API_KEY={secret}"))
        text = f"{hostile.text()}\n{planted}\n{hostile.text()}" if number % 2 else hostile.text()
        found = redact(text)
        assert redact(found.text).text == found.text, "a second pass finds more"
        ends = [0, *(end for span in found.spans for end in (span.start, span.end)), len(text)]
        assert ends == sorted(ends), "spans overlap or leave the text"
        if number % 2 and "<private>" not in text:
            assert secret not in found.text, "the secret is still there"

    every(cases, attempt)


@amounts(300, 20_000)
def test_a_quote_of_a_text_is_found_where_it_is(cases: range) -> None:
    """Any part of a text is aligned with a place that reads the same; what is found lies in the text."""

    def attempt(hostile: Hostile, number: int) -> None:
        text = " ".join((hostile.text(), hostile.text(), "the anchor chain", hostile.text()))
        start = hostile.chance.randrange(len(text))
        quote = text[start : start + hostile.pick((5, 20, 80))]
        found = align(text, quote)
        if quote.strip():
            assert found is not None and text[found.start : found.end].strip() == quote.strip()
        other = align(text, hostile.text())
        if other is not None:
            assert 0 <= other.start < other.end <= len(text) and 0 < other.confidence <= 1

    every(cases, attempt, GraphmemError)


def test_raw_bytes_of_a_hook_end_in_json_and_success(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(tmp_path)}
    for number in range(4):
        hostile = Hostile(number)
        data = hostile.damaged(json.dumps(hostile.mutated(GIVEN)).encode())
        done = subprocess.run(
            [sys.executable, "-m", "graphmem.interfaces.entry", "hook", EVENTS[number + 3]], input=data, env=environment,
            capture_output=True, timeout=STOP_S,
        )  # fmt: skip
        assert done.returncode == 0 and isinstance(json.loads(done.stdout), dict) and b"Traceback" not in done.stderr


@pytest.mark.parametrize("number", [825, 856, 925, 1031, 2231])
def test_hooks_that_once_failed(store: Memory, number: int) -> None:
    """Paths and a session with half a surrogate pair, and a word that the tokenizer of the index cuts into several."""
    hostile = Hostile(number)
    given = hostile.mutated(GIVEN | {"prompt": hostile.text(), "tool_response": hostile.value()})
    if EVENTS[number % len(EVENTS)] == "UserPromptSubmit":
        given["prompt"] = f"case-{number}-end {given.get('prompt')}"
    respond(store._store, EVENTS[number % len(EVENTS)], json.loads(json.dumps(given)))


@pytest.mark.parametrize("number", [2_745, 3_601, 19_968])
def test_arguments_that_once_failed(store: Memory, number: int) -> None:
    """A session named by half a surrogate pair, and errors that quoted all that they were given. Which tool a number means
    changes with the list of tools."""
    try:
        _call_tool(store, Hostile(number), number)
    except GraphmemError as refused:
        assert len(str(refused)) <= 2_000


@pytest.mark.parametrize("number", [1_965, 18_996])
def test_files_that_once_failed(tmp_path: Path, number: int) -> None:
    """A list of messages that is a number."""
    _import_file(Hostile(number), number, _real_files(), tmp_path)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "SessionEnd", "PreCompact"])
def test_a_transcript_that_never_ends_is_not_read(store: Memory, tmp_path: Path, event: str) -> None:
    """It once took all the memory of the machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in ("/dev/zero", str(pipe)):
        respond(store._store, event, {"session_id": "s1", "transcript_path": path, "agent_transcript_path": path})
