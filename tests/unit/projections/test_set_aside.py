"""No event, however odd, stops the events after it: what is beyond the bounds is clamped or becomes text, what no projection
can take is set aside and named, in increments and in a rebuild. Logs of older versions, written without bounds, heal."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import examples

from graphmem import Memory
from graphmem.backends.log.sqlite import SqliteLog
from graphmem.model.bounds import MARK, MAX_DEPTH, MAX_TIME_US
from graphmem.model.events import EVENT_TYPES, Draft, Event
from graphmem.model.shapes import SHAPES, conform
from graphmem.projections.fitness import Fitness

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "e2e"))
from workload import QUIET, state

HUGE = 99999999999999999999999
FAR = 1_000_000_000_000 * 1_000_000  # the year 33658, in microseconds
WORDS = st.sampled_from(["pnpm", "src/app.py", "We decided to use pnpm instead of npm.", "한국어", "", "a" * 40])
ODD = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.integers(2**63, 10**60), st.floats(), WORDS, st.text(max_size=20),
        st.sampled_from(["a\0b", "\ud800 half", "x" * 1_000_000, HUGE, -HUGE, FAR, float("inf"), 10**4_000]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
FIELDS = sorted({name for shape in SHAPES.values() for name in (*shape.needed, *shape.optional)} | {"privacy", "own"})
SOUND: dict[str, dict[str, Any]] = {
    "user_prompt": {"role": "user", "content": "We decided to use pnpm."},
    "tool_observation": {"role": "tool", "tool": "Bash", "command": "ls", "input": {"command": "ls"}, "content": "x",
                         "exit_code": 1, "failed": True, "writes": ["src/app.py"], "commits": [["abc1234", "Fix"]]},
    "memory_remembered": {"content": "pnpm", "kind": "fact", "tags": ["x"], "files": ["src/app.py"]},
    "commit_observed": {"hash": "a" * 40, "subject": "Fix", "body": "why", "author": "Ada", "email": "a@b.c", "parents": [],
                        "committed_at": 1, "files": [{"path": "a", "kind": "M", "additions": 1, "deletions": 0}]},
    "document_observed": {"path": "a.md", "digest": "d", "sections": [["T", "text", 1]], "replaced": 0},
    "snapshot_captured": {"content": "boom", "command": "make", "exit_code": 2, "error": "boom", "signature": "boom"},
    "test_run_observed": {"name": "unit", "tool": "pytest", "passed": 3, "failed": 1, "failures": [{"name": "t", "file": "a"}]},
    "task_created": {"task": "t-1", "title": "Do it", "labels": ["x"], "files": ["a"]},
    "task_status_changed": {"task": "t-1", "state": {"status": "blocked", "blockers": [{"kind": "task", "id": "t-2"}]}},
    "task_linked": {"task": "t-1", "relation": "depends_on", "target": "t-2"},
    "memory_forgotten": {"nodes": [["Turn", "x"]], "items": ["x"]},
}  # fmt: skip


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """An event of any type: a sound payload in which some fields are odd or missing, or one of odd fields alone."""
    name = draw(st.sampled_from(sorted(SOUND)) | st.sampled_from(sorted(EVENT_TYPES)))
    payload = dict(SOUND.get(name, {}))
    known = sorted(
        {*payload, *(SHAPES[name].needed if name in SHAPES else ()), *(SHAPES[name].optional if name in SHAPES else ())}
    )
    for field in draw(st.lists(st.sampled_from(known or FIELDS), max_size=3)):
        payload[field] = draw(ODD)
    for field in draw(st.lists(st.sampled_from(known or FIELDS), max_size=1)):
        payload.pop(field, None)
    at = draw(st.integers(0, 2 * 10**15) | st.sampled_from([FAR, -FAR, -1, 10**17, HUGE]))
    return Draft(name, payload, at, draw(st.sampled_from(["a", "b", ""])), "demo", "user", None)


def append_raw(folder: Path, events: list[Draft]) -> None:
    """Put events into a log as versions without bounds did: only what SQLite itself refuses is left out."""
    from support import Hands

    log = SqliteLog(folder / "log.db", Hands())
    for event in events:
        try:
            log.append([event])
        except (UnicodeEncodeError, OverflowError, ValueError):
            continue
    log.close()


def check_store(folder: Path, events: list[Draft], *, raw: bool) -> None:
    """Events between two sentinels: both are found, a second run finds nothing to do, and a rebuild changes nothing."""
    with Memory.open(folder, project="demo", settings=QUIET) as mem:
        mem.observe("the first sentinel is an albatross", session="s")
        mem.process()
    if raw:
        append_raw(folder, events)
    with Memory.open(folder, project="demo", settings=QUIET) as mem:
        if not raw:
            for event in events:
                mem._store.recorder.record([event])
        mem.observe("the last sentinel is a cormorant", session="s")
        mem.process()
        for word in ("albatross", "cormorant"):
            assert any(word in hit.content for hit in mem.search(f"sentinel {word}").hits), word
        assert mem.process().events == 0
        grown = state(mem, folder)
        mem.cypher("MATCH (n) RETURN n LIMIT 10000")  # what is there can be read
        refused = mem.health()["set_aside"]
        mem.rebuild()
        assert state(mem, folder) == grown
        assert sorted(map(str, mem.health()["set_aside"])) == sorted(map(str, refused))


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(events=st.lists(drafts(), max_size=8), raw=st.booleans())
def test_no_event_stops_the_events_after_it(events: list[Draft], raw: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        check_store(Path(name), events, raw=raw)


@pytest.mark.deep
@pytest.mark.timeout(7_200)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(events=st.lists(drafts(), max_size=30), raw=st.booleans())
def test_no_event_stops_the_events_after_it_many_times(events: list[Draft], raw: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        check_store(Path(name), events, raw=raw)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(name=st.sampled_from(sorted(SHAPES)), payload=st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=6))
def test_what_conforms_conforms_again(name: str, payload: dict[str, Any]) -> None:
    once, problem = conform(name, payload)
    assert once == {} if problem else conform(name, once) == (once, "")


def test_who_asks_for_a_type_never_meets_an_event_that_lacks_what_it_needs(tmp_path: Path) -> None:
    from support import Hands

    needing = sorted(name for name, shape in SHAPES.items() if shape.needed)
    sound = Draft("memory_remembered", {"content": "pnpm"}, 1)
    with closing(SqliteLog(tmp_path / "log.db", Hands())) as log:
        log.append([sound, *(Draft(name, {}, 1) for name in needing for _ in range(3))])
        assert all(event.problem for event in log.read() if event.type in needing and event.payload == {})
        assert [event.payload["content"] for event in log.read(types=needing)] == ["pnpm"]
        assert [event.payload["content"] for event in log.pages.newest(2, types=needing)] == ["pnpm"]
        assert len(log.pages.newest(5)) == 5  # who asks for all sees all


def test_a_decision_without_its_fields_stops_nothing(tmp_path: Path) -> None:
    from support import Hands

    with Memory.open(tmp_path / "store", settings=QUIET) as mem:
        mem.remember("We decided to use pnpm instead of npm.")
        mem.process()
    with closing(SqliteLog(tmp_path / "store" / "log.db", Hands())) as log:
        log.append([Draft("supersession_decided", payload, 1) for payload in ({}, {"newer": "a", "holds": True})])
    with Memory.open(tmp_path / "store", settings=QUIET) as mem:
        mem.remember("We decided to use yarn instead of pnpm.")
        mem.process()
        assert mem.search("yarn").hits


CASES = {
    "an exit status of 23 digits": Draft(
        "tool_observation",
        {"role": "tool", "tool": "Bash", "command": "x", "input": {}, "content": f"Exit code {HUGE}", "exit_code": HUGE, "failed": True},
        1, "s", "demo", "tool",
    ),
    "a test log with such a number": Draft("test_run_observed", {"name": "n", "passed": HUGE, "failed": 0, "skipped": 0, "failures": []}, 1, "s", "demo", "pytest"),
    "a commit in the year 33658": Draft("commit_observed", {**SOUND["commit_observed"], "committed_at": FAR}, FAR, "", "demo", "Ada"),
    "a turn in the year 33658": Draft("user_prompt", {"role": "user", "content": "far away"}, FAR, "s", "demo", "user"),
    "a turn of 17 digits": Draft("user_prompt", {"role": "user", "content": "far away"}, 10**17, "s", "demo", "user"),
    "a time before the calendar": Draft("user_prompt", {"role": "user", "content": "long ago"}, -FAR, "s", "demo", "user"),
    "a payload without what it needs": Draft("task_status_changed", {"state": 5}, 1, "", "demo", "user"),
    "a tombstone for a label that is none": Draft("memory_forgotten", {"nodes": [["Nothing", "x"]]}, 1, "", "demo", "user"),
    "a consolidation of nothing": Draft("turns_consolidated", {}, 1, "", "demo", "system"),
    "a pass of nothing": Draft("memified", {}, 1, "", "demo", "system"),
    "lists of other things": Draft("user_prompt", {"role": "user", "content": "x", "writes": 5, "commits": [["a"], [1, 2]]}, 1, "s", "demo", "user"),
}  # fmt: skip


ALONE = [pytest.param([case], marks=() if "tombstone" in case else pytest.mark.deep, id=case) for case in CASES]
SOME = [pytest.param([*CASES], id="all together"), *ALONE]


@pytest.mark.parametrize("cases", SOME)
def test_a_store_that_holds_it_already_heals(tmp_path: Path, cases: list[str]) -> None:
    check_store(tmp_path, [CASES[case] for case in cases], raw=True)


@pytest.mark.parametrize("cases", SOME)
def test_what_enters_now_stops_nothing(tmp_path: Path, cases: list[str]) -> None:
    check_store(tmp_path, [CASES[case] for case in cases], raw=False)


def test_what_is_set_aside_is_named_tried_again_and_can_be_forgotten(tmp_path: Path) -> None:
    with Memory.open(tmp_path, project="demo", settings=QUIET) as mem:
        mem._store.recorder.record([Draft("task_linked", {"task": "t"}, 1, "", "demo", "user")])
        mem.observe("after it", session="s")
        mem.process()
        health = mem.health()
        (told,) = health["set_aside"]
        assert told["type"] == "task_linked" and "relation" in told["reason"] and told["version"]
        assert not health["sound"] and any(told["event"] in problem for problem in health["problems"])
        assert any("--retry" in advice for advice in health["advice"])
        mem.process(retry=True)
        assert mem.health()["set_aside"] == [told]  # nothing has changed
        mem.forget(told["event"], purge=True)
        assert mem.health()["set_aside"] == [] and mem.health()["sound"]
        assert mem.search("after it").hits


def test_an_event_that_no_projection_could_read_enters_when_one_can(tmp_path: Path) -> None:
    """A version that knows the shape finds the event in the log: here the log is given what was missing."""
    with Memory.open(tmp_path, project="demo", settings=QUIET) as mem:
        mem._store.backlog.set_aside("projection/0", [("x" * 24, "an older version could not")])
        mem.observe("pnpm it is", session="s")
        mem.process(retry=True)
        assert mem._store.backlog.letters(dead=True) == [] and mem.search("pnpm").hits


@pytest.mark.usefixtures("default_engine")
def test_what_only_the_engine_refuses_is_found_and_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the look at the values had missed something: the engine's own refusal stops nothing either."""
    monkeypatch.setattr(Fitness, "problem", lambda self, changes: "")
    stone = Draft("memory_forgotten", {"nodes": [["Nothing", "x"]]}, 1, "", "demo", "user")
    with Memory.open(tmp_path, project="demo", settings=QUIET) as mem:
        mem.observe("before it", session="s")
        mem.process()
        (bad,) = mem._store.recorder.record([stone])
        mem.observe("the cormorant after it", session="s")
        mem.process()
        assert [(one["event"], one["projection"]) for one in mem.health()["set_aside"]] == [(bad.id, "graph")]
        assert mem.search("cormorant").hits and mem.cypher("MATCH (t:Turn) RETURN count(t)").rows == [[2]]
        mem.observe("and on", session="s")
        mem.process()
        grown = state(mem, tmp_path)
        mem.rebuild()
        assert state(mem, tmp_path) == grown
        monkeypatch.undo()
        assert mem.process(retry=True) and len(mem.health()["set_aside"]) == 1


def test_bounds_mark_what_they_cut(memory: Memory) -> None:
    deep: Any = "end"
    for _ in range(100_000):
        deep = [deep]
    payload = {"role": "user", "content": "a\0b", "number": HUGE, "share": float("nan"), "deep": deep, "half": "\ud800"}
    (one,) = memory._store.recorder.record([Draft("user_prompt", payload, FAR, "s", "demo", "user")])
    event = memory._store.log.get([one.id])[one.id]
    assert event.payload["content"] == "a\ufffdb" and event.payload["number"] == str(HUGE)
    assert event.payload[MARK] == {"depth": 1, "numbers": 2, "texts": 2, "time": 1}
    assert abs(event.at) < MAX_TIME_US and datetime.fromtimestamp(event.at / 1e6, UTC).year < 2262
    assert str(event.payload["deep"]).count("[") < MAX_DEPTH + 3


def test_endless_digits_and_levels_of_an_older_log_are_set_aside(tmp_path: Path) -> None:
    """A body that JSON itself cannot read any more is named, and does not end the reading of the log."""
    import hashlib

    from graphmem.backends.log.chain import chain_checksum

    with Memory.open(tmp_path, project="demo", settings=QUIET) as mem:
        mem.observe("before", session="s")
    with closing(sqlite3.connect(tmp_path / "log.db")) as db, db:
        origin, checksum = db.execute("SELECT origin, checksum FROM events").fetchone()
        for number, body in enumerate(
            ['{"content":"x","n":' + "9" * 5_000 + "}", '{"content":' + "[" * 100_000 + "]" * 100_000 + "}"], 2
        ):
            digest = hashlib.sha256(b"salt" + body.encode()).digest()
            envelope = (
                f"event-{number}",
                origin,
                number,
                number * 10**15,
                "user_prompt",
                1,
                1,
                "s",
                "demo",
                "user",
                digest,
            )
            checksum = chain_checksum(checksum, envelope)
            row = db.execute("INSERT INTO events(id, origin, sequence, clock, type, version, at, session, project, actor, digest,"
                             " checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", (*envelope, checksum)).lastrowid  # fmt: skip
            db.execute("INSERT INTO payloads VALUES (?, ?, ?)", (row, b"salt", body))
    with Memory.open(tmp_path, project="demo", settings=QUIET) as mem:
        mem.observe("afterwards", session="s")
        mem.process()
        assert {one["event"] for one in mem.health()["set_aside"]} == {"event-2", "event-3"}
        assert mem.search("afterwards").hits
        mem.forget(session="s", purge=True)
        assert mem.health()["set_aside"] == []


def test_readers_of_a_type_meet_no_other_shape(tmp_path: Path, clock: Any) -> None:
    log = SqliteLog(tmp_path / "log.db", clock)
    log.append(
        [
            Draft("turns_consolidated", {"groups": 5}, 1),
            Draft("turns_consolidated", {"groups": [["a"]], "upto": 1, "carried": []}, 1),
        ]
    )
    (sound,) = log.read(types=["turns_consolidated"])
    assert sound.payload["groups"] == [["a"]]
    everything: list[Event] = list(log.read())
    assert [bool(event.problem) for event in everything] == [True, False]
    log.close()
