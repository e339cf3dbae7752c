"""The to-do lists that agents keep during a session: every change becomes one event of the same step, apart from the tasks."""

from __future__ import annotations

from typing import Any

import pytest
from task_desk import START, Desk

from graphmem.tasks.steps import CONTINUED, REMOVED
from graphmem.text.todolists import TodoChange, TodoEntry, read_todo_call

A, B, C = "Read the parser", "Write the missing tests", "Update the changelog"


def send(desk: Desk, at: int, *todos: tuple[str, str], session: str = "s1") -> int:
    """What TodoWrite was given `at` seconds after the start."""
    given = {"todos": [{"content": title, "status": status, "activeForm": title} for title, status in todos]}
    change = read_todo_call("TodoWrite", given)
    assert change is not None
    return desk.tasks.follow_list(change, session=session, at=START + at * 1_000_000)


def steps(desk: Desk, session: str | None = "s1") -> list[tuple[str, str]]:
    return [(step.title, step.status) for step in desk.tasks.steps(session)]


def test_each_change_of_a_list_is_one_event_of_the_same_step(desk: Desk) -> None:
    assert send(desk, 1, (A, "in_progress"), (B, "pending"), (C, "pending")) == 3
    head = desk.log.head()
    assert send(desk, 2, (A, "in_progress"), (B, "pending"), (C, "pending")) == 0
    assert desk.log.head() == head
    assert send(desk, 3, (A, "completed"), (B, "in_progress"), (C, "pending")) == 2
    assert desk.log.head() == head + 2
    assert send(desk, 4, (B, "pending"), (C, "pending")) == 1  # back in the queue; what is done may leave the list
    send(desk, 5, (B, "completed"), (C, "completed"))
    assert steps(desk) == [(A, "done"), (B, "done"), (C, "done")]
    told = [one.text for one in desk.tasks.show(desk.tasks.steps("s1")[1].id).history]
    assert told == [f"created: {B}", "pending → in_progress", "in_progress → pending", "pending → done"]
    assert send(desk, 2, (A, "pending"), (B, "pending")) == 0  # an older copy that arrives late


def test_reworded_removed_and_repeated_entries(desk: Desk) -> None:
    send(
        desk,
        1,
        (A, "completed"),
        (B, "in_progress"),
        (C, "pending"),
        ("Run tests", "pending"),
        ("Run tests", "pending"),
    )
    before = {step.title: step.id for step in desk.tasks.steps("s1")}
    send(desk, 2, (A, "completed"), ("Write the missing tests of the lexer", "completed"), ("Run tests", "completed"),
         ("Run tests", "pending"))  # fmt: skip
    found = desk.tasks.steps("s1")
    assert [(step.title, step.status) for step in found] == [
        (A, "done"), ("Write the missing tests of the lexer", "done"), (C, "cancelled"), ("Run tests", "done"),
        ("Run tests", "pending")]  # fmt: skip
    assert found[1].id == before[B]
    assert REMOVED in desk.tasks.show(found[2].id).history[-1].text
    send(desk, 3, (C, "in_progress"))  # it is wanted again after all
    assert (C, "in_progress") in steps(desk) and len(steps(desk)) == 5


def test_steps_stay_out_of_the_work_of_others_until_a_session_continues_them(desk: Desk) -> None:
    send(desk, 1, (A, "completed"), (B, "in_progress"))
    assert not desk.tasks.find() and not desk.tasks.ready() and desk.tasks.report().counts["in_progress"] == 0
    assert B not in desk.tasks.prime() and B not in desk.tasks.dump("markdown") + desk.tasks.dump("state")
    assert desk.tasks.match(B).best is None
    task = desk.tasks.create(B)  # a person's task of the same name is another one
    assert not task.is_step and [one.id for one in desk.tasks.find()] == [task.id]
    assert steps(desk, None) == [(B, "in_progress")]
    send(desk, 100, (B, "completed"), session="s2")
    assert steps(desk, None) == [] and steps(desk) == [(A, "done"), (B, "cancelled")]
    assert CONTINUED in desk.tasks.show(desk.tasks.steps("s1")[1].id).history[-1].text
    assert desk.open().steps("s2")[0].status == "done"  # the same for another process


@pytest.mark.parametrize(
    ("tool", "given", "output", "entries"),
    [
        ("update_plan", {"plan": [{"step": A, "status": "completed"}]}, "", [TodoEntry(A, "done")]),
        ("TodoWrite", {"plan": [{"step": A, "status": "in_progress"}]}, "", [TodoEntry(A, "in_progress")]),
        ("write_todos", {"todos": [{"description": A, "status": "cancelled"}]}, "", [TodoEntry(A, "cancelled")]),
        ("manage_todo_list", {"todoList": [{"id": 1, "title": A, "description": "x", "status": "not-started"}]}, "",
         [TodoEntry(A, "pending", "1")]),
        ("todo_write", {"merge": True, "todos": [{"id": "a", "status": "completed"}]}, "", [TodoEntry("", "done", "a")]),
        ("TodoWrite", {"todos": f'[{{"content": "{A}", "status": "odd"}}]'}, "", [TodoEntry(A, "pending")]),
        ("TodoWrite", {"todos": []}, "", []),
        ("TaskCreate", {"subject": A}, "Task #3 created successfully: x", [TodoEntry(A, "pending", "3")]),
        ("TaskCreate", {"subject": A}, '{"task": {"id": "3", "subject": "x"}}', [TodoEntry(A, "pending", "3")]),
        ("TaskUpdate", {"taskId": "3", "status": "deleted"}, "", [TodoEntry("", "cancelled", "3")]),
        ("TaskList", {}, f"#3 [completed] {A}\n#4 [pending] {B} (me) [blocked by #3]",
         [TodoEntry(A, "done", "3"), TodoEntry(B, "pending", "4")]),
    ],
)  # fmt: skip
def test_the_list_tools_of_agents(tool: str, given: dict[str, Any], output: str, entries: list[TodoEntry]) -> None:
    change = read_todo_call(tool, given, output)
    assert change is not None and list(change.entries) == entries


@pytest.mark.parametrize(
    ("tool", "given"),
    [("Bash", {"todos": [{"content": A}]}), ("TodoWrite", {"todos": "[[["}), ("TodoWrite", {"todos": [5, None, [], {"id": 1}]}),
     ("TaskUpdate", {"taskId": "3"}), ("TaskCreate", {"subject": 5}), ("update_plan", {"plan": {"step": A}})],
)  # fmt: skip
def test_what_is_no_list(tool: str, given: dict[str, Any]) -> None:
    assert read_todo_call(tool, given) is None


def test_changes_of_single_entries(desk: Desk) -> None:
    def told(at: int, *entries: TodoEntry) -> int:
        return desk.tasks.follow_list(TodoChange(entries, is_whole=False), session="s1", at=START + at)

    told(1, TodoEntry(A, "pending", "1"), TodoEntry(B, "pending", "2"))
    assert (
        told(2, TodoEntry("", "in_progress", "1"), TodoEntry("Write tests", "", "2"), TodoEntry("", "done", "9")) == 2
    )
    assert told(3, TodoEntry("", "done", "1"), TodoEntry("", "cancelled", "2")) == 2
    assert steps(desk) == [(A, "done"), ("Write tests", "cancelled")]
