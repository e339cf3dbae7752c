"""Several projectors divide the logs of a PostgreSQL database; a machine without projections starts with a snapshot."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from postgresql_server import PostgresqlServer
from support import end_owner, wait_until

from graphmem import Memory
from graphmem.backends.log.leases import LogLeases
from graphmem.backends.log.postgresql import PostgresqlLog
from graphmem.backends.log.server_url import parse_log_url, with_schema
from graphmem.errors import LogUnreachable, NotFound, StoreDamaged, UsageError
from graphmem.model.events import Draft
from graphmem.owner.projector import Projector
from graphmem.ports.clock import SystemClock
from graphmem.store import shared_logs

DECIDED = "We decided to keep crane {} in Oslo because harbour {} is deep"


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRAPHMEM_EMBEDDING__PROVIDER", "none")
    monkeypatch.setenv("GRAPHMEM_GRAPH__ENGINE", "sqlite")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


@pytest.fixture
def url(postgresql: PostgresqlServer, tmp_path: Path) -> str:
    """A database without the logs of other tests."""
    import psycopg

    name = f"d{abs(hash(tmp_path))}"
    with psycopg.connect(parse_log_url(postgresql.url()).conninfo, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}".encode())
    return postgresql.url().replace("/postgres?", f"/{name}?")


def fill(url: str, folder: Path, names: list[str], events: int) -> None:
    for name in names:
        log = PostgresqlLog(with_schema(url, name), folder / f"{name}.db", SystemClock())
        log.state.setting("project", "demo")
        log.append(
            [
                Draft("user_prompt", {"content": DECIDED.format(f"{name}{n}", n)}, 1, session="s1", dedupe_key=str(n))
                for n in range(events)
            ]
        )
        log.close()


def made_of(url: str, folder: Path) -> list[tuple[str, str, str]]:
    log = PostgresqlLog(url, folder / f"made-{parse_log_url(url).schema}.db", SystemClock())
    made = [(one.step, one.source, one.input_hash) for one in log.derivations()]
    assert log.verify() == []
    log.close()
    return made


def test_logs_are_divided_evenly_and_those_of_a_lost_projector_are_taken_over(
    url: str, postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    names = ["a", "b", "c", "d"]
    fill(url, tmp_path, names, 1)
    first, second = LogLeases(url), LogLeases(url)
    assert sorted(first.renew()) == names and second.renew() == {}
    assert len(first.renew()) == 2 and first.head("a") == 1
    held = {**first.renew(), **second.renew()}
    assert sorted(held) == names and held["b"] == with_schema(url, "b")
    postgresql.kill()
    with pytest.raises(LogUnreachable):
        first.renew()
    postgresql.start()
    with pytest.raises(LogUnreachable):  # the first use notices, and forgets what was held
        second.renew()
    assert sorted(second.renew()) == names
    second.close(), first.close()


def test_two_projectors_race_and_each_event_is_applied_once(url: str, tmp_path: Path) -> None:
    names = ["a", "b"]
    fill(url, tmp_path, names, 12)
    said: list[str] = []
    stopping = threading.Event()
    projectors = [Projector(url, tmp_path / f"p{n}", said.append) for n in range(2)]
    racing = [threading.Thread(target=one.run, args=[stopping], kwargs={"once": True}) for one in projectors]
    for thread in racing:
        thread.start()
    for thread in racing:
        thread.join()
    for name in names:
        made = made_of(with_schema(url, name), tmp_path)
        assert len(made) == len(set(made)) > 0
        stores = [store for n in range(2) if (store := tmp_path / f"p{n}" / name).is_dir()]
        assert stores
        for store in stores:
            with Memory.open(store, settings={"log.url": with_schema(url, name)}) as memory:
                memory.process()
                turns = memory.cypher("MATCH (t:Turn) RETURN count(*), count(DISTINCT t.id)").rows
                assert turns == [[12, 12]] and memory.health()["sound"], memory.health()["problems"]
        assert len(made_of(with_schema(url, name), tmp_path)) == len(made)
    assert any("12 events projected" in one for one in said)


def test_a_projector_that_is_killed_leaves_its_work_to_another(url: str, tmp_path: Path) -> None:
    fill(url, tmp_path, ["a"], 40)
    words = [sys.executable, "-m", "graphmem.interfaces.entry", "projector", url, "--folder"]
    with subprocess.Popen([*words, tmp_path / "p0"], stdout=subprocess.PIPE) as killed:
        wait_until(lambda: (tmp_path / "p0" / "a" / "log.db").exists())
        killed.send_signal(signal.SIGKILL)
    done = subprocess.run([*words, tmp_path / "p1", "--once"], capture_output=True, text=True)
    assert done.returncode == 0 and "a: 40 events projected" in done.stdout, done.stdout + done.stderr
    made = made_of(with_schema(url, "a"), tmp_path)
    assert len(made) == len(set(made)) > 0


def test_a_new_machine_starts_with_a_snapshot_of_the_same_key(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = with_schema(url, "a")
    fill(url, tmp_path, ["a"], 20)
    monkeypatch.setenv("GRAPHMEM_SNAPSHOT_KEY", "short")
    with pytest.raises(UsageError, match="at least 16 characters"):
        shared_logs.join_log(tmp_path / "none", url)
    monkeypatch.delenv("GRAPHMEM_SNAPSHOT_KEY")
    with pytest.raises(UsageError, match="must not contain a password"):
        shared_logs.join_log(tmp_path / "other", url + "&password=x")
    for _ in range(2):  # the first refusal made no log that the second one finds
        with pytest.raises(
            NotFound, match=r"there is no log .* schema crame\): correct `schema=` \(there are logs in a\)"
        ):
            shared_logs.join_log(tmp_path / "none", with_schema(url, "crame"))
    assert not (tmp_path / "none").exists() and not (tmp_path / "other").exists()
    monkeypatch.setenv("GRAPHMEM_SNAPSHOT_KEY", "a key of the operators")
    said: list[str] = []
    Projector(url, tmp_path / "p", said.append).run(threading.Event(), once=True)
    assert "snapshot of" in said[0]
    fill(url, tmp_path, ["a"], 23)  # the first 20 are there already
    told = {**os.environ, "GRAPHMEM_STORE": str(tmp_path / "new")}
    command = lambda *words: subprocess.run(
        [sys.executable, "-m", "graphmem.interfaces.entry", *words],
        env=told,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    try:
        assert "starts with a snapshot of 20 events" in command("join", url).stdout
        assert "a log already" in command("join", url).stderr
        assert "events projected" in command("process").stdout
        assert "harbour 22 is deep" in command("search", "crane a22 harbour").stdout
        assert "healthy" in command("doctor").stdout
        hit = command("search", "crane a7 in Oslo", "--json").stdout
        assert "harbour 7 is deep" in hit
    finally:
        end_owner(tmp_path / "new")
    with Memory.open(tmp_path / "new", settings={"log.url": url}) as memory:
        memory.forget(memory.search("crane a7 in Oslo").hits[0].id, purge=True)
    assert shared_logs.fetch_projections(tmp_path / "purged", url) is None, "a snapshot contains what was purged"
    Projector(url, tmp_path / "p", said.append).run(threading.Event(), once=True)
    monkeypatch.setenv("GRAPHMEM_SNAPSHOT_KEY", "a key of somebody else")
    with pytest.raises(StoreDamaged, match="was not made with the key"):
        shared_logs.fetch_projections(tmp_path / "other", url)
    monkeypatch.delenv("GRAPHMEM_SNAPSHOT_KEY")
    assert shared_logs.fetch_projections(tmp_path / "without", url) is None
