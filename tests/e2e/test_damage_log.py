"""A damaged log, index or file of facts of code: found, named, and made again from the log or refused; never a silently wrong
answer."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest
from support import with_deep
from test_damage import COUNT, delete, open_store
from test_damage import closed as closed
from test_damage import killed as killed
from test_damage import processed as processed
from test_damage import store as store
from typer.testing import CliRunner

from graphmem import Memory
from graphmem.backends.log.sqlite_errors import as_store_error
from graphmem.backends.text.fts5 import open_index
from graphmem.errors import GraphmemError, NotFound, SourceError, StoreDamaged, StoreError
from graphmem.interfaces.cli.main import build, describe
from graphmem.interfaces.envelope import failure


def test_what_holds_nothing_any_more_is_said_until_it_is_made_again(closed: Path) -> None:
    delete(closed, "index.db*")
    with open_store(closed) as mem:
        report = mem.health()
        assert report["problems"] == ["text: it contains none of 40 events, because its file was missing"]
        assert "graphmem process" in report["advice"][0] and report["repaired"] == []
        mem.process()
        shown = CliRunner().invoke(build(), ["doctor", "--store", str(closed)])
        assert shown.exit_code == 0 and "Repaired: the index was missing: rebuilt from the log" in shown.stdout


def test_a_log_that_is_gone_is_named_by_whoever_asks(closed: Path) -> None:
    delete(closed, "log.db*")
    with open_store(closed) as mem:
        for ask in (
            lambda: mem.search("parser"),
            lambda: mem.details(["0-1"]),
            lambda: mem.tasks.find(),
            lambda: mem.cypher(COUNT),
            lambda: mem.code.callers("parse"),
            lambda: mem.remember("nothing is kept beside what is lost"),
        ):
            with pytest.raises(StoreDamaged, match=r"log.db, the source.*graphmem rebuild"):
                ask()
        report = mem.health()
        assert not report["sound"] and any("log that no longer exists" in line for line in report["problems"])
        mem.rebuild(accept_loss=True)
        mem.observe("the parser begins anew")
        mem.process()
        assert len(mem.search("parser").hits) == 1 and mem.health()["sound"] and mem.cypher(COUNT).rows == [[1]]


def test_facts_of_code_that_are_gone_are_named_and_read_again(closed: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "app.py").write_text("def one():\n    return two()\n\n\ndef two():\n    return 1\n")
    with open_store(closed) as mem:
        mem.index_code(tree)
        before = mem.code.callers("app.two")
    delete(closed, "code.db*")
    with open_store(closed) as mem:
        with pytest.raises(NotFound, match=r"is missing.*graphmem rebuild"):
            mem.code.callers("app.two")
        assert any("the saved code index is missing" in line for line in mem.health()["problems"])
        mem.rebuild()
        after = mem.code.callers("app.two")
        assert mem.health()["sound"] and after.calls == before.calls and after.calls


@pytest.mark.parametrize("name", ["log.db", "index.db", "index.db.sums", "buffer.db", "owner.lock"])
def test_files_of_another_user_are_named_with_the_cure(
    closed: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = os.access
    denied = lambda path, mode: str(path).endswith(name) and (mode & os.W_OK or os.geteuid())
    monkeypatch.setattr(os, "access", lambda path, mode, **more: not denied(path, mode) and access(path, mode, **more))
    (closed / name).chmod(0 if os.geteuid() else 0o400)  # the superuser reads it all the same
    with open_store(closed) as mem:
        report = mem.health()
        assert report["problems"][0].startswith(f"permissions: {name} cannot be ")
        assert len(report["advice"]) == 1 and f"run `chmod -R u+rwX {closed}`" in report["advice"][0]
        assert "rebuild" not in report["advice"][0] and "backup" not in report["advice"][0]


def test_a_file_that_cannot_be_opened_says_why_where_that_is_known(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    assert (
        str(as_store_error(error, "it failed", path=str(store / "log.db"))) == "it failed: unable to open database file"
    )
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: access(path, mode) and not str(path).endswith("log.db"))
    said = str(as_store_error(error, "it failed", path=str(store / "log.db")))
    assert said == f"it failed: log.db cannot be read by this user: run `chmod -R u+rwX {store}`"
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DBMOVED
    assert "log.db was moved, deleted or replaced while it was open" in str(
        as_store_error(error, "it failed", path=str(store / "log.db"))
    )


def test_what_others_can_read_is_hidden_and_not_rebuilt(closed: Path) -> None:
    with open_store(closed) as mem:
        assert mem.head == 40  # the log is open
        (closed / "log.db").chmod(0o644)
        assert mem.health()["sound"]  # nobody else can enter the folder
        closed.chmod(0o711)
        report = mem.health()
        assert report["problems"] == [
            f"permissions: {name} is readable by other users" for name in (closed.name, "log.db")
        ]
        assert report["advice"] == [f"restrict access: `chmod -R go= {closed}`"]


def test_a_log_that_lost_its_end_is_refused_until_it_is_accepted(store: Path) -> None:
    os.truncate(store / "log.db-wal", (store / "log.db-wal").stat().st_size // 2)
    with open_store(store) as mem:
        left = mem.head
        assert left < 40
        with pytest.raises(StoreDamaged, match="lost its end"):
            mem.history()
        for n in range(50):
            mem.observe(f"later {n}")  # its positions were given away before
        with pytest.raises(StoreDamaged, match="lost its end"):
            mem.process()
        report = mem.health()
        assert not report["sound"] and any("rebuild" in line for line in report["advice"])
        mem.rebuild(accept_loss=True)
        assert mem.cypher(COUNT).rows == [[left + 50]] and mem.health()["sound"]


def test_a_deleted_index_is_made_again_before_it_answers(store: Path) -> None:
    with open_store(store) as mem:
        assert len(mem.search("parser", k=5).hits) == 5
        delete(store, "index.db*")
        assert len(mem.search("parser", k=5).hits) == 5  # also where it was open
    delete(store, "index.db*")
    with open_store(store) as mem:
        assert len(mem.search("parser", k=5).hits) == 5


def test_an_index_that_lost_its_last_writes_says_so_until_they_are_made_again(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with Memory.open(tmp_path / "s", project="demo") as mem:
        mem.observe_many([{"content": f"the parser number {n} is pure", "session": "s"} for n in range(15)])
        mem.process()
        assert not mem.search("parser").degraded
    shutil.copytree(tmp_path / "s", kept)
    with Memory.open(tmp_path / "s", project="demo") as mem:
        mem.observe_many([{"content": f"the linter waits for {n}", "session": "t"} for n in range(15)])
        mem.search("linter")
        assert "full text only" in mem.search("linter").degraded["vectors"]
        mem.process()
        assert not mem.search("linter").degraded
        mem.observe("what was said just now waits for the next window")
        assert not mem.search("linter").degraded
        mem.process()
        whole = mem.search("linter").hits
    for file in kept.glob("index.db*"):
        shutil.copy2(file, tmp_path / "s" / file.name)
    with Memory.open(tmp_path / "s", project="demo") as mem:
        lacking = mem.search("linter").degraded
        assert "graphmem process" in lacking["index"] and "graphmem process" in lacking["vectors"]
        assert mem.tree.retrieve("linter").degraded.keys() == {"index", "vectors"}
        assert any("graphmem process" in line for line in mem.health()["advice"])
        mem.process()
        assert not (found := mem.search("linter")).degraded and found.hits == whole
        assert not mem.tree.retrieve("linter").degraded and not mem.health()["advice"]


def test_an_index_of_another_version_is_made_again_before_it_answers(closed: Path) -> None:
    with contextlib.closing(open_index(closed / "index.db")) as db:
        db.execute("UPDATE meta SET value = 'another' WHERE name = 'schema'")
    with open_store(closed) as mem:
        assert len(mem.search("parser", k=5).hits) == 5


@pytest.mark.parametrize("harm", ["garbage", "cut", "header"])
def test_a_damaged_index_is_named_and_can_be_made_again(closed: Path, harm: str) -> None:
    file = closed / "index.db"
    data = file.read_bytes()
    file.write_bytes({"garbage": b"x" * 9000, "cut": data[: len(data) // 3], "header": b"x" * 100 + data[100:]}[harm])
    with open_store(closed) as mem:
        report = mem.health()
        assert not report["sound"] and any("index" in line for line in report["problems"])
        mem.rebuild()
        assert len(mem.search("parser", k=5).hits) == 5 and mem.health()["sound"]


def test_a_missing_vector_file_and_missing_vectors_change_no_answer(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "s", project="demo") as mem:
        mem.observe_many([{"content": f"the parser and {word}"} for word in ("cats", "dogs", "trains")])
        mem.process()
        before = [hit.id for hit in mem.search("animals that bark").hits]
    delete(tmp_path / "s", "vectors-*")
    with Memory.open(tmp_path / "s", project="demo") as mem:
        assert [hit.id for hit in mem.search("animals that bark").hits] == before
        mem.rebuild()
        assert [hit.id for hit in mem.search("animals that bark").hits] == before


@pytest.mark.parametrize(("table", "column", "named"), [("payloads", "body", "payload"), ("events", "session", "envelope"), ("events", "id", "envelope"), ("events", "checksum", "envelope"),
                                                       ("payloads", "salt", "payload")])  # fmt: skip
def test_a_flipped_byte_in_the_log_is_named(closed: Path, table: str, column: str, named: str) -> None:
    with sqlite3.connect(closed / "log.db") as db:
        for trigger in ("payloads_stay", "events_stay"):
            db.execute(f"DROP TRIGGER {trigger}")
        value = db.execute(f"SELECT {column} FROM {table} WHERE position = 7").fetchone()[0]
        text = value.encode() if isinstance(value, str) else value
        flipped = text[:-1] + bytes([text[-1] ^ 1])
        db.execute(
            f"UPDATE {table} SET {column} = ? WHERE position = 7",
            (flipped.decode() if isinstance(value, str) else flipped,),
        )
    db.close()
    with open_store(closed) as mem:
        report = mem.health()
        assert not report["sound"] and any(named in problem for problem in report["problems"])
        assert any("backup" in line for line in report["advice"])
        with pytest.raises(StoreDamaged, match=f"the {named} of event .* was changed"):
            mem.rebuild()
        with pytest.raises(StoreDamaged, match=f"the {named} of event .* was changed"):
            mem.history()
        assert mem.cypher(COUNT).rows == [[40]]  # the old graph still answers
        assert len(mem.search("parser", k=50, kinds=["turn"]).hits) == 40


def test_no_message_quotes_the_noise_in_a_log(closed: Path, tmp_path: Path) -> None:
    with sqlite3.connect(closed / "log.db") as db:
        db.execute("DROP TRIGGER payloads_stay")
        noise = b'{"email": "hushed@example.org\xff' + b"hushed" * 40
        db.execute("UPDATE payloads SET body = CAST(? AS TEXT) WHERE position = 7", (noise,))
    db.close()
    export = str(tmp_path / "export")
    for words in (["doctor"], ["doctor", "--report"], ["history"], ["export", export], ["rebuild"], ["process"]):
        shown = CliRunner().invoke(build(), [*words, "--store", str(closed)])
        assert "hushed" not in shown.output, words
        if words == ["doctor"]:
            assert "log: the file is damaged: Could not decode to UTF-8 column 'body'\n" in shown.output
    with open_store(closed) as mem, pytest.raises(StoreDamaged, match=r"column 'body'\): run `graphmem doctor`$"):
        mem.export(export)
    assert not any(b"hushed" in file.read_bytes() for file in closed.glob("owner.log*"))
    error = sqlite3.OperationalError("Could not decode to UTF-8 column 'body' with text 'hushed")
    assert str(as_store_error(error, "it failed")).endswith("column 'body'): run `graphmem doctor`")
    assert "hushed" not in json.dumps(failure(error)) + describe(error)[0] + str(StoreError(f"it failed: {error}"))


def test_who_records_into_a_log_found_damaged_is_warned(closed: Path) -> None:
    def record() -> str:
        shown = CliRunner().invoke(build(), ["remember", "The nets are green.", "--store", str(closed)])
        assert shown.exit_code == 0 and "Saved as" in shown.stdout
        return shown.stderr

    intact = [(body, position) for position, body in _payloads(closed)]
    with open_store(closed) as mem:
        assert record() == ""
        _write_payloads(closed, [("{}", intact[6][1])])
        assert record() == "" and not mem.health()["sound"]  # nobody knew
        assert "found the log of this store damaged" in record()
        _write_payloads(closed, intact)
        assert mem.health()["sound"] and record() == ""


def _payloads(store: Path) -> list[tuple[int, str]]:
    with contextlib.closing(sqlite3.connect(store / "log.db")) as db:
        return db.execute("SELECT position, body FROM payloads ORDER BY position").fetchall()


def _write_payloads(store: Path, bodies: Iterable[tuple[str, int]]) -> None:
    with contextlib.closing(sqlite3.connect(store / "log.db")) as db, db:
        db.execute("DROP TRIGGER IF EXISTS payloads_stay")
        db.executemany("UPDATE payloads SET body = ? WHERE position = ?", bodies)


def test_details_refuse_a_damaged_log_and_a_search_says_so(closed: Path) -> None:
    with sqlite3.connect(closed / "log.db") as db:
        for (trigger,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {trigger}")
        (lost,) = db.execute("SELECT id FROM events WHERE position = 7").fetchone()
        db.execute("DELETE FROM payloads WHERE position = 7")
    db.close()
    with open_store(closed) as mem:
        found = mem.search("parser", k=50, kinds=["turn"])
        assert len(found.hits) == 40 and "graphmem doctor" in found.degraded["log"]
        with pytest.raises(StoreError, match="graphmem doctor"):
            mem.details([lost])


def test_a_broken_index_inside_the_log_is_one_sentence(store: Path) -> None:
    log = store / "log.db"
    with sqlite3.connect(log) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = [page for (page,) in db.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index'")]
    db.close()
    data = bytearray(log.read_bytes())
    for page in pages:
        data[(page - 1) * 4096 : page * 4096] = b"\xee" * 4096
    log.write_bytes(data)
    with open_store(store) as mem:
        for call in (mem.history, mem.tasks.find):
            with pytest.raises(StoreDamaged, match="graphmem doctor"):
                call()


def test_doctor_works_where_nothing_can_be_opened(store: Path) -> None:
    (store / "log.db").write_bytes(b"garbage" * 1000)
    (store / "log.db-wal").unlink()  # it holds the whole of a small log, and would mend it
    with open_store(store) as mem:
        report = mem.health()
        assert not report["sound"] and "log.db" in report["problems"][0] and "backup" in report["advice"][0]
        with pytest.raises(StoreError):
            mem.observe("one")


@pytest.mark.parametrize("change", ["body = replace(body, 'decided', 'defided')", "source = 'x' || substr(source, 2)"])
def test_a_changed_derivation_is_named_refused_and_made_again(closed: Path, change: str) -> None:
    with open_store(closed) as mem:
        mem.observe("We decided to keep the parser in src/app.py.", session="s")
        mem.process()
        facts = mem.cypher("MATCH (f:Fact) RETURN f.id, f.content ORDER BY f.id").rows
    with sqlite3.connect(closed / "log.db") as db:
        db.execute("DROP TRIGGER derivations_stay")
        db.execute(f"UPDATE derivations SET {change} WHERE step LIKE 'facts/%' AND body <> '{{}}'")
        db.execute(
            "CREATE TRIGGER derivations_stay BEFORE UPDATE ON derivations BEGIN SELECT RAISE(ABORT, 'never'); END"
        )
    db.close()
    with open_store(closed) as mem:
        report = mem.health()
        assert not report["sound"] and any("facts/" in line and "was changed" in line for line in report["problems"])
        assert any("rebuild" in line for line in report["advice"])
        mem.rebuild()
        assert mem.health()["sound"]
        assert mem.cypher("MATCH (f:Fact) RETURN f.id, f.content ORDER BY f.id").rows == facts != []


def test_a_log_of_the_first_version_is_opened(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as mem:
        mem.observe("We decided to keep the parser.", session="s")
        mem.process()
    with sqlite3.connect(tmp_path / "store" / "log.db") as db:
        db.execute("ALTER TABLE derivations DROP COLUMN checksum")
        db.execute("PRAGMA user_version = 1")
    db.close()
    with open_store(tmp_path / "store") as mem:
        mem.observe("We decided to drop the cache.", session="s")
        mem.rebuild()
        assert mem.health()["sound"] and mem.cypher("MATCH (f:Fact) RETURN count(*)").rows == [[2]]


def test_a_log_of_a_later_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with open_store(path) as mem:
        mem.observe("We decided to keep the parser.", session="s")
        mem.process()
    with sqlite3.connect(path / "log.db") as db:
        db.execute("PRAGMA user_version = 9")
    db.close()
    before = (path / "log.db").read_bytes()
    with open_store(path) as mem:
        for call in (
            lambda: mem.observe("We decided to drop the cache.", session="s"),
            mem.process,
            mem.rebuild,
            lambda: mem.search("parser"),
        ):
            with pytest.raises(StoreError, match="later version of graphmem: update graphmem"):
                call()
        report = mem.health()
        assert not report["sound"] and report["advice"] == [
            "update graphmem, or restore the backup that was made before the update"
        ]
    assert (path / "log.db").read_bytes() == before and not (path / "log.db-wal").exists()


def test_an_event_of_a_later_version_is_refused(tmp_path: Path) -> None:
    with open_store(tmp_path / "a") as mem:
        mem.observe("We decided to keep the parser.", session="s")
        mem.export(tmp_path / "old.jsonl")
    with sqlite3.connect(tmp_path / "a" / "log.db") as db:
        db.execute("DROP TRIGGER events_stay")
        db.execute("UPDATE events SET version = 2")
    db.close()
    with open_store(tmp_path / "a") as mem:
        with pytest.raises(StoreError, match="later version of graphmem: update graphmem"):
            mem.process()
        mem.export(tmp_path / "new.jsonl")
    with open_store(tmp_path / "b") as mem:
        with pytest.raises(SourceError, match="later version of graphmem: update graphmem"):
            mem.merge(tmp_path / "new.jsonl")
        assert mem.history() == []


@pytest.mark.parametrize("seed", with_deep([0], range(1, 4)))
def test_a_garbled_index_gives_sentences_and_is_made_again(closed: Path, seed: int) -> None:
    index = closed / "index.db"
    data = bytearray(index.read_bytes())
    chance = random.Random(seed)
    for page in range(1, len(data) // 4096):
        if chance.random() < 0.7:
            data[page * 4096 : page * 4096 + 200] = chance.randbytes(200)
    index.write_bytes(data)
    with open_store(closed) as mem:
        for call in (
            lambda: mem.search("turn keeps the parser"),
            lambda: mem.observe("one more", ref="new"),
            mem.process,
            lambda: mem.timeline(["0-1"]),
            lambda: mem.details(["0-1"]),
            lambda: mem.neighbours("0-1"),
            lambda: mem.forget("2-2"),
            mem.stats,
        ):
            with contextlib.suppress(GraphmemError):
                call()
        mem.rebuild()
        assert mem.health()["sound"] and mem.search("one more").hits


def test_who_is_told_of_a_rebuild_may_search_and_begins_no_second_one(closed: Path) -> None:
    delete(closed, "index.db-*")
    (closed / "index.db").write_bytes(b"x" * 9000)
    with open_store(closed) as mem:
        mem.rebuild(progress=lambda stage, count: mem.search("parser"))
        assert len(mem.search("parser", k=5).hits) == 5 and mem.health()["sound"]


def test_a_broken_page_of_the_index_is_one_sentence_wherever_it_is_read(closed: Path) -> None:
    with open_store(closed) as mem:
        mem.observe_many([{"content": f"line {n} of the parser"} for n in range(600)])
        mem.process()
    index = closed / "index.db"
    data = bytearray(index.read_bytes())
    for page in range(12, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xee" * 200
    index.write_bytes(data)
    with open_store(closed) as mem:
        for call in (lambda: mem.search("parser"), lambda: mem.details(["0-1"]), lambda: mem.neighbours("0-1")):
            with pytest.raises(StoreDamaged, match="graphmem rebuild"):
                call()


@pytest.mark.parametrize("harm", ["header", "pages"])
def test_damaged_facts_of_code_are_named_and_made_again(closed: Path, tmp_path: Path, harm: str) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "app.py").write_text("def one():\n    return two()\n\n\ndef two():\n    return 1\n")
    with open_store(closed) as mem:
        mem.index_code(tree)
        before = mem.code.callers("app.two")
    file = closed / "code.db"
    data = bytearray(file.read_bytes())
    for place in range(0 if harm == "header" else 4096, len(data), 4096):
        data[place : place + 300] = b"\xee" * 300
    file.write_bytes(data)
    with open_store(closed) as mem:
        with pytest.raises(StoreDamaged, match="graphmem rebuild"):
            mem.code.callers("app.two")
        report = mem.health()
        assert not report["sound"] and any(line.startswith("code: ") for line in report["problems"])
        mem.rebuild()
        after = mem.code.callers("app.two")
        assert mem.health()["sound"] and after.calls == before.calls and after.calls
        assert mem.index_code(tree).changed == 0  # what is on disk is what the log has


@pytest.mark.parametrize("name", ["log.db", "index.db"])
def test_the_doctor_ends_with_status_1_where_something_is_wrong(closed: Path, name: str) -> None:
    def doctor(status: int) -> str:
        with open_store(closed) as mem:  # owns the graph, so that no daemon has to start
            mem.health()
            for flag in ((), ("--json",)):
                done = CliRunner().invoke(build(), ["doctor", "--store", str(closed), *flag])
                assert done.exit_code == status, done.output
        return done.stdout

    assert json.loads(doctor(0))["data"]["sound"]
    delete(closed, f"{name}-*")
    (closed / name).write_bytes(b"garbage" * 1000)
    assert not json.loads(doctor(1))["data"]["sound"]
