"""An owner process has texts read by a worker: the same is derived, and nothing is lost when the worker dies."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import wait_until

from graphmem import settings
from graphmem.backends.log import sqlite as log_file
from graphmem.backends.log.shrink import shrink_database
from graphmem.cognify.steps import STEPS
from graphmem.errors import QueryStopped
from graphmem.memory import Memory
from graphmem.operations.pipeline import Process, ReleaseMemory
from graphmem.services.recording import record_turns
from graphmem.store import Store
from graphmem.store.deriving import DerivationWorker
from graphmem.sync.derivations import COGNIFIED, derivations_followed

TURNS = [
    "We decided to use SQLite for the queue because Redis lost messages.",
    "앞으로 배포는 금요일에 하지 않기로 했어.",
    "The parser in src/parse.py fails on empty files; TODO: add a test for it.",
]

MOMENT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def _record(store: Store) -> None:
    record_turns(
        store, ({"content": text, "session": "s", "ref": str(n), "at": MOMENT} for n, text in enumerate(TURNS))
    )


@pytest.fixture
def owned(tmp_path: Path) -> Iterator[Store]:
    path = tmp_path / "store"
    store = Store(path, settings.load_settings(path), "bench")
    assert store.own() and store.renewal.deriver is not None
    _record(store)
    yield store
    store.close()


def _derived(store: Store) -> list[tuple[str, str, str]]:
    """Return what was derived from the turns, without the ids of events."""
    sources = {event.id: str(event.payload["content"]) for event in store.log.read(types=["user_prompt"])}
    return sorted(
        (each.step, sources[each.source], json.dumps([each.body.get("facts"), each.body.get("mentions")]))
        for each in store.log.derivations()
        if each.source in sources
    )


def test_a_worker_derives_what_a_program_derives_itself(owned: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other", settings.load_settings(tmp_path / "other"), "bench")
    with Memory(other) as memory:
        _record(other)
        assert other.renewal.deriver is None
        own = memory.process().derived
        assert owned.run(Process()).derived == own > 0
        assert _derived(owned) == _derived(other) != []


def test_the_worker_reads_alone_and_ends_when_the_owner_rests(owned: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the owner itself loaded the model")

    monkeypatch.setattr("graphmem.text.pipeline.fresh_pipeline", refuse)
    assert owned.run(Process()).derived > 0
    assert owned.renewal.deriver is not None
    process = owned.renewal.deriver._process
    assert process is not None and process.poll() is None
    record_turns(owned, [{"content": "We chose Postgres for the archive."}])
    assert owned.run(Process()).derived > 0
    assert owned.renewal.deriver._process is process  # with its model
    owned.run(ReleaseMemory())
    assert process.poll() is not None


def test_a_worker_derives_while_events_are_recorded(owned: Store) -> None:
    worker = owned.renewal.deriver
    assert worker is not None
    with derivations_followed(owned):
        assert worker.is_following
        record_turns(owned, [{"content": "We chose Postgres for the archive."}])
        wait_until(lambda: owned.log.state.watermark(COGNIFIED) >= owned.log.head())
    found = _derived(owned)
    assert owned.run(Process()).derived == len(STEPS) * (len(TURNS) + 1)  # they are counted, too
    assert not worker.is_following and set(found) <= set(_derived(owned))


def test_a_worker_that_follows_does_not_outlive_a_failure(owned: Store) -> None:
    worker = owned.renewal.deriver
    assert isinstance(worker, DerivationWorker)
    with pytest.raises(KeyError), derivations_followed(owned):
        process = worker._process
        raise KeyError
    assert process is not None and process.poll() is not None and not worker.is_following
    assert owned.run(Process()).derived > 0


def test_a_worker_that_dies_loses_only_time(owned: Store) -> None:
    assert owned.renewal.deriver is not None
    owned.renewal.deriver.start(["facts"])
    assert owned.renewal.deriver._process is not None
    os.kill(owned.renewal.deriver._process.pid, signal.SIGKILL)
    assert owned.renewal.deriver.finish() == 0
    report = owned.run(Process())
    assert report.derived > 0 and _derived(owned)


def test_an_error_of_the_worker_reaches_the_owner(tmp_path: Path) -> None:
    worker = DerivationWorker(tmp_path, lambda: "bench")
    program = (
        "import sys; from graphmem.store.deriving import *; from graphmem.store.remote_index import Failed;"
        " assert read_job(sys.stdin.buffer) == DerivationJob('bench', ('a', 'b'));"
        " write_answer(sys.stdout.buffer, Failed('QueryStopped', 'no', {'path': 'x'})); sys.stdin.read()"
    )
    worker._process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    worker.start(["b", "a"])
    with pytest.raises(QueryStopped, match="no"):
        worker.finish()
    assert worker.finish() == 0  # there is no job left
    worker.close()


def test_a_log_at_rest_has_no_write_ahead_log(owned: Store) -> None:
    owned.log.state.save_watermark("x", 1)
    wal = owned.path / "log.db-wal"
    assert wal.stat().st_size > 0
    owned.run(Process())
    owned.run(ReleaseMemory())
    assert wal.stat().st_size == 0
    (timeout,) = owned.log._db.execute("PRAGMA busy_timeout").fetchone()
    assert timeout == 30_000
    owned.log.state.save_watermark("x", 2)  # and it can be written to
    assert owned.log.state.watermark("x") == 2


def test_a_log_in_use_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    schema = Path(log_file.__file__).with_name("schema.sql")
    one, other = (log_file.connect_file(path, schema, sqlite3.Connection) for _ in range(2))
    other.execute("BEGIN")
    other.execute("SELECT * FROM events").fetchall()
    shrink_database(one)  # does not wait 30 s
    other.execute("COMMIT")
    shrink_database(one)
    assert path.with_name("a.db-wal").stat().st_size == 0
    one.close()
    other.close()
