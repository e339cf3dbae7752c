"""The contract of the event log, on each of its implementations."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import Hands

from graphmem.backends.log.postgresql import PostgresqlLog
from graphmem.backends.log.sql import SqlLog
from graphmem.backends.log.sqlite import SqliteLog
from graphmem.errors import SourceError, StoreDamaged, StoreError
from graphmem.model.events import Derivation, Draft, Purged
from graphmem.ports.clock import SystemClock

pytestmark = pytest.mark.core
Open = Callable[..., SqlLog]


@pytest.fixture(params=["sqlite", "postgresql"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path, clock: Hands) -> Iterator[Open]:
    """Opens the same log again, as another process does; with a name, another log."""
    opened: list[SqlLog] = []
    urls: dict[str, str] = {}

    def open_one(name: str = "", station: str = "") -> SqlLog:
        folder = tmp_path / f"{name}-{station}"
        folder.mkdir(exist_ok=True)
        if request.param == "sqlite":
            opened.append(SqliteLog(tmp_path / f"{name}.db", clock))
        else:
            url = urls.setdefault(name, request.getfixturevalue("postgresql").url())
            opened.append(PostgresqlLog(url, folder / "log.db", clock))
        return opened[-1]

    yield open_one
    for log in opened:
        log.close()


@pytest.fixture
def log(reopen: Open) -> SqlLog:
    return reopen()


def said(text: str, key: str | None = None, session: str = "s") -> Draft:
    return Draft("user_prompt", {"content": text}, 1, session, "p", "user", key)


def same(kind: str, text: str) -> str:
    """A redaction that finds nothing."""
    return text


def tamper(log: Any, statement: str) -> None:
    """Change a row in spite of the triggers."""
    if isinstance(log, PostgresqlLog):
        log._db.execute("SET session_replication_role = replica")
        log._db.execute(statement)
        log._db.execute("SET session_replication_role = origin")
    else:
        for (name,) in log._db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            log._db.execute(f"DROP TRIGGER {name}")
        log._db.execute(statement)


def test_events_come_back_in_order_with_their_payloads(log: SqlLog) -> None:
    log.append([said("one"), said("zwei ü 🦀 한국어 100% ? \\u0000")])
    log.append([said("three")])
    events = list(log.read())
    assert [e.payload["content"] for e in events] == ["one", "zwei ü 🦀 한국어 100% ? \\u0000", "three"]
    assert [e.position for e in events] == [1, 2, 3] and log.head() == 3
    assert [e.position for e in log.read(after=1, upto=2)] == [2]
    assert events[0].clock < events[1].clock < events[2].clock  # though the wall clock stood still
    assert log.get([events[1].id, "unknown"]) == {events[1].id: events[1]}
    assert [e.position for e in log.pages.newest(2, session="s")] == [3, 2]
    assert log.pages.newest(5, types=["session_end"]) == []


def test_a_log_longer_than_a_page_is_read_completely(log: SqlLog) -> None:
    log.append([said(f"turn {number}") for number in range(4_100)])
    assert [e.position for e in log.read()] == list(range(1, 4_101))
    ids, clocks = log.state.clocks()
    assert len(ids) == len(clocks) == 4_100
    assert log.pages.count_by_interval(10, 0) == [(0, "user_prompt", 4_100)]


def test_a_key_names_one_act_and_repeats_without_a_key_are_kept(log: SqlLog) -> None:
    first, again = log.append([said("continue", "k"), said("continue", "k")])
    assert (first.outcome, again.outcome) == ("new", "duplicate") and first.id == again.id
    assert {o.outcome for o in log.append([said("continue"), said("continue")])} == {"new"}
    assert log.append([said("continue", "k")])[0].outcome == "duplicate"


def test_a_batch_is_appended_completely_or_not_at_all(log: SqlLog) -> None:
    log.append([said("one")])
    with pytest.raises((StoreError, OverflowError, ValueError)):
        log.append([said("two"), Draft("user_prompt", {}, 2**70, "", "p", "user")])
    assert log.head() == 1 and log.append([said("three")])[0].outcome == "new"
    assert [e.position for e in log.read()] == [1, 2] and log.verify() == []


def test_forgotten_events_are_gone_at_once_and_erased_by_a_purge(log: SqlLog, reopen: Open) -> None:
    other = reopen()
    (kept,), (gone,) = log.append([said("kept")]), log.append([said("CANARY", "k", session="CANARY")])
    log.store_derivations([Derivation("facts/1", gone.id, "h", {"fact": "CANARY"})])
    stone = Draft("memory_forgotten", {"events": [gone.id]}, 2)
    assert log.forget([gone.id, "unknown"], stone) == [gone.id]
    assert log.forget([gone.id], stone) == [] and log.head() == 3
    for reader in (log, other):
        assert [e.id for e in reader.read(types=["user_prompt"])] == [kept.id]
        assert gone.id not in reader.get([gone.id]) and list(reader.derivations()) == []
    assert log.append([said("CANARY", "k")])[0].outcome == "forgotten"
    assert [e.id for e in log.pages.forgotten_unpurged()] == [gone.id]
    assert log.purge() == Purged(1, 1, 0)
    assert "CANARY" not in json.dumps(list(log.dump())) and log.pages.forgotten_unpurged() == []
    assert log.verify() == [] and log.state.last_derivation_number() == 1


def test_a_purge_keeps_the_contents_that_trees_name(log: SqlLog) -> None:
    log.blobs.put([("named", b"\x00one"), ("lost", b"two"), ("named", b"again")])
    log.append([Draft("tree_indexed", {"blobs": [["a.py", "named"]]}, 1)])
    assert log.purge().blobs == 1
    assert log.blobs.get("named") == b"\x00one" and log.blobs.get("lost") is None


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM events", "UPDATE events SET type = 'x'", "UPDATE events SET actor = '[erased]', session = '', project = ''",
     "DELETE FROM payloads", "UPDATE payloads SET body = '{}'", "DELETE FROM forgotten", "UPDATE derivations SET body = ''"],
)  # fmt: skip
def test_the_database_refuses_to_be_rewritten(log: SqlLog, statement: str) -> None:
    log.append([said("one"), said("two")])
    log.store_derivations([Derivation("facts/1", "e", "h", {})])
    log.forget([event.id for event in log.read(after=1)], Draft("memory_forgotten", {}, 1))
    with pytest.raises(Exception, match=r"never|after its tombstone"):
        log._db.execute(statement)
    assert log.verify() == []


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE payloads SET body = replace(body, '8080', '8081')", "the payload of event"),
        ("UPDATE events SET at = 7 WHERE position = 1", "the envelope of event"),
        ("DELETE FROM payloads WHERE position = 1", "is missing"),
        ("UPDATE derivations SET body = '{}'", "what facts/1 made of event"),
    ],
)
def test_verify_names_what_was_changed(log: SqlLog, statement: str, problem: str) -> None:
    (event, _) = log.append([said("the port is 8080"), said("b")])
    log.store_derivations([Derivation("facts/1", event.id, "h", {"n": 1})])
    tamper(log, statement)
    (found,) = log.verify()
    assert problem in found
    with pytest.raises(StoreDamaged):
        log.check("facts/1" if "facts" in problem else "")
    assert log.drop_damaged_derivations() == ("facts" in problem)


def test_derivations_are_kept_once_for_their_input(log: SqlLog) -> None:
    first, second = log.append([said("x"), said("y")])
    one, other = Derivation("facts/1", first.id, "h", {"n": 1}), Derivation("skills/2", second.id, "h", {})
    assert log.store_derivations([one, one, other]) == 2 and log.store_derivations([one]) == 0
    assert log.processed_sources("facts/1", [first.id, "other"]) == {first.id}
    assert [d.body for d in log.derivations()] == [{"n": 1}, {}]
    assert [d.source for d in log.derivations(steps=["facts"])] == [first.id]
    assert [d.source for d in log.derivations(steps=["facts/1", "skills"])] == [first.id]
    assert log.state.step_results("facts/1", first.id) == [{"n": 1}] and log.state.count_derivations() == 2
    last = log.state.last_derivation_number()
    assert log.store_derivations([one], replace=True) == 1
    (again,) = log.derivations(last)
    assert again.number > last and log.state.last_derivation_number() == again.number


def test_state_is_kept_with_the_log(log: SqlLog, reopen: Open) -> None:
    state = log.state
    assert state.setting("project", "one") == state.setting("project", "two") == "one"
    assert state.setting("project", "two", replace=True) == "two" and state.setting("none", None) is None
    state.begin_operation("rebuild")
    state.save_watermark("facts+skills", 7)
    state.save_watermark("index/events", 5)
    assert state.watermark("facts+skills") == 7 and state.watermarks("index/") == {"events": 5}
    again = reopen().state
    assert again.unfinished_operations() == {"rebuild"} and again.watermark("index/events") == 5
    again.finish_operation("rebuild")
    assert state.unfinished_operations() == set() and again.setting("project", "three") == "two"
    assert log.origin == reopen().origin


def test_a_history_is_told_from_another_one(log: SqlLog, reopen: Open) -> None:
    assert log.state.history_fingerprint(1) == 0 == log.state.last_position("user_prompt")
    log.append([said("one"), said("two")])
    other = reopen("other")
    other.append([said("one")])
    assert log.state.history_fingerprint(1) not in (0, other.state.history_fingerprint(1))
    assert log.state.last_position("user_prompt") == 2 and log.state.first_time_us("user_prompt") == 1


def test_redactions_and_suspicions_are_counted(log: SqlLog) -> None:
    log.append([
        Draft("user_prompt", {"content": "x", "privacy": {"secrets": 2}}, 1),
        Draft("user_prompt", {"content": "y", "suspicious": ["orders"]}, 1),
        said('"privacy":{ "suspicious":["'),
    ])  # fmt: skip
    assert log.pages.redaction_counts() == [("user_prompt", {"secrets": 2})]
    assert [e.position for e in log.pages.suspected_injections()] == [2]


def test_logs_are_merged_once_with_their_tombstones(reopen: Open) -> None:
    mine, other = reopen(), reopen("other")
    mine.append([said("mine", "k1")])
    (first, gone) = other.append([said("theirs", "k2"), said("secret", "k3")])
    other.store_derivations([Derivation("facts/1", first.id, "h", {"n": 1})])
    other.blobs.put([("digest", b"bytes")])
    other.forget([gone.id], Draft("memory_forgotten", {"events": [gone.id]}, 2))
    records = list(other.dump())
    assert mine.merge_records(records, same, trusted=True).new == 3
    assert mine.merge_records(records, same, trusted=True).new == 0
    assert [e.payload["content"] for e in mine.read(types=["user_prompt"], order="clock")] == ["mine", "theirs"]
    assert not any(e.foreign for e in mine.read()) and len(list(mine.derivations())) == 1
    assert mine.append([said("theirs", "k2")])[0].outcome == "duplicate"
    assert mine.verify() == [] and [e.position for e in mine.pages.newest(9)][-1] == 1


def test_what_nobody_vouches_for_is_foreign_and_no_duplicate(reopen: Open) -> None:
    mine, other, reader = reopen(), reopen("other"), reopen()
    mine.append([said("mine")])
    other.append([said("theirs", "k"), said("theirs, too")])
    assert mine.merge_records(list(other.dump()), same).new == 2
    for log in (mine, reader):
        assert [(e.payload["content"], e.foreign) for e in log.read(types=["user_prompt"])] == [
            ("mine", False), ("theirs", True), ("theirs, too", True)]  # fmt: skip
    assert mine.append([said("theirs", "k")])[0].outcome == "new"  # otherwise a stranger could suppress it
    assert [e.foreign for e in reader.read(types=["user_prompt"]) if e.payload["content"] == "theirs"] == [False]


def test_a_changed_export_is_refused_and_changes_nothing(reopen: Open) -> None:
    mine, other = reopen(), reopen("other")
    other.append([said("one"), said("two")])
    records = list(other.dump())
    for broken in (
        [records[0], {**records[1], "payload": '{"content":"three"}'}, *records[2:]],
        [records[0], *records[2:]],
        [records[0], {**records[1], "event": {**records[1]["event"], "session": {}}}, *records[2:]],
        records[:-1],
    ):
        with pytest.raises(SourceError):
            mine.merge_records(broken, same)
        assert mine.head() == 0 and mine.verify() == []


def test_logs_of_both_kinds_take_each_others_export(tmp_path: Path, clock: Hands, postgresql: Any) -> None:
    ours, theirs = SqliteLog(tmp_path / "a.db", clock), PostgresqlLog(postgresql.url(), tmp_path / "b.db", clock)
    ours.append([said("from the file ü")])
    theirs.append([said("from the server ü")])
    assert theirs.merge_records(list(ours.dump()), same, trusted=True).new == 1
    assert ours.merge_records(list(theirs.dump()), same, trusted=True).new == 2
    texts = [[e.payload["content"] for e in log.read(types=["user_prompt"], order="clock")] for log in (ours, theirs)]
    assert texts[0] == texts[1] and len(texts[0]) == 2 and ours.verify() == theirs.verify() == []
    ours.close()
    theirs.close()


def test_writers_race_and_readers_never_see_a_gap(reopen: Open) -> None:
    """Four writers append batches and derivations while a reader follows: positions and numbers appear in order."""
    writers, reader = [reopen(station=str(number)) for number in range(4)], reopen(station="reader")
    for log in [*writers, reader]:
        log._clock = SystemClock()
    failures: list[BaseException] = []
    done = threading.Event()

    def write(number: int, log: SqlLog) -> None:
        try:
            for turn in range(15):
                made = log.append([said(f"{number} {turn} {part}", f"{turn} {part}") for part in range(3)])
                log.store_derivations([Derivation("facts/1", one.id, str(number), {}) for one in made])
        except BaseException as error:  # noqa: BLE001 - shown below
            failures.append(error)

    threads = [threading.Thread(target=write, args=one) for one in enumerate(writers)]
    seen, numbers = [], list[int]()

    def follow() -> None:
        seen.extend(e.position for e in reader.read(len(seen)))
        last = reader.state.last_derivation_number()
        new = [d.number for d in reader.derivations(numbers[-1] if numbers else 0)]
        assert not new or max(new) >= last  # otherwise a cursor at `last` would skip what appears later
        numbers.extend(new)

    for thread in threads:
        thread.start()
    while not done.is_set():
        if not any(thread.is_alive() for thread in threads):
            done.set()
        follow()
    assert not failures, failures
    assert seen == list(range(1, 46)) and numbers == sorted(numbers) and len(numbers) == 180
    assert reader.verify() == []
