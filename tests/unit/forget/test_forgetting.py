"""Forgetting through every projection, purging from the files, and merging logs in any order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import read_stored

from graphmem import Memory
from graphmem.errors import NotFound, SourceError, UsageError
from graphmem.model.events import Draft
from graphmem.trust.origin import BINDING

CANARY = "zebrafinch-7741"


def dump(mem: Memory) -> dict[str, list[str]]:
    """Everything in the graph and the items, sorted: equal dumps are equal memories. Who said something is a person or an
    agent where it was said, and another machine everywhere else, so these three count as one."""
    nodes = mem.cypher("MATCH (n) WHERE label(n) <> 'Cursor' RETURN n").rows
    edges = mem.cypher("MATCH (a)-[r]->(b) RETURN a.id, r, b.id").rows
    said = lambda key, value: "said" if key == "origin" and value in BINDING else value
    plain = lambda value: {k: said(k, v) for k, v in value.items() if not k.startswith("_") or k == "_label"}
    items = [hit for query in ("*", CANARY, "parser") for hit in mem.search(query, k=50).hits]
    return {
        "nodes": sorted(str(sorted(plain(row[0]).items(), key=str)) for row in nodes),
        "edges": sorted(str((row[0], sorted(plain(row[1]).items(), key=str), row[2])) for row in edges),
        "items": sorted({f"{hit.id} {hit.kind} {hit.content}" for hit in items}),
    }


def fill(mem: Memory) -> None:
    mem.observe(f"We decided to use {CANARY} instead of the old parser in src/parse.py", session="a", ref="a1")
    mem.observe("The parser works now because the buffer was cleared", session="a", ref="a2")
    mem.observe("Unrelated: I prefer tabs, always use them in src/tabs.py", session="b", ref="b1")
    mem.remember("The parser lives in src/parse.py", title="Parser", tags=["code"], ref="m1")


def held(mem: Memory, text: str) -> list[str]:
    """The files of the store that hold a text, however it is written."""
    forms = {form.encode() for form in (text, text.lower(), text.replace("-", " "))}
    found = []
    for file in mem.location.rglob("*"):
        data = read_stored(file).lower() if file.is_file() else b""
        found += [file.name] * any(form in data for form in forms)
    return found


def test_a_task_is_forgotten_with_all_that_was_done_to_it(memory: Memory) -> None:
    task = memory.tasks.create("Mend the gate", description="the old one")
    memory.tasks.update(task.id, description=f"as {CANARY} said")
    memory.tasks.claim(task.id, by="me")
    other = memory.tasks.create("Paint the fence")
    memory.process()
    assert memory.forget(task.id, purge=True).events == 3
    assert [each.id for each in memory.tasks.find()] == [other.id]
    assert task.id not in {hit.id for hit in memory.search("mend the gate").hits}
    memory.rebuild()
    assert memory.cypher("MATCH (t:Task) RETURN t.id").rows == [[other.id]]
    assert not any(CANARY.encode() in read_stored(file) for file in memory.location.iterdir() if file.is_file())


def test_a_forgotten_turn_is_gone_from_every_answer_and_a_rebuild_agrees(memory: Memory) -> None:
    fill(memory)
    memory.process()
    assert (
        memory.search(CANARY).hits
        and memory.cypher("MATCH (f:Fact) WHERE contains(f.content, $c) RETURN f", {"c": CANARY}).rows
    )
    report = memory.forget("a1")
    assert report.events == 1 and report.nodes >= 2
    left = dump(memory)
    assert CANARY not in str(left)
    assert memory.observe(f"We decided to use {CANARY}", session="a", ref="a1")  # the same act again
    memory.process()
    assert dump(memory) == left
    memory.rebuild()
    assert dump(memory) == left


def test_a_session_a_date_and_a_project_can_be_forgotten(memory: Memory) -> None:
    fill(memory)
    memory.observe("old", session="c", ref="c1", at=datetime(2020, 1, 1, tzinfo=UTC))
    assert memory.forget(session="a").events == 2
    assert memory.cypher("MATCH (s:Session) RETURN s.ref ORDER BY s.ref").rows == [["b"], ["c"]]
    assert memory.forget(before=datetime(2021, 1, 1, tzinfo=UTC)).events == 1
    assert memory.forget(project="demo").events == 2
    assert memory.cypher("MATCH (n) WHERE label(n) <> 'Cursor' RETURN n").rows == []


def test_a_derived_fact_goes_alone_and_stays_gone(memory: Memory) -> None:
    fill(memory)
    memory.process()
    ((fact,),) = memory.cypher("MATCH (f:Fact) WHERE f.content CONTAINS $c RETURN f.id", {"c": CANARY}).rows
    memory.forget(fact)
    assert memory.cypher("MATCH (f:Fact {id: $f}) RETURN f", {"f": fact}).rows == []
    assert memory.cypher("MATCH (t:Turn {ref: 'a1'}) RETURN t.ref").rows == [["a1"]]
    memory.rebuild()
    assert memory.cypher("MATCH (f:Fact {id: $f}) RETURN f", {"f": fact}).rows == []


def test_a_memory_can_come_back_when_it_is_said_again(memory: Memory) -> None:
    memory.remember("one", ref="m")
    memory.forget("m")
    memory.remember("two", ref="m")
    memory.process()
    assert [hit.content for hit in memory.search("two").hits] == ["two"]


def test_a_purge_leaves_no_byte(memory: Memory) -> None:
    fill(memory)
    memory.process()
    report = memory.forget("a1", purge=True)
    assert report.purged is not None and report.purged.payloads == 1
    for file in memory.location.iterdir():
        assert not file.is_file() or CANARY.encode() not in read_stored(file), file.name
    assert memory.health()["sound"]


def test_what_cannot_be_forgotten_by_itself_says_why_and_what_to_do_instead(memory: Memory, repository) -> None:
    repository.commit(
        "Add the parser", {"src/parse.py": "def parse():\n    return 1\n\n\ndef lex():\n    return print()\n"}
    )
    memory.init(repository.path)
    memory.observe("The parser of Postgres is slow", session="a", ref="a1")
    memory.process()
    (found,) = (hit for hit in memory.search("parse", kinds=["symbol"]).hits if hit.title == "src.parse.parse")
    for name in (found.id, found.citation, "src.parse.parse"):
        with pytest.raises(
            UsageError, match=r"is code.*removed from src/parse.py and `graphmem index`.*--of-project demo"
        ):
            memory.forget(name)
    for name, why in (
        ("src/parse.py", r"is a file.*the file is deleted"),
        ("session:a", "name it with `--session a`"),
        ("project:demo", "name it with `--of-project demo`"),
        (memory.cypher("MATCH (s:Symbol) WHERE s.file = '' RETURN s.id LIMIT 1").rows[0][0], "no code refers to it"),
        (memory.cypher("MATCH (p:Person) RETURN p.id LIMIT 1").rows[0][0], "a Person.*forget those"),
    ):
        with pytest.raises(UsageError, match=why) as refused:
            memory.forget(name)
        assert "nothing was forgotten" in str(refused.value) and not isinstance(refused.value, NotFound)
    (repository.path / "src/parse.py").write_text("def lex():\n    return 2\n")
    memory.index_code(repository.path)
    with pytest.raises(NotFound, match="no item named"):
        memory.forget(found.id)
    memory.forget(project="demo")
    assert not memory.search("lex", kinds=["symbol"]).hits


def test_what_was_forgotten_before_can_be_purged(memory: Memory) -> None:
    fill(memory)
    memory.observe(f"{CANARY} once more", session="c", ref="c1")
    memory.process()
    cite = memory.search(CANARY, kinds=["turn"]).hits[0]
    # A tombstone that names the session goes with its words; one that names digests alone stays.
    for name, payloads in (("a1", 1), (memory.details(["c1"])[0].citation, 2)):
        assert memory.forget(name).purged is None
        report = memory.forget(name, purge=True)
        assert report.events == 1 and report.purged is not None and report.purged.payloads == payloads
    assert not held(memory, CANARY)
    for gone in ("a1", cite.id):
        with pytest.raises(NotFound, match="nothing was forgotten"):
            memory.forget(gone, purge=True)
    memory.forget(session="b")
    assert memory.forget(session="b", purge=True).events == 1 and not held(memory, "src/tabs.py")
    assert memory.health()["sound"]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_task_takes_along_what_it_alone_waits_for(memory: Memory, at_once: bool) -> None:
    task = memory.tasks.create(
        "Write the notes", blocked_by=[f"the {CANARY} review", "the rain", f"`src/{CANARY}.py`"], status="blocked"
    )
    memory.tasks.create("Water the garden", blocked_by=["the rain"], status="blocked")
    memory.process()
    if not at_once:
        memory.forget(task.id)
    memory.forget(task.id, purge=True)
    assert not held(memory, CANARY)
    (left,) = memory.tasks.find()
    assert [blocker.text for blocker in left.blocked_by] == ["the rain"]


def test_a_purged_task_leaves_no_word_of_its_title(memory: Memory) -> None:
    title = f"Mend the {CANARY} gate"
    early = memory.tasks.create("Paint the fence", blocked_by=[f"mending of {CANARY}"], status="blocked")
    task = memory.tasks.create(title, status="blocked")
    memory.tasks.resolve(early.blocked_by[0].id, task.id)
    other = memory.tasks.create("Water the garden", blocked_by=[title, "the rain"], status="blocked", parent=task.id)
    memory.tasks.update(other.id, description=f"as soon as somebody has done this: {title}", labels=["wet"])
    memory.tasks.link(other.id, "discovered_from", task.id)
    memory.tasks.update(other.id, priority="high")
    memory.process()
    memory.search("gate")
    stories = {each.id: [one.type for one in memory.tasks.show(each.id).history] for each in (early, other)}
    memory.forget(task.id)
    assert task.id not in str(memory.search("gate").hits) and not held(memory, "nobody said this")
    memory.forget(task.id, purge=True)
    assert not held(memory, CANARY)
    left = {each.title: each for each in memory.tasks.find()}
    assert left.keys() == {"Paint the fence", "Water the garden"}
    garden = left["Water the garden"]
    assert (garden.priority, garden.labels, garden.parent, garden.discovered_from) == ("high", ("wet",), "", ())
    assert [blocker.title for blocker in memory.tasks.blocked()[0].blockers] == ["the rain"]
    assert left["Paint the fence"].status == "pending"
    before = {each.id: [one.type for one in memory.tasks.show(each.id).history] for each in (early, other)}
    assert all(set(before[id]) <= set(stories[id]) and before[id] for id in stories)
    assert memory.tasks.update(garden.id, status="in_progress", blocked_by=[]).status in ("in_progress", "pending")
    nodes = memory.cypher("MATCH (t:Task) RETURN t.id, t.title ORDER BY t.id").rows
    memory.rebuild()
    assert memory.cypher("MATCH (t:Task) RETURN t.id, t.title ORDER BY t.id").rows == nodes and len(nodes) == 2
    assert memory.health()["sound"]


def test_a_tombstone_of_an_earlier_version_names_no_purged_task_any_more(memory: Memory) -> None:
    task = memory.tasks.create(f"Mend the {CANARY} gate")
    fence = memory.tasks.create("Paint the fence")
    memory.process()
    gone = [event.id for event in memory.history() if event.payload.get("task") == task.id]
    names = [["Task", task.id], ["Task", fence.id]]
    payload = {"events": gone, "nodes": names, "items": [task.id, fence.id], "derived": False}
    memory._store.log.forget(gone, Draft("memory_forgotten", payload, 1, "", "demo", "user"))
    memory.process()
    assert memory.forget(task.id, purge=True).events == len(gone) and not held(memory, CANARY)
    stones = memory.history(types=["memory_forgotten"])
    assert set(gone) <= {id for stone in stones for id in stone.payload["events"]}
    assert any(fence.id in stone.payload["items"] for stone in stones) and memory.health()["sound"]


def test_what_is_asked_wrongly_or_is_not_there_says_so(memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.forget()
    with pytest.raises(UsageError):
        memory.forget("x", session="y")
    with pytest.raises(NotFound):
        memory.forget("nobody")


@pytest.fixture
def two(tmp_path: Path) -> Callable[[], tuple[Memory, Memory]]:
    return lambda: (Memory.open(tmp_path / "one", project="demo"), Memory.open(tmp_path / "two", project="demo"))


def test_two_machines_agree_whoever_merges_first(two: Callable[[], tuple[Memory, Memory]], tmp_path: Path) -> None:
    one, other = two()
    with one, other:
        fill(one)
        fill(other)  # the same refs, so the same acts
        other.observe("only here: the parser must never block", session="z", ref="z1")
        one.forget("a2")
        one.export(tmp_path / "one.jsonl")
        other.export(tmp_path / "two.jsonl")
        assert one.merge(tmp_path / "two.jsonl", trust=True).records > 0
        assert other.merge(tmp_path / "one.jsonl", trust=True).records > 0
        assert one.merge(tmp_path / "two.jsonl", trust=True).records == 0
        assert dump(one) == dump(other)
        assert one.search("buffer was cleared", kinds=["turn"]).hits == () or "cleared" not in str(dump(one))
        assert one.health()["sound"] and other.health()["sound"]


def test_what_one_machine_erased_is_erased_where_it_is_merged(
    two: Callable[[], tuple[Memory, Memory]], tmp_path: Path
) -> None:
    one, other = two()
    with one, other:
        one.remember("We decided that releases are signed.")
        gone = one.remember(f"We decided that {CANARY} opens the gate.")
        one.export(tmp_path / "before.jsonl")
        one.forget(gone, purge=True)
        one.export(tmp_path / "after.jsonl")
        other.merge(tmp_path / "before.jsonl")
        assert held(other, CANARY)
        for _ in range(2):
            other.merge(tmp_path / "after.jsonl")
            assert not held(other, CANARY) and other.search("are releases signed").hits and other.health()["sound"]


@pytest.mark.parametrize("harm", [lambda t: t.replace("parser", "parzer", 1), lambda t: "\n".join(t.split("\n")[:1] + t.split("\n")[2:]),
                                  lambda t: "not json", lambda t: "{}", lambda t: t[:-40]])  # fmt: skip
def test_a_damaged_export_changes_nothing(
    two: Callable[[], tuple[Memory, Memory]], tmp_path: Path, harm: Callable[[str], str]
) -> None:
    one, other = two()
    with one, other:
        fill(one)
        one.export(tmp_path / "x.jsonl")
        (tmp_path / "x.jsonl").write_text(harm((tmp_path / "x.jsonl").read_text()))
        with pytest.raises(SourceError):
            other.merge(tmp_path / "x.jsonl")
        assert other.stats()["events"] == 0


def test_a_purged_project_leaves_nothing_of_its_code(memory: Memory, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text(f'def zebra():\n    """{CANARY}"""\n')
    memory.index_code(tree)
    memory.process()
    assert memory.cypher("MATCH (s:Symbol {name: 'zebra'}) RETURN count(*)").rows == [[1]]
    assert memory.forget(project=memory.project, purge=True).purged.blobs == 1
    assert memory.cypher("MATCH (s:Symbol {name: 'zebra'}) RETURN count(*)").rows == [[0]]
    for file in memory.location.iterdir():
        assert not file.is_file() or CANARY.encode() not in read_stored(file), file.name


CHANGES: list[tuple[Callable[[list[bytes]], list[bytes]], str]] = [
    (lambda lines: lines[:2], "truncated"),
    (lambda lines: lines[:-1], "truncated"),
    (lambda lines: [lines[0], *lines[2:]], "does not continue|cut off"),
    (lambda lines: [lines[0], b'{"id": 5, "type": [], "at": "never"}'], "line 2"),
    (lambda lines: [lines[0], lines[1].replace(b'"digest"', b'"digits"'), *lines[2:]], "line 2"),
    (lambda lines: [lines[0], b"\xff\xfe\x00"], "line 2"),
    (lambda lines: [b"\xff\xfe\x00"], "line 1"),
]


def test_an_export_that_is_not_whole_is_refused(two: Callable[[], tuple[Memory, Memory]], tmp_path: Path) -> None:
    one, other = two()
    with one, other:
        fill(one)
        report = one.export(tmp_path / "whole.jsonl")
        lines = (tmp_path / "whole.jsonl").read_bytes().splitlines()
        assert report.records == len(lines) - 2
        head = other.head
        for number, (change, said) in enumerate(CHANGES):
            (tmp_path / "cut.jsonl").write_bytes(b"\n".join(change(lines)) + b"\n")
            with pytest.raises(SourceError, match=said):
                other.merge(tmp_path / "cut.jsonl")
            assert other.head == head, number
        older = [lines[0].replace(b', "ended": true', b""), *lines[1:-1]]  # as versions before wrote it
        (tmp_path / "older.jsonl").write_bytes(b"\n".join(older) + b"\n")
        assert other.merge(tmp_path / "older.jsonl").records > 0
