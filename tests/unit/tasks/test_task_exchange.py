"""Importers and exporters: identity by tracker's id, nothing twice, the newer value wins, and a text that two clones share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples
from task_desk import Desk, finished

from graphmem.errors import SourceError
from graphmem.tasks.formats import beads, github, markdown, state
from graphmem.tasks.service import Tasks


def issue(id: str, title: str, status: str = "open", updated: str = "2025-03-01T10:00:00Z", **more: object) -> str:
    row = {
        "id": id,
        "title": title,
        "status": status,
        "priority": 1,
        "created_at": "2025-02-01T10:00:00Z",
        "updated_at": updated,
    }
    return json.dumps(row | more)


def needs(*ids: str, type: str = "blocks") -> list[dict[str, str]]:
    return [{"depends_on_id": id, "type": type} for id in ids]


BEADS = "\n".join(
    [
        issue("m-1", "Dig the pond", "closed", closed_at="2025-03-01T10:00:00Z", close_reason="It holds water"),
        issue("m-2", "Fill the pond", dependencies=needs("m-1")),
        issue("m-3", "Buy fish", dependencies=needs("m-2") + needs("m-4", type="parent-child")),
        issue("m-4", "Garden", issue_type="epic"),
        issue("m-5", "Feed fish", "in_progress", dependencies=needs("m-9")),
        "not json",
        issue("m-6", "Gone", "tombstone"),
    ]
)


def test_beads_come_in_once_with_their_relations(desk: Desk) -> None:
    done = desk.tasks.load(BEADS, "beads")
    assert (done.created, done.relations) == (5, 3) and len(done.problems) == 2
    tasks = {task.ref: task for task in desk.tasks.find()}
    assert tasks["m-1"].status == "done" and tasks["m-1"].outcome == "It holds water"
    assert tasks["m-2"].status == "pending" and tasks["m-2"].depends_on == (tasks["m-1"].id,)
    assert tasks["m-3"].status == "blocked" and tasks["m-3"].blocked_by[0].id == tasks["m-2"].id
    assert tasks["m-3"].parent == tasks["m-4"].id and tasks["m-3"].priority == "high"
    head = desk.log.head()
    again = desk.tasks.load(BEADS, "beads")
    assert (again.created, again.changed, again.unchanged) == (0, 0, 5) and desk.log.head() == head


def test_an_older_file_undoes_nothing(desk: Desk) -> None:
    desk.tasks.load(issue("m-1", "Dig the pond"), "beads")
    desk.tasks.update("m-1", status="in_progress", title="Dig a deep pond")
    assert desk.tasks.load(issue("m-1", "Dig the pond", updated="2025-03-02T10:00:00Z"), "beads").changed == 0
    later = issue("m-1", "Dig a pond", "closed", updated="2030-01-01T00:00:00Z", closed_at="2030-01-01T00:00:00Z")
    assert desk.tasks.load(later, "beads").changed == 1
    task = desk.tasks.show("m-1").task
    assert (task.title, task.status) == ("Dig a pond", "done")


def test_recorded_cycles_are_left_out_and_told(desk: Desk) -> None:
    text = "\n".join(issue(f"m-{n}", f"Task {n}", dependencies=needs(f"m-{(n + 1) % 3}")) for n in range(3))
    done = desk.tasks.load(text, "beads")
    assert done.relations == 2 and any("cycle" in problem for problem in done.problems)


def test_github_issues(desk: Desk) -> None:
    rows = [
        {"number": 7, "title": "Crash on start", "body": "Blocked by #8 and acme/lib#3.\nPart of #9", "state": "OPEN",
         "labels": [{"name": "bug"}, {"name": "P0"}], "url": "https://github.com/acme/app/issues/7",
         "createdAt": "2025-01-01T00:00:00Z", "updatedAt": "2025-01-02T00:00:00Z", "assignees": [{"login": "kim"}]},
        {"number": 8, "title": "Read the config", "body": "", "state": "closed", "state_reason": "not_planned",
         "html_url": "https://github.com/acme/app/issues/8", "updated_at": "2025-01-02T00:00:00Z"},
        {"number": 9, "title": "Start-up", "body": "- [ ] #8\n", "state": "OPEN", "url": "https://github.com/acme/app/issues/9"},
        {"number": 10, "title": "A change", "pull_request": {}, "state": "open"},
    ]  # fmt: skip
    done = desk.tasks.load(json.dumps(rows), "auto")
    assert done.created == 3
    task = desk.tasks.show("#7").task
    assert (task.ref, task.priority, task.kind, task.assignee) == ("acme/app#7", "critical", "bug", "kim")
    assert [desk.tasks.show(each).task.ref for each in (*task.depends_on, task.parent)] == ["acme/app#8", "acme/app#9"]
    assert desk.tasks.show("#8").task.status == "cancelled" and desk.tasks.show("#8").task.parent == task.parent
    head = desk.log.head()
    assert desk.tasks.load(json.dumps(rows)).changed == 0 and desk.log.head() == head


CHECKLIST = """# Plan
- [ ] Build the shed !high #garden @ann
  - [x] Draw a plan
  - [/] Order wood (blocked by: Draw a plan)
- [-] Buy a boat <!-- B-1 -->
```
- [ ] not a task
```
- [ ] 창고 청소
"""


def test_checklists(desk: Desk) -> None:
    done = desk.tasks.load(CHECKLIST)
    assert done.created == 5 and not done.problems
    tasks = {task.title: task for task in desk.tasks.find()}
    shed = tasks["Build the shed"]
    assert (shed.priority, shed.labels, shed.assignee) == ("high", ("garden",), "ann")
    assert tasks["Draw a plan"].status == "done" and tasks["Draw a plan"].parent == shed.id
    assert tasks["Order wood"].depends_on == (tasks["Draw a plan"].id,) and tasks["Order wood"].status == "in_progress"
    assert tasks["Buy a boat"].status == "cancelled" and tasks["Buy a boat"].ref == "B-1"
    head = desk.log.head()
    assert desk.tasks.load(CHECKLIST).changed == 0 and desk.log.head() == head


def test_a_written_checklist_names_only_what_still_blocks(desk: Desk) -> None:
    desk.tasks.load("- [x] Draw a plan\n- [ ] Find nails\n- [ ] Order wood (blocked by: Draw a plan, Find nails)\n")
    (line,) = (line for line in desk.tasks.dump("markdown").splitlines() if "Order wood" in line)
    assert "blocked by" in line and "Draw a plan" not in line


@pytest.fixture
def full(desk: Desk) -> Desk:
    tasks = desk.tasks
    first = tasks.create("Dig #2 @ the pond !now", description="With a spade.\n\nSlowly.", ref="X-1", labels=["garden"])
    second = tasks.create(
        "Fill it", blocked_by=[first, "the tap is repaired", "https://example.org/permit"], priority="high"
    )
    tasks.create("Part", parent=second.id, depends_on=first.id, discovered_from=second.id)
    finished(tasks, "작은 일", "끝났다")
    tasks.update(tasks.create("Unsure").id, suggested=["some rain"])
    return desk


@pytest.mark.parametrize("format", ["beads", "github", "markdown", "state"])
def test_what_goes_out_comes_back_unchanged(full: Desk, format: str) -> None:
    text = full.tasks.dump(format)  # type: ignore[arg-type]
    assert text == full.tasks.dump(format)  # type: ignore[arg-type]
    head = full.log.head()
    done = full.tasks.load(text, format)  # type: ignore[arg-type]
    assert (done.created, done.changed) == (0, 0) and full.log.head() == head


def test_a_clone_agrees_through_the_text(full: Desk, tmp_path: Path) -> None:
    clone = Desk(tmp_path, name="clone.db")
    text = full.tasks.dump()
    clone.tasks.load(text)
    assert clone.tasks.dump() == text
    assert [task.title for task in clone.tasks.ready()] == [task.title for task in full.tasks.ready()]


def test_two_branches_meet_field_by_field(full: Desk, tmp_path: Path) -> None:
    other = Desk(tmp_path, name="other.db")
    other.tasks.load(full.tasks.dump())
    other.clock.time = full.clock.time = full.clock.time + 60_000_000
    full.tasks.update("X-1", title="Dig a deep pond")
    other.clock.sleep(5)
    other.tasks.update("X-1", priority="critical")
    other.tasks.resolve("the tap is repaired")
    conflict = "<<<<<<< ours\n" + full.tasks.dump() + "=======\n" + other.tasks.dump() + ">>>>>>> theirs\n"
    for desk in (full, other):
        desk.tasks.load(conflict, "state")
        task = desk.tasks.show("X-1").task
        assert (task.title, task.priority) == ("Dig a deep pond", "critical")
        assert desk.tasks.conditions()[0].resolved or desk.tasks.conditions()[1].resolved
    assert full.tasks.dump() == other.tasks.dump()


def test_sync_keeps_a_file_and_store_together(full: Desk, tmp_path: Path) -> None:
    file = tmp_path / "repo" / "tasks.jsonl"
    full.tasks.sync(file)
    assert file.read_text("utf-8") == full.tasks.dump()
    before = file.stat().st_mtime_ns
    full.tasks.sync(file)
    assert file.stat().st_mtime_ns == before
    clone = Desk(tmp_path, name="clone.db")
    assert clone.tasks.sync(file).created == len(full.tasks.find())


def test_closed_work_is_compacted(full: Desk) -> None:
    task = full.tasks.create("Long story", description="x" * 500, status="in_progress")
    full.tasks.update(task.id, status="done", outcome="short")
    rows = {row["id"]: row for row in map(json.loads, full.tasks.dump().splitlines()) if "id" in row}
    assert "description" not in rows[task.id] and rows[task.id]["outcome"] == "short"
    head = full.log.head()
    full.tasks.load(full.tasks.dump())
    assert full.log.head() == head and full.tasks.show(task.id).task.description == "x" * 500


@settings(max_examples=examples(150), deadline=None)
@given(st.text(max_size=300), st.sampled_from([beads.parse, markdown.parse, state.parse]))
def test_malformed_files_are_reported_never_raised(text: str, parse: object) -> None:
    parse(text)  # type: ignore[operator]


@settings(max_examples=examples(100), deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                        st.sampled_from(["id", "title", "number", "status", "dependencies", "labels", "body", "set", "priority",
                                         "created", "updated_at", "condition", "blocked_by", "parent"]), inner, max_size=6)))  # fmt: skip
def test_odd_json_is_reported_never_raised(value: object) -> None:
    text = json.dumps(value)
    for parse in (beads.parse, github.parse, state.parse):
        parse(text)


def test_odd_records_do_not_stop_the_import(tasks: Tasks) -> None:
    rows = [{"id": "task:demo:a", "title": "", "created": 5}, {"id": "task:demo:b", "title": "B", "priority": 7, "parent": "x"},
            {"id": "task:demo:c", "title": "C", "status": "nonsense"}, {"id": "task:demo:d", "title": "D"}]  # fmt: skip
    done = tasks.load("\n".join(map(json.dumps, rows)), "state")
    assert "D" in [task.title for task in tasks.find()] and done.problems


def test_a_state_file_that_cannot_be_read_is_named_so_and_left_alone(tasks: Tasks, tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(SourceError, match="cannot be read"):
        tasks.sync(file)
    assert file.read_bytes() == b"\xff\xfe\xfa"
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(SourceError, match="cannot be written"):
        tasks.sync(tmp_path / "folder" / "tasks.jsonl")
    assert not list(tmp_path.glob(".*")) and (tmp_path / "folder").read_text() == "a file"
