"""Stores whose log is on a PostgreSQL server: several share one, it may be away or killed, and logs move there and back."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from postgresql_server import PostgresqlServer
from support import Repository, end_owner, kill_owner

from graphmem import Memory
from graphmem.backends.log import bounded_waits
from graphmem.backends.log.postgresql import PostgresqlLog
from graphmem.backends.log.server_connection import ServerConnection
from graphmem.backends.log.server_url import parse_log_url
from graphmem.errors import StoreBusy, StoreError, UsageError
from graphmem.model.events import Draft
from graphmem.ports.clock import SystemClock
from graphmem.settings import find_unchosen, save_settings

QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 64}
DECIDED = "We decided to keep the crane in Oslo because the harbour is deep"


def quiet(url: str) -> dict[str, object]:
    return {**QUIET, "log.url": url}


def contents(mem: Memory) -> list[str]:
    return [event.payload.get("content", "") for event in mem._store.log.read(types=["user_prompt"])]


@pytest.mark.deep
def test_two_stores_share_a_log_and_each_applies_each_event_once(postgresql: PostgresqlServer, tmp_path: Path) -> None:
    settings = quiet(postgresql.url())
    with (
        Memory.open(tmp_path / "a", project="demo", settings=settings) as ours,
        Memory.open(tmp_path / "b", project="demo", settings=settings) as theirs,
    ):
        ours.observe(DECIDED, session="s1")
        theirs.observe("Where is the crane?", session="s2")
        racing = [threading.Thread(target=mem.process) for mem in (ours, theirs)]
        for thread in racing:
            thread.start()
        for thread in racing:
            thread.join()
        ours.process(), theirs.process()
        for mem in (ours, theirs):
            assert DECIDED in contents(mem) and "crane" in mem.search("crane in Oslo").hits[0].content
            assert mem.health()["sound"], mem.health()["problems"]
        counts = [mem.cypher("MATCH (t:Turn) RETURN count(t)").rows for mem in (ours, theirs)]
        assert counts[0] == counts[1]
        log = ours._store.log
        made = [(one.step, one.source, one.input_hash) for one in log.derivations()]
        assert len(made) == len(set(made)) and log.verify() == []
        hit = theirs.search("crane in Oslo").hits[0]
        theirs.forget(hit.id, purge=True)
        ours.process()
        assert not any("Oslo" in found.content for found in ours.search("crane in Oslo").hits)
        assert not any(b"harbour" in file.read_bytes() for file in (tmp_path / "a").glob("index.db*"))


def test_what_the_server_refuses_is_one_sentence_and_nothing_is_lost(
    tmp_path: Path, postgresql: PostgresqlServer
) -> None:
    log = PostgresqlLog(postgresql.url(), tmp_path / "log.db", SystemClock())
    log.append([Draft("user_prompt", {"content": "before"}, 1, dedupe_key="0")])
    postgresql.kill()
    try:
        for _ in range(2):
            with pytest.raises(StoreError, match="PostgreSQL server") as refused:
                log.append([Draft("user_prompt", {"content": "meanwhile"}, 1, dedupe_key="1")])
            assert "\n" not in str(refused.value)
        with pytest.raises(StoreError, match="cannot be reached"):
            log.head()
    finally:
        postgresql.start()
    assert log.append([Draft("user_prompt", {"content": "after"}, 1, dedupe_key="1")])[0].outcome == "new"
    assert [event.payload["content"] for event in log.read()] == ["before", "after"]
    log.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask a silent server sooner whether it still answers."""
    monkeypatch.setattr(bounded_waits, "_SILENT_S", 0.5)
    monkeypatch.setattr(bounded_waits, "_PROBE_S", 2)  # the least that libpq accepts


@pytest.mark.usefixtures("impatient")
def test_a_stopped_server_is_one_sentence_in_bounded_time(tmp_path: Path, postgresql: PostgresqlServer) -> None:
    log = PostgresqlLog(postgresql.url() + "&connect_timeout=2", tmp_path / "log.db", SystemClock())
    log.append([Draft("user_prompt", {"content": "before"}, 1, dedupe_key="0")])
    writes = partial(log.append, [Draft("user_prompt", {"content": "meanwhile"}, 1, dedupe_key="1")])
    postgresql.suspend()
    try:
        for ask in (log.head, writes, lambda: list(log.dump())):  # in a connection, and in a new one
            begun = time.monotonic()
            with pytest.raises(StoreError, match="does not answer") as refused:
                ask()
            assert "\n" not in str(refused.value) and time.monotonic() - begun < 8
        begun = time.monotonic()
        with pytest.raises(StoreError, match="does not answer"):  # who waited for the others fails with them
            log.head()
        assert time.monotonic() - begun < 1
    finally:
        postgresql.resume()
    time.sleep(1)
    assert writes()[0].outcome == "new" and [event.payload["content"] for event in log.read()] == [
        "before",
        "meanwhile",
    ]
    log.close()


@pytest.mark.usefixtures("impatient")
def test_a_commit_is_looked_up_after_its_server_was_stopped(
    tmp_path: Path, postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = PostgresqlLog(postgresql.url(), tmp_path / "log.db", SystemClock())
    resuming, commit = threading.Timer(4, postgresql.resume), ServerConnection._commit

    def stop_and_commit(*arguments: Any) -> None:
        postgresql.suspend()
        resuming.start()
        commit(*arguments)

    monkeypatch.setattr(ServerConnection, "_commit", stop_and_commit)
    assert log.append([Draft("user_prompt", {"content": "in doubt"}, 1, dedupe_key="0")])[0].outcome == "new"
    assert [event.payload["content"] for event in log.read()] == ["in doubt"]
    resuming.join()
    log.close()


@pytest.mark.usefixtures("impatient")
def test_a_server_that_takes_long_is_waited_for(postgresql: PostgresqlServer) -> None:
    db = ServerConnection(parse_log_url(postgresql.url()))
    assert db.execute("SELECT 7, pg_sleep(1.5)").fetchone()[0] == 7
    db.execute("SET statement_timeout = '1s'")
    with pytest.raises(StoreBusy, match="did not finish a statement"):
        db.execute("SELECT pg_sleep(30)")
    db.execute("SET statement_timeout = '1s'")
    with db.without_time_limit():
        assert db.execute("SELECT 7, pg_sleep(1.5)").fetchone()[0] == 7
    assert db.execute("SHOW statement_timeout").fetchone() == ("2min",)
    db.close()


def test_an_append_wakes_those_who_wait(tmp_path: Path, postgresql: PostgresqlServer) -> None:
    url, never = postgresql.url(), threading.Event()
    waiting, writing = (PostgresqlLog(url, tmp_path / f"{name}.db", SystemClock()) for name in "ab")
    waiting.wait_for_append(0.1, never)  # starts to listen
    waiting.wait_for_append(0.1, never)
    begun = time.monotonic()
    threading.Timer(0.3, writing.append, [[Draft("user_prompt", {"content": "x"}, 1)]]).start()
    waiting.wait_for_append(30, never)
    assert time.monotonic() - begun < 15 and waiting.head() == 1
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    begun = time.monotonic()
    waiting.wait_for_append(30, stopped)
    assert time.monotonic() - begun < 15
    waiting.close(), writing.close()


def test_a_lease_is_held_by_one_at_a_time(tmp_path: Path, postgresql: PostgresqlServer) -> None:
    url = postgresql.url()
    first, second = (PostgresqlLog(url, tmp_path / f"{name}.db", SystemClock()) for name in "ab")
    order: list[str] = []

    def work() -> None:
        with second.lease("facts"):
            order.append("second")

    with first.lease("facts"), second.lease("other"):
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.3)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    first.close(), second.close()


@pytest.mark.deep
def test_a_log_moves_to_a_server_and_back(tmp_path: Path, postgresql: PostgresqlServer) -> None:
    url, store = postgresql.url(), tmp_path / "store"
    with Memory.open(store, project="demo", settings=QUIET) as mem:
        mem.observe(DECIDED, session="s1")
        gone = mem.remember("The password of the harbour is swordfish")
        mem.process()
        mem.forget(gone)
        before, dumped = mem.stats(), list(mem._store.log.dump())
        report = mem.move(log=url)
        assert report.log.startswith("PostgreSQL server") and report.compared > 4 and report.events == before["events"]
        assert list(mem._store.log.dump()) == dumped and mem.stats()["nodes"] == before["nodes"]
        assert b"crane" not in (store / "log.db").read_bytes()
        mem.observe("The crane is oiled on Mondays")
        mem.process()
        assert mem.search("oiled").hits and mem.health()["sound"], mem.health()
        with pytest.raises(UsageError, match="on a server"):
            mem.move(log=postgresql.url())
        assert mem.stats()["log"].startswith("PostgreSQL")
    with Memory.open(store) as again:  # by its settings, which were set here
        assert again.search("oiled").hits and again._store.log.location.startswith("PostgreSQL")
        kept = list(again._store.log.dump())
        assert again.move(log="local").log == "log.db"
        assert list(again._store.log.dump()) == kept and again.health()["sound"]
        again.observe("Back at home")
    late = PostgresqlLog(url, tmp_path / "late.db", SystemClock())
    with pytest.raises(StoreError, match="moved into the store"):
        late.append([Draft("user_prompt", {"content": "late"}, 1)])
    late.close()
    with Memory.open(store) as last:  # the server has the beginning of this log: it is copied again
        last.move(log=url)
        assert "Back at home" in contents(last) and last.health()["sound"]


def test_a_move_to_the_log_of_somebody_else_changes_nothing(tmp_path: Path, postgresql: PostgresqlServer) -> None:
    url = postgresql.url()
    with Memory.open(tmp_path / "other", settings=quiet(url)) as other:
        other.observe("theirs")
    with Memory.open(tmp_path / "store", settings=QUIET) as mem:
        mem.observe(DECIDED)
        with pytest.raises(StoreError, match="another log"):
            mem.move(log=url)
        assert contents(mem) == [DECIDED] and mem._store.log.location == "log.db"
    with (
        pytest.raises(StoreError, match=r"has its log in log\.db"),
        Memory.open(tmp_path / "store", settings=quiet(url)) as mem,
    ):
        contents(mem)


def test_a_store_from_elsewhere_sends_nothing_to_its_server(
    tmp_path: Path, postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, url = tmp_path / "store", postgresql.url()
    with Memory.open(store, settings=QUIET) as mem:
        mem.observe(DECIDED)
        mem.move(log=url)
    monkeypatch.setenv("GRAPHMEM_HOME", str(tmp_path / "elsewhere"))
    assert find_unchosen(store) == ("log.url",)
    with pytest.raises(StoreError, match=r"no `log\.url` set on this machine"), Memory.open(store) as mem:
        contents(mem)
    save_settings(store, {"log.url": url})
    with Memory.open(store) as mem:
        assert contents(mem) == [DECIDED]
        mem.move(log="local")
        assert contents(mem) == [DECIDED] and find_unchosen(store) == ()


@pytest.mark.parametrize(
    ("url", "problem"),
    [("mysql://db/x", "must be a PostgreSQL URL"), ("postgresql://me:secret@db/x", "must not contain a password"),
     ("postgresql://db/x?schema=A b", "is no name of a schema"), ("postgresql://db:x/y", "example")],
)  # fmt: skip
def test_an_unusable_url_is_named(tmp_path: Path, url: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as refused:
        PostgresqlLog(url, tmp_path / "log.db", SystemClock())
    assert "secret" not in str(refused.value)


@pytest.mark.deep
def test_hooks_commands_and_the_owner_work_with_a_server(postgresql: PostgresqlServer, repository: Repository) -> None:
    """The whole day of a user: init, hooks, a killed server, search, rebuild, forget."""
    repository.write("crane.py", "def lift():\n    return 1\n")
    repository.commit("Add the crane")
    program = Path(sys.executable).with_name("graphmem")

    def run(*words: str, given: str = "") -> str:
        done = subprocess.run(
            [program, *words], cwd=repository.path, input=given, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def prompt(text: str) -> None:
        told = {"session_id": "s1", "cwd": str(repository.path), "hook_event_name": "UserPromptSubmit", "prompt": text}
        run("hook", "UserPromptSubmit", given=json.dumps(told))

    run("config", "log.url", postgresql.url())
    run("config", "embedding.provider", "none")
    run("init")
    prompt(DECIDED)
    run("process")
    assert "Oslo" in run("search", "is the harbour of Oslo deep") and "lift" in run("search", "lift")
    store = Path(json.loads(run("stats", "--json"))["data"]["path"])
    try:
        postgresql.kill()
        try:
            prompt("The crane must be painted yellow before winter")  # the agent gets an answer, and the spool its text
        finally:
            postgresql.start()
        deadline = time.monotonic() + 60
        while "yellow" not in run("search", "painted") and time.monotonic() < deadline:
            time.sleep(0.5)
        assert "yellow" in run("search", "painted")
        run("rebuild")
        assert "Oslo" in run("search", "is the harbour of Oslo deep")
        run("forget", "--session", "s1", "--confirm")
        assert "Oslo" not in run("search", "is the harbour of Oslo deep")
        assert "healthy" in run("doctor") and "PostgreSQL server" in run("stats")
    finally:
        kill_owner(store)


@pytest.mark.deep
def test_commands_end_and_hooks_are_silent_while_the_server_is_stopped(
    postgresql: PostgresqlServer, repository: Repository
) -> None:
    program = Path(sys.executable).with_name("graphmem")

    def run(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *words], cwd=repository.path, input=given, capture_output=True, text=True, timeout=60
        )

    def prompt(text: str) -> subprocess.CompletedProcess[str]:
        told = {"session_id": "s1", "cwd": str(repository.path), "hook_event_name": "UserPromptSubmit", "prompt": text}
        return run("hook", "UserPromptSubmit", given=json.dumps(told))

    run("config", "log.url", postgresql.url()), run("config", "embedding.provider", "none")
    prompt(DECIDED)
    assert run("process").returncode == 0
    store = Path(json.loads(run("stats", "--json").stdout)["data"]["path"])
    try:
        for has_owner in (True, False):
            if not has_owner:
                end_owner(store)
            postgresql.suspend()
            try:
                begun = time.monotonic()
                answered = prompt("The crane must be painted yellow before winter")
                assert (answered.returncode, answered.stdout.strip(), answered.stderr) == (0, "{}", "")
                assert time.monotonic() - begun < 60
                for words in (("search", "crane"), ("remember", "Oslo has a crane"), ("process",), ("stats",)):
                    begun = time.monotonic()
                    told = run(*words)
                    assert told.returncode == 1 and told.stderr.count("\n") == 1, (words, told)
                    assert "does not answer" in told.stderr and time.monotonic() - begun < 60
                assert run("status").returncode == 0
            finally:
                postgresql.resume()
            deadline = time.monotonic() + 60
            while "yellow" not in run("search", "painted").stdout and time.monotonic() < deadline:
                time.sleep(0.5)
            assert "yellow" in run("search", "painted").stdout
    finally:
        kill_owner(store)


WRITER = """
import sys, time
from pathlib import Path
from graphmem.backends.log.postgresql import PostgresqlLog
from graphmem.errors import StoreError
from graphmem.model.events import Draft
from graphmem.ports.clock import SystemClock
url, folder, name = sys.argv[1:]
log, number = None, 0
while True:
    key = f"{name} {number}"
    try:
        log = log or PostgresqlLog(url, Path(folder) / f"{name}.db", SystemClock())
        log.append([Draft("user_prompt", {"content": key}, 1, dedupe_key=key), Draft("user_prompt", {"content": f"{key}b"}, 1, dedupe_key=f"{key}b")])
    except StoreError:
        time.sleep(0.05)
        continue
    print(key, flush=True)
    number += 1
"""


@pytest.mark.deep
def test_a_killed_server_loses_nothing_and_repeats_nothing(tmp_path: Path, postgresql: PostgresqlServer) -> None:
    url, acknowledged = postgresql.url(), list[str]()
    reader = PostgresqlLog(url, tmp_path / "reader.db", SystemClock())
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, url, tmp_path, f"w{number}"], stdout=subprocess.PIPE, text=True)
        for number in range(4)
    ]

    def follow(writer: subprocess.Popen[str]) -> None:
        acknowledged.extend(line.strip() for line in writer.stdout or ())

    threads = [threading.Thread(target=follow, args=[writer]) for writer in writers]
    for thread in threads:
        thread.start()
    for _ in range(8):
        before, deadline = len(acknowledged), time.monotonic() + 60
        while len(acknowledged) < before + 40 and time.monotonic() < deadline:
            time.sleep(0.02)
        postgresql.kill()
        postgresql.start()
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    for thread in threads:
        thread.join()
    stored = [event.payload["content"] for event in reader.read()]
    assert len(stored) == len(set(stored)) and len(acknowledged) >= 320
    assert set(acknowledged) <= set(stored) and {f"{key}b" for key in acknowledged} <= set(stored)
    assert [event.position for event in reader.read()] == list(range(1, len(stored) + 1)) and reader.verify() == []
    reader.close()


@pytest.mark.deep
def test_a_killed_server_in_the_middle_of_projection(tmp_path: Path, postgresql: PostgresqlServer) -> None:
    settings = quiet(postgresql.url())
    with Memory.open(tmp_path / "store", project="demo", settings=settings) as mem:
        for number in range(30):
            mem.observe(f"We decided to paint crane {number} yellow because of rule {number}", session="s1")
        for delay in (0.05, 0.2, 0.6):
            timer = threading.Timer(delay, postgresql.kill)
            timer.start()
            try:
                mem.process()
            except StoreError as error:
                assert "PostgreSQL server" in str(error)
            timer.join()
            postgresql.start()
        mem.process()
        state = mem.cypher("MATCH (n) WHERE label(n) <> 'Cursor' RETURN label(n), count(*) ORDER BY label(n)").rows
        mem.rebuild()
        assert (
            mem.cypher("MATCH (n) WHERE label(n) <> 'Cursor' RETURN label(n), count(*) ORDER BY label(n)").rows == state
        )
        assert mem.health()["sound"], mem.health()["problems"]
