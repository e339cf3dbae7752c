"""The checksum chain of the log: each kind of change to a stored event is found and named, and what was erased or redacted on
purpose is not taken for damage. `python tests/mutation.py backends/log/chain.py` says how complete this is."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.backends.log import chain
from graphmem.backends.log.sqlite import SqliteLog
from graphmem.model.events import Derivation, Draft

pytestmark = pytest.mark.core

ENVELOPE = ("id", "origin", 1, 1.0, "note", 1, "at", "session", "project", "actor", b"digest")
LINK = b"before"
CHECKSUM = chain.chain_checksum(LINK, ENVELOPE)
TRIGGERS = "SELECT name FROM sqlite_master WHERE type = 'trigger'"


@pytest.fixture
def path(tmp_path: Path, clock) -> Path:
    """The log of four events, two of them derived from, closed."""
    log = SqliteLog(tmp_path / "log.db", clock)
    events = log.append([Draft("note", {"content": f"{n} ü 한"}, 1, f"s{n}", "p", "user", None) for n in range(4)])
    log.store_derivations([Derivation("facts/1", events[0].id, "hash", {"facts": ["one"]})])
    log.store_derivations([Derivation("names/1", events[1].id, "hash", {"names": ["two"]})])
    log.close()
    return tmp_path / "log.db"


@pytest.fixture
def db(path: Path) -> Iterator[sqlite3.Connection]:
    """The file of the log, without the triggers that refuse changes."""
    db = sqlite3.connect(path, isolation_level=None)
    for (name,) in db.execute(TRIGGERS).fetchall():
        db.execute(f"DROP TRIGGER {name}")
    yield db
    db.close()


def ids(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT id FROM events ORDER BY position")]


def test_equal_values_have_equal_texts_whatever_the_order_of_their_keys() -> None:
    assert chain.canonical_json({"b": [1, None], "a": "ü"}) == '{"a":"ü","b":[1,null]}'
    assert chain.parse_canonical('{"a":"ü"}') == {"a": "ü"}
    with pytest.raises(ValueError, match="Expecting"):
        chain.parse_canonical("{")


def test_a_checksum_covers_its_predecessor_each_field_and_the_digest() -> None:
    fields = chain.canonical_json(ENVELOPE[:-1]).encode()
    assert hashlib.sha256(LINK + fields + b"digest").digest() == CHECKSUM
    assert chain.chain_checksum(LINK, ("\ud800", b"digest"))  # a lone surrogate is written as it is
    for n in range(len(ENVELOPE)):
        changed = (*ENVELOPE[:n], b"other" if n == 10 else 7, *ENVELOPE[n + 1 :])
        assert not chain.continues_chain(LINK, changed, CHECKSUM), n
    assert not chain.continues_chain(b"other", ENVELOPE, CHECKSUM)
    assert chain.continues_chain(LINK, ENVELOPE, CHECKSUM)


@pytest.mark.parametrize("place", range(11))
@pytest.mark.parametrize("marker", ["sk-[REDACTED:key]", "[PRIVATE] x"])
def test_only_a_redacted_name_excuses_a_checksum(place: int, marker: str) -> None:
    """Session, project and actor are the names; a marker in any other field excuses nothing."""
    changed = (*ENVELOPE[:place], marker.encode() if place == 10 else marker, *ENVELOPE[place + 1 :])
    assert chain.continues_chain(LINK, changed, CHECKSUM) is (place in (7, 8, 9))
    nameless = (*ENVELOPE[:7], None, None, None, b"digest")
    assert not chain.continues_chain(LINK, nameless, CHECKSUM)  # a name may be absent


def test_only_an_event_without_names_and_payload_is_blank() -> None:
    blank = (*ENVELOPE[:7], "", "", chain.BLANK)
    assert chain.is_blank(blank, payload=False) and not chain.is_blank(blank, payload=True)
    for place in (7, 8, 9):
        assert not chain.is_blank((*blank[:place], "x", *blank[place + 1 :]), payload=False)
    assert chain.continues_chain(LINK, (*blank, b"digest"), b"any checksum")
    assert not chain.continues_chain(LINK, (*blank, b"digest"), b"any checksum", payload=True)


def test_a_payload_is_the_one_appended_or_what_redaction_left_of_it() -> None:
    body = '{"content":"ü \ud800"}'
    digest = hashlib.sha256(b"salt" + body.encode("utf-8", "surrogatepass")).digest()
    assert chain.is_payload(b"salt", body, digest)
    assert not chain.is_payload(b"salt", body + " ", digest) and not chain.is_payload(b"other", body, digest)
    salt = chain.redacted_salt(body)
    assert salt == chain.REDACTED + hashlib.sha256(body.encode("utf-8", "surrogatepass")).digest()
    assert chain.is_payload(salt, body, b"digest of the original")
    assert not chain.is_payload(salt, body + " ", b"digest of the original")


def test_an_untouched_log_has_no_problem(path: Path, db: sqlite3.Connection) -> None:
    assert chain.verify_log(db) == [] and chain.file_problems(path, "log") == []
    assert (
        list(chain.changed_envelopes(db, [1, 2, 3, 4]))
        == list(chain.torn_tables(db))
        == list(chain.torn_indexes(db))
        == []
    )
    assert list(chain.changed_derivations(db)) == []


@pytest.mark.parametrize("position", [1, 2, 4])
def test_a_changed_envelope_is_named(db: sqlite3.Connection, position: int) -> None:
    changed = ids(db)[position - 1]
    db.execute("UPDATE events SET session = 'another' WHERE position = ?", (position,))
    assert list(chain.broken_chains(db)) == [f"the envelope of event {changed} was changed"]
    assert list(chain.changed_envelopes(db, range(1, 5))) == [changed]
    assert list(chain.changed_envelopes(db, [3])) == []  # its own envelope is as it was
    assert chain.verify_log(db) == [f"log: the envelope of event {changed} was changed"]


def test_one_missing_event_is_enough(db: sqlite3.Connection) -> None:
    third = ids(db)[2]
    db.execute("DELETE FROM events WHERE position = 2")
    assert list(chain.broken_chains(db)) == [f"1 event is missing before {third}"]


def test_missing_events_are_counted_and_what_follows_is_not_blamed(db: sqlite3.Connection) -> None:
    last = ids(db)[-1]
    db.execute("DELETE FROM events WHERE position IN (2, 3)")
    assert list(chain.broken_chains(db)) == [f"2 events are missing before {last}"]
    assert list(chain.changed_envelopes(db, [1, 4])) == []  # its predecessor is not there to compare with
    first = ids(db)[0]
    db.execute("DELETE FROM events WHERE position = 1")
    assert list(chain.broken_chains(db)) == [f"3 events are missing before {last}"] and first != last


def test_an_event_in_the_place_of_another_is_named(db: sqlite3.Connection) -> None:
    """A copy of an earlier event has a sequence that was there already."""
    columns = "id, origin, sequence, clock, type, version, at, session, project, actor, digest, checksum"
    db.execute(f"CREATE TEMP TABLE doubled AS SELECT position, {columns} FROM events")
    db.execute(f"INSERT INTO doubled SELECT 9, 'copy', {columns.removeprefix('id, ')} FROM events WHERE position = 4")
    assert list(chain.broken_chains(db, "doubled")) == ["the envelope of event copy was changed"]
    *envelope, last = db.execute(f"SELECT {columns} FROM doubled WHERE position = 4").fetchone()
    forged = chain.chain_checksum(last, ("copy", *envelope[1:]))
    db.execute("UPDATE doubled SET checksum = ? WHERE id = 'copy'", (forged,))  # as if it continued the chain
    assert list(chain.broken_chains(db, "doubled")) == ["the envelope of event copy was changed"]


def test_many_positions_are_compared_in_parts(db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "_TOGETHER", 2)
    names = ids(db)
    db.execute("UPDATE events SET actor = 'another' WHERE position IN (2, 3, 4)")
    assert list(chain.changed_envelopes(db, [1, 2, 3, 4])) == names[1:]


def test_a_changed_or_lost_payload_is_named_and_a_forgotten_one_is_not_missed(db: sqlite3.Connection) -> None:
    names = ids(db)
    db.execute("UPDATE payloads SET body = '{}' WHERE position = 2")
    db.execute("DELETE FROM payloads WHERE position IN (3, 4)")
    columns = [row[1] for row in db.execute("PRAGMA table_info(forgotten)")]
    values = [4 if column == "position" else "" for column in columns]
    db.execute(f"INSERT INTO forgotten ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", values)
    assert set(chain.broken_payloads(db)) == {
        f"the payload of event {names[1]} was changed",
        f"the payload of event {names[2]} is missing",
    }
    assert {problem.partition(": ")[0] for problem in chain.verify_log(db)} == {"log"}


def test_a_changed_derivation_is_named_by_its_step(db: sqlite3.Connection) -> None:
    sources = ids(db)
    step, source, given, body, checksum = db.execute(
        "SELECT step, source, input_hash, body, checksum FROM derivations ORDER BY number"
    ).fetchone()
    body = body if isinstance(body, str) else body.decode()
    told = "\0".join((step, source, given, body)).encode("utf-8", "surrogatepass")
    assert chain.derivation_checksum(step, source, given, body) == zlib.crc32(told) == checksum
    assert chain.derivation_checksum(step, source, given, "\ud800") != checksum
    db.execute("UPDATE derivations SET input_hash = 'other'")
    assert [(found[1], found[2]) for found in chain.changed_derivations(db)] == [
        ("facts/1", sources[0]),
        ("names/1", sources[1]),
    ]
    assert [found[1] for found in chain.changed_derivations(db, "names/1")] == ["names/1"]
    assert chain.verify_log(db)[0] == f"derivations: what facts/1 made of event {sources[0]} was changed"
    db.execute("UPDATE derivations SET checksum = NULL")  # written before there were checksums
    assert list(chain.changed_derivations(db)) == []


def test_an_index_that_lost_an_entry_can_be_told_from_a_damaged_table(path: Path, db: sqlite3.Connection) -> None:
    """The index of the log's file is rebuilt; a torn page of a table is not."""
    db.execute("PRAGMA writable_schema = ON")
    name, whole = db.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'events' AND sql IS NOT NULL"
    ).fetchone()
    db.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (f"{whole} WHERE 0", name))
    db.close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute(
        "UPDATE events SET clock = clock + 1, type = 'x', session = 'y', project = 'z', at = 'w' WHERE position = 1"
    )
    other.execute("PRAGMA writable_schema = ON")
    other.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (whole, name))
    other.close()
    again = sqlite3.connect(path, isolation_level=None)
    try:
        assert any(one.startswith(f"{chain.TORN}: ") and name in one for one in chain.verify_log(again))
        assert any(name in one for one in chain.torn_indexes(again))
    finally:
        again.close()


def test_a_file_that_is_damaged_or_none_at_all_is_a_sentence(path: Path, tmp_path: Path) -> None:
    assert chain.file_problems(tmp_path / "none.db", "index") == []
    (tmp_path / "text.db").write_bytes(b"not a database at all" * 100)
    (found,) = chain.file_problems(tmp_path / "text.db", "index")
    assert found.startswith("index: ") and "\n" not in found
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096 * (size // 4096 // 2))
        file.write(b"\xff" * 4096 * 3)
    found = chain.file_problems(path, "log")
    assert found and all(one.startswith("log: ") for one in found)
    db = sqlite3.connect(path)
    try:
        assert list(chain.torn_tables(db))
    except sqlite3.DatabaseError as error:
        assert "malformed" in str(error)
    finally:
        db.close()


def test_a_problem_of_many_pages_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, said TEXT)")
        db.executemany("INSERT INTO rows VALUES (?, ?)", ((n, "word " * 100) for n in range(500)))
    data = bytearray(path.read_bytes())
    data[40_000:80_000] = b"\xa5" * 40_000
    path.write_bytes(data)
    problems = chain.file_problems(path, "some")
    assert problems and all(one.startswith("some: ") and "\n" not in one and "***" not in one for one in problems)
