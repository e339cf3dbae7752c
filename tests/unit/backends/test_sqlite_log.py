"""The SQLite log: order, duplicates, tombstones, chains, and what its triggers refuse."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from graphmem.backends.log.sqlite import SqliteLog
from graphmem.errors import StoreDamaged
from graphmem.model.events import Derivation, Draft

pytestmark = pytest.mark.core


@pytest.fixture
def log(tmp_path: Path, clock):
    log = SqliteLog(tmp_path / "log.db", clock)
    yield log
    log.close()


def said(text: str, key: str | None = None) -> Draft:
    return Draft("user_prompt", {"content": text}, 1, "s", "p", "user", key)


def test_events_come_back_in_order_with_their_payloads(log: SqliteLog) -> None:
    log.append([said("one"), said("zwei ü 🦀 한국어")])
    log.append([said("three")])
    events = list(log.read())
    assert [e.payload["content"] for e in events] == ["one", "zwei ü 🦀 한국어", "three"]
    assert [e.position for e in events] == [1, 2, 3] and log.head() == 3
    assert [e.payload["content"] for e in log.read(after=1, upto=2)] == ["zwei ü 🦀 한국어"]
    assert events[0].clock < events[1].clock < events[2].clock  # though the wall clock stood still


def test_a_key_names_one_act_and_repeats_without_a_key_are_kept(log: SqliteLog) -> None:
    first, again = log.append([said("continue", "k"), said("continue", "k")])
    assert (first.outcome, again.outcome) == ("new", "duplicate") and first.id == again.id
    assert {o.outcome for o in log.append([said("continue"), said("continue")])} == {"new"}


def test_forgotten_events_are_gone_at_once_and_stay_gone(log: SqliteLog, tmp_path: Path) -> None:
    canary = "CANARY-" + "x" * 20
    (kept,), (gone,) = log.append([said("kept")]), log.append([said(canary, "k")])
    log.store_derivations([Derivation("facts/1", gone.id, "h", {"fact": canary})])
    stone = Draft("memory_forgotten", {"events": [gone.id]}, 2)
    assert log.forget([gone.id, "unknown"], stone) == [gone.id]
    assert [e.id for e in log.read(types=["user_prompt"])] == [kept.id]
    assert gone.id not in log.get([gone.id]) and list(log.derivations()) == []
    assert log.append([said(canary, "k")])[0].outcome == "forgotten"
    assert log.purge().payloads == 1
    assert not any(canary.encode() in file.read_bytes() for file in tmp_path.iterdir())
    assert log.verify() == []


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM events", "UPDATE events SET type = 'x'", "DELETE FROM payloads", "UPDATE payloads SET body = '{}'",
     "DELETE FROM forgotten", "INSERT OR REPLACE INTO payloads VALUES (1, x'00', '{}')", "UPDATE derivations SET body = ''"],
)  # fmt: skip
def test_the_file_refuses_to_be_rewritten(log: SqliteLog, statement: str) -> None:
    log.append([said("one"), said("two")])
    log.store_derivations([Derivation("facts/1", "e", "h", {})])
    log.forget([event.id for event in log.read(after=1)], Draft("memory_forgotten", {}, 1))
    with pytest.raises(sqlite3.IntegrityError):
        log._db.execute(statement)


def test_verify_names_a_changed_byte(log: SqliteLog) -> None:
    log.append([said("the port is 8080"), said("b")])
    log._db.execute("DROP TRIGGER payloads_stay")
    log._db.execute("UPDATE payloads SET body = replace(body, '8080', '8081')")
    (problem,) = log.verify()
    assert "payload" in problem and "was changed" in problem


def test_a_file_that_is_no_database_is_named(tmp_path: Path, clock) -> None:
    (tmp_path / "log.db").write_bytes(b"garbage" * 1000)
    with pytest.raises(StoreDamaged, match="doctor"):
        SqliteLog(tmp_path / "log.db", clock)


def test_derivations_are_kept_once_for_their_input(log: SqliteLog) -> None:
    (event,) = log.append([said("x")])
    one = Derivation("facts/1", event.id, "h", {"n": 1})
    assert log.store_derivations([one, one]) == 1 and log.store_derivations([one]) == 0
    assert log.processed_sources("facts/1", [event.id, "other"]) == {event.id}
    assert [d.body for d in log.derivations()] == [{"n": 1}]


def test_opening_a_file_twice_keeps_the_locks_of_the_first(tmp_path: Path, clock) -> None:
    """Closing a descriptor of a file drops all locks that the process holds on it: another process that closes its
    connection would take the WAL away from under this one."""
    import subprocess
    import sys

    log = SqliteLog(tmp_path / "log.db", clock)
    log.append([said("one")])
    SqliteLog(tmp_path / "log.db", clock).close()
    other = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('SELECT count(*) FROM events').fetchone(); db.close()"
    subprocess.run([sys.executable, "-c", other, str(tmp_path / "log.db")], check=True)
    assert (tmp_path / "log.db-wal").exists()
    log.append([said("two")])
    read = subprocess.run([sys.executable, "-c", other.replace(".fetchone()", "") + "; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM events').fetchone()[0])",
                           str(tmp_path / "log.db")], check=True, capture_output=True, text=True)  # fmt: skip
    assert read.stdout.strip() == "2"
    log.close()
