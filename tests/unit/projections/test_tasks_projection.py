"""Task events become graph and items, each by itself: what the edges say after all events is what the book says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphmem.model.changes import Changes
from graphmem.model.events import Event
from graphmem.projections import tasks as projection
from graphmem.projections.batch import compact_batches

sys.path.insert(0, str(Path(__file__).parents[1] / "tasks"))
from task_desk import Desk

EDGES = {
    "depends_on": "DEPENDS_ON",
    "waits_for": "WAITS_FOR",
    "discovered_from": "DISCOVERED_FROM",
    "duplicates": "DUPLICATES",
}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    tasks = made.tasks
    first = tasks.create("Parse", description="Words", labels=["core"], files=["src/a.py"], ref="P-1")
    second = tasks.create("Index", blocked_by=[first, "the schema is agreed", "https://example.org/x"], parent=first.id)
    third = tasks.create("Search", depends_on=second.id, discovered_from=first.id, waits_for=first.id)
    tasks.create("Search again", duplicates=third.id)
    tasks.resolve("the schema is agreed", "https://example.org/y")
    tasks.update(third.id, suggested=[first])
    tasks.update(first.id, title="Parse it all", labels=["core", "slow"], status="in_progress")
    tasks.update(first.id, status="done", commits=["c0ffee", "0123456789" * 4], facts=["fact:1"], outcome="parsed")
    tasks.link(third.id, "waits_for", first.id, remove=True)
    tasks.claim(tasks.create("Claimed").id, "ann")
    tasks.update(second.id, blocked_by=["another thing"])
    return made


def graph(changes: list[Changes]) -> tuple[dict[tuple[str, str], dict[str, object]], set[tuple[str, str, str]]]:
    nodes: dict[tuple[str, str], dict[str, object]] = {}
    edges: set[tuple[str, str, str, str]] = set()
    for change in changes:
        for key in change.removed_edges:
            edges = {e for e in edges if not (e[0] == key.type and e[1] == key.source and e[3] == key.target_label
                                              and key.target in ("", e[2]))}  # fmt: skip
        for node in change.nodes:
            nodes.setdefault((node.label, node.id), {}).update(node.properties)
        for edge in change.edges:
            assert edge.type and edge.source and edge.target
            edges.add((edge.type, edge.source, edge.target, edge.target_label))
    return nodes, {edge[:3] for edge in edges}


def test_the_graph_says_what_the_book_says(desk: Desk) -> None:
    nodes, edges = graph([projection.project_task(event) for event in desk.log.read()])
    book = desk.tasks._ledger.book()
    for task in book.tasks.values():
        properties = nodes["Task", task.id]
        assert (properties["status"], properties["title"], properties["priority"]) == (
            task.status,
            task.title,
            task.priority,
        )
        assert properties.get("ref", "") == task.ref and properties.get("outcome", "") == task.outcome
        assert {e[2] for e in edges if e[:2] == ("BLOCKED_BY", task.id)} == {ref.id for ref in task.blocked_by}
        assert {e[2] for e in edges if e[:2] == ("BLOCKED_BY_SUGGESTED", task.id)} == {ref.id for ref in task.suggested}
        for relation, kind in EDGES.items():
            assert {e[2] for e in edges if e[:2] == (kind, task.id)} == set(getattr(task, relation))
        assert {e[2] for e in edges if e[:2] == ("TAGGED", task.id)} == {f"tag:{label}" for label in task.labels}
        wholes = {e[2] for e in edges if e[:2] == ("PART_OF", task.id)} - {"project:demo"}
        assert wholes == ({task.parent} if task.parent else set())
    for condition in book.conditions.values():
        assert nodes["Condition", condition.id]["resolved"] == condition.resolved
        assert {e[2] for e in edges if e[:2] == ("RESOLVES_TO", condition.id)} == {condition.resolved_to} - {""}
    assert ("FIXED_BY", "task:demo:p-1", "commit:c0ffee") in edges and ("PRODUCED", "task:demo:p-1", "fact:1") in edges


def test_every_end_of_an_edge_is_a_node(desk: Desk) -> None:
    nodes, edges = graph([projection.project_task(event) for event in desk.log.read()])
    known = {id_ for _, id_ in nodes} | {"fact:1", f"commit:{'0123456789' * 4}"}  # those wait for their node
    assert all(source in known and target in known for _, source, target in edges)


def test_one_batch_has_the_effect_of_all(desk: Desk) -> None:
    each = [projection.project_task(event) for event in desk.log.read()]
    assert graph([compact_batches(each)]) == graph(each) == graph([*each, *each])


def test_items_carry_the_words(desk: Desk) -> None:
    items = {item.id: item for event in desk.log.read() for item in projection.project_task(event).items}
    item = items["task:demo:p-1"]
    assert (item.kind, item.title, item.text, item.ref, item.tags) == (
        "task",
        "Parse it all",
        "Words",
        "P-1",
        ("core", "slow"),
    )
    assert len(items) == 5


def test_every_type_of_task_event_is_projected_or_left_on_purpose() -> None:
    assert set(projection.TYPES) - set(projection._PROJECTIONS) == {"task_transition_rejected"}
    assert not projection.project_task(
        Event(1, "e", "task_transition_rejected", 1, 0, 0, "o", "", "", "", {"task": "t"})
    )
