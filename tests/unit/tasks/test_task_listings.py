"""Tasks that the log knows only from what trackers print, from plans and from agents' own lists: all, with the right state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.tasks.extract import listings, prose, tools

READY = "📋 Ready work (2 issues with no blockers):\n\n1. [● P1] [epic] web-a1: Filter chips\n2. [P2] [task] web-a1.1: State of chips"
LISTED = (
    "○ web-a1.2 [● P2] [task] - Render chips (blocked by: web-a1, web-a1.1, blocks: web-a1.3)\n"
    "◐ web-a1.3 [● P3] [bug] - Fix the overflow (blocked by: web-a1)"
)
SHOWN = "✓ web-a1.4 · Keep chips after a reload   [● P2 · CLOSED]\nOwner: Ann · Type: task\n\nDESCRIPTION\n1. not [P2] a task"


def test_what_bd_prints_is_read() -> None:
    ready = list(listings.issues_of_bd(READY))
    assert [(r.ref, r.fields["title"], r.fields["priority"], r.status) for r in ready] == [
        ("web-a1", "Filter chips", "high", ""),
        ("web-a1.1", "State of chips", "medium", ""),
    ]
    waiting, working = listings.issues_of_bd(LISTED)
    assert (waiting.fields["title"], waiting.relations) == (
        "Render chips",
        {"blocked_by": ["web-a1.1"], "parent": ["web-a1"]},
    )
    assert (working.status, working.fields["title"]) == ("in_progress", "Fix the overflow")
    (shown,) = listings.issues_of_bd(SHOWN)
    assert (shown.ref, shown.status) == ("web-a1.4", "done")
    (headed,) = listings.issues_of_bd("web-b2: Old form\nStatus: in_progress\nPriority: P0\n")
    assert (headed.status, headed.fields["priority"]) == ("in_progress", "critical")


def test_what_gh_prints_into_a_pipe_is_read() -> None:
    output = "12\tOPEN\tCrash on start\tbug\t2026-03-01T00:00:00Z\n13\tCLOSED\tTypo\t\t2026-03-01T00:00:00Z\n"
    found = tools.tasks_of_tool_call("Bash", {"command": "gh issue list -R acme/web | cat"}, output, 5)
    assert [(r.ref, r.status) for r in found] == [("acme/web#12", "pending"), ("acme/web#13", "done")]


@pytest.mark.parametrize("output", ["", "no issues", "[P2] nothing here", "12 OPEN spaces", "- [ ] a box"])
def test_other_output_names_no_issue(output: str) -> None:
    assert not list(listings.issues_of_bd(output)) and not list(listings.issues_of_gh(output, ""))


def test_a_checklist_has_two_boxes() -> None:
    text = "Plan:\n- [x] Read the parser\n- [ ] Write the lexer\n```\n- [ ] not this\n```\n"
    assert [(r.fields["title"], r.status) for r in prose.tasks_of_checklist(text)] == [
        ("Read the parser", "done"),
        ("Write the lexer", "pending"),
    ]
    assert list(prose.tasks_of_checklist("- [ ] alone")) == []


@pytest.mark.parametrize(
    ("text", "title", "why"),
    [
        ("The mobile release can't ship until QA signs off.", "The mobile release", "QA signs off"),
        ("We are waiting for the new licence.", "", "the new licence"),
        ("결제 모듈은 보안팀 확인 대기", "결제 모듈", "보안팀 확인"),
    ],
)
def test_what_waits_for_what(text: str, title: str, why: str) -> None:
    (record,) = prose.blocked(text)
    assert (record.fields["title"], record.waits) == (title, [why])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", project="web") as opened:
        yield opened


def ran(memory: Memory, tool: str, arguments: dict[str, object], output: str, ref: str) -> None:
    metadata = {"tool": tool, "input": arguments}
    memory.observe(output, role="tool", session="s1", ref=ref, metadata=metadata)


def test_commands_on_issues_that_nothing_told_of_leave_them_in_their_final_state(memory: Memory) -> None:
    ran(memory, "Bash", {"command": "bd show web-a1.4 2>&1"}, SHOWN.replace("CLOSED", "OPEN").replace("✓", "○"), "1")
    ran(
        memory,
        "Bash",
        {"command": "bd update web-a1.4 --status in_progress 2>/dev/null"},
        "✓ Updated issue: web-a1.4",
        "2",
    )
    ran(
        memory,
        "Bash",
        {"command": "bd close web-a1.4 web-z9"},
        "✓ Closed web-a1.4: Closed\n✓ Closed web-z9: Closed",
        "3",
    )
    ran(memory, "Bash", {"command": "bd close web-q0"}, "Error: no issue found", "4")
    ran(memory, "TaskCreate", {"subject": "Write the guide"}, "Task #7 created successfully: Write the guide", "5")
    ran(memory, "TaskUpdate", {"taskId": "7", "status": "completed"}, "Updated task #7 status", "6")
    ran(memory, "ExitPlanMode", {"plan": "- [ ] Cut the parser\n- [x] Read the parser"}, "approved", "7")
    memory.process()
    assert {(task.title, task.status) for task in memory.tasks.find()} == {
        ("Keep chips after a reload", "done"),
        ("web-z9", "done"),
        ("Cut the parser", "pending"),
        ("Read the parser", "done"),
    }
    assert [(step.title, step.status) for step in memory.tasks.steps("s1")] == [("Write the guide", "done")]
