"""What is purged is gone: a random word goes through every kind of source and of what is derived, is purged in every way there
is, and no byte of any file of the store holds it any more; neither after a merge of what was exported before, in either
direction, nor by way of a third machine."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support import read_stored, with_deep

from graphmem import Memory
from graphmem.hooks.respond import respond
from graphmem.model.events import Draft

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=30)


def marker(seed: int) -> str:
    """A word that nothing else holds."""
    return "".join(random.Random(seed).choices(string.ascii_lowercase, k=14))


def held(mem: Memory, word: str) -> list[str]:
    """The files of a store that hold a word, in any case, as UTF-8 or UTF-16."""
    wanted = [word.encode(), word.title().encode(), word.upper().encode(), word.encode("utf-16-le")]
    files = [path for path in mem.location.rglob("*") if path.is_file()]
    return [path.name for path in files if any(one in read_stored(path) for one in wanted) or word in path.name]


def fill(mem: Memory, word: str, project: str | None = None) -> None:
    """Every kind of source that the log knows, in a session of that name, with what follows from it."""
    session, at, project = f"s-{word}", NOW, project or mem.project
    micro = int(at.timestamp() * 1e6)
    for number in range(4):
        when = at + timedelta(minutes=number)
        said = f"We decided that the {word} service listens on port 80{number}0."
        answer = f"The {word} server must never be restarted. Fixed the {word} crash."
        payloads = [
            {"role": "user", "content": said, "ref": f"{word}{number}"},
            {"role": "assistant", "content": answer, "ref": ""},
        ]
        for kind, payload in zip(("user_prompt", "agent_response"), payloads, strict=True):
            draft = Draft(
                kind,
                payload,
                int(when.timestamp() * 1e6),
                session,
                project,
                str(payload["role"]),
                f"{word}:{kind}:{number}",
            )
            mem._store.recorder.record([draft])
    tool = {"role": "tool", "tool": "Bash", "command": f"make {word}", "exit_code": 1, "failed": True, "writes": [f"src/{word}.py"],
            "content": f"error: {word} was not found in {word}.c:3", "input": {"command": f"make {word}"}}  # fmt: skip
    sections = [[f"{word} guide", f"How to use {word} in the garden.", 1]]
    commit = {"hash": "ab" * 20, "parents": [], "author": f"{word} Smith", "email": f"{word}@example.com", "committed_at": micro,
              "subject": f"fix: mend {word}", "body": f"Because {word} broke the parser.", "patch": f"+{word}",
              "files": [{"path": f"lib/{word}.py", "kind": "A", "previous": "", "additions": 1, "deletions": 0, "hunks": []}]}  # fmt: skip
    shot = {"command": word, "content": f"{word}: failed", "exit_code": 2, "cwd": f"/{word}", "environment": {}, "trigger": "exit",
            "severity": "error", "error": f"{word} failed", "signature": word, "size": 9}  # fmt: skip
    run = {"name": word, "tool": "pytest", "passed": 1, "failed": 1, "skipped": 0, "duration": 1.0,
           "failures": [{"name": f"test_{word}", "file": f"tests/{word}.py", "message": f"{word} is wrong", "signature": word}]}  # fmt: skip
    drafts = [("tool_observation", tool, session), ("commit_observed", commit, ""), ("snapshot_captured", shot, session),
              ("document_observed", {"path": f"docs/{word}.md", "digest": "0" * 64, "sections": sections, "replaced": 0}, ""),
              ("test_run_observed", run, session), ("session_start", {"cwd": f"/{word}", "branch": word, "source": "x"}, session),
              ("memory_remembered", {"content": f"The {word} key is blue.", "kind": "fact", "title": f"{word} key", "tags": [word],
                                     "files": [f"src/{word}.py"], "ref": f"ref-{word}", "evidence": []}, "")]  # fmt: skip
    mem._store.recorder.record(
        [
            Draft(kind, payload, micro, of, project, word if kind == "commit_observed" else "")
            for kind, payload, of in drafts
        ]
    )


def derive(mem: Memory, word: str) -> None:
    """What is made of it: conclusions, categories, what was shown, used and judged."""
    mem.process()
    hits = mem.search(word, k=8).hits
    assert len(hits) >= 5
    mem.feedback(hits[0].id, "useful")
    mem.archive(hits[1].id)
    mem.used(shown=[hit.id for hit in hits], chosen=[hits[2].id], session=f"s-{word}")
    mem.allow(hits[3].id)
    respond(mem._store, "UserPromptSubmit", {"session_id": "other", "prompt": "What about the port of the service?"})
    respond(
        mem._store,
        "UserPromptSubmit",
        {"session_id": f"s-{word}", "prompt": f"What is the port of the {word} service?"},
    )
    mem.memify("daily", force=True)
    mem.process()


def background(mem: Memory) -> None:
    """What stays: enough that there are categories."""
    topics = (
        "roses and tulips grow in the garden",
        "the compiler parses tokens into trees",
        "trains leave the station on time",
    )
    mem.observe_many(
        [
            {"content": f"{topic}, note {number}.", "session": f"bg{number % 3}", "at": LATER}
            for number in range(12)
            for topic in topics
        ]
    )


def purge(mem: Memory, word: str, how: str) -> None:
    """Purge all of it, in one of the ways."""
    if how == "project":
        mem.forget(project="away", purge=True)
    elif how == "before":
        mem.forget(before=NOW + timedelta(days=1), purge=True)
    elif how == "twice":  # first hidden, later erased
        mem.forget(before=NOW + timedelta(days=1))
        mem.forget(before=NOW + timedelta(days=1), purge=True)
    elif how == "session":
        mem.forget(session=f"s-{word}", purge=True)
    if how in ("session", "id"):
        gone = [event.id for event in mem._store.log.read() if word in str(event.payload) + event.session + event.actor
                and event.type not in ("memory_forgotten", "memory_shown", "memory_used")]  # fmt: skip
        for id in gone:
            if mem._store.log.get([id]):
                mem.forget(id, purge=id == gone[-1] or (how == "id" and id in gone[::5]))
    late = [
        event
        for event in mem._store.log.read()
        if word in str(event.payload) + event.session + event.actor + event.project
    ]
    for event in late:  # what was said of it later, as the prompts above
        if event.type == "user_prompt":
            mem.forget(event.id, purge=True)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Any]:
    """Opens stores of several machines."""
    opened: list[Memory] = []

    def open_one(name: str) -> Memory:
        opened.append(Memory.open(tmp_path / name, project="house"))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.mark.parametrize(("how", "seed"), with_deep([], [("session", 2), ("id", 3), ("twice", 5)]))
def test_what_is_purged_is_in_no_file(machines: Any, tmp_path: Path, how: str, seed: int) -> None:
    word, one = marker(seed), machines("one")
    background(one)
    fill(one, word)
    derive(one, word)
    assert held(one, word)
    one.export(tmp_path / "old.jsonl")
    purge(one, word, how)
    one.merge(tmp_path / "old.jsonl")  # back in
    assert held(one, word) == []
    assert one.health()["sound"] and not [hit for hit in one.search(word, k=5).hits if word in hit.content]


@pytest.mark.parametrize(
    ("how", "seed"),
    with_deep([("project", 4)], [("before", 1), ("session", 2), ("id", 3), ("twice", 5)]),
)
def test_what_is_purged_is_nowhere(machines: Any, tmp_path: Path, how: str, seed: int) -> None:
    word, one = marker(seed), machines("one")
    background(one)
    fill(one, word, "away" if how == "project" else None)
    derive(one, word) if how != "project" else one.process()
    assert held(one, word)
    one.export(tmp_path / "old.jsonl")
    other, third = machines("other"), machines("third")
    other.merge(tmp_path / "old.jsonl")
    purge(one, word, how)
    assert held(one, word) == []
    assert one.health()["sound"] and not [hit for hit in one.search(word, k=5).hits if word in hit.content]
    one.export(tmp_path / "new.jsonl")
    assert word not in (tmp_path / "new.jsonl").read_text()
    one.merge(tmp_path / "old.jsonl")  # back in
    assert held(one, word) == []
    third.merge(tmp_path / "new.jsonl")
    third.merge(tmp_path / "old.jsonl")
    assert held(third, word) == []
    other.merge(tmp_path / "new.jsonl")
    assert held(other, word) == []
    other.export(tmp_path / "round.jsonl")
    third.merge(tmp_path / "round.jsonl")
    one.merge(tmp_path / "round.jsonl")
    assert held(one, word) == held(third, word) == [] and one.health()["sound"] and third.health()["sound"]


def test_merging_ones_own_export_counts_nothing_twice(machines: Any, tmp_path: Path) -> None:
    mem = machines("own")
    background(mem)
    mem.observe_many(
        {"content": f"The {marker(5)} service listens on port 80{n}.", "session": "gone"} for n in range(4)
    )
    mem.process()
    mem.export(tmp_path / "own.jsonl")
    mem.forget(session="gone", purge=True)
    mem.process()
    before, numbered = mem.stats()["derivations"], mem._store.log.state.last_derivation_number()
    for _ in range(2):
        assert mem.merge(tmp_path / "own.jsonl").records == 0
        mem.process()
    assert mem.stats()["derivations"] == before < numbered  # numbers have gaps: they are no count
    assert not held(mem, marker(5))
