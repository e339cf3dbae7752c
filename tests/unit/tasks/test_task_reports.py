"""Reports as data and as text, on small and large books."""

from __future__ import annotations

import json
import random

import pytest
from task_desk import START, Desk, finished

from graphmem.errors import UsageError
from graphmem.model.events import Event
from graphmem.tasks import blocking, report
from graphmem.tasks.book import TaskBook
from graphmem.tasks.formats.records import TaskRecord
from graphmem.tasks.render import FORMATS, render
from graphmem.tasks.service import Tasks


@pytest.fixture
def busy(desk: Desk) -> Tasks:
    tasks = desk.tasks
    base = tasks.create("Lay | the <b>base</b>", priority="high", files=["src/base.c"], ref="R-1")
    for number in range(3):
        tasks.create(f"Wall {number}", blocked_by=base, files=["src/base.c", f"src/wall{number}.c"])
    roof = tasks.create("Roof", depends_on=[f"Wall {number}" for number in range(3)])
    tasks.create("Open the door", blocked_by="the key is found")
    finished(tasks, "Old shed", "torn down")
    epic = finished(tasks, "Yard")
    tasks.create("Left behind", parent=epic.id)
    tasks.claim(tasks.create("Chimney").id, "ann")
    desk.clock.sleep(20 * 86_400)
    tasks.update(roof.id, priority="low")
    return tasks


def test_one_page_says_it_all(busy: Tasks) -> None:
    page = busy.report()
    assert page.counts == {"pending": 3, "in_progress": 1, "blocked": 4, "done": 2, "cancelled": 0}
    assert [task.title for task in page.critical_path] == ["Lay | the <b>base</b>", "Wall 0", "Roof"]
    assert [(task.ref, count) for task, count in page.unblocks] == [("R-1", 3)]
    assert [task.title for task in page.orphans] == ["Left behind"]
    assert page.by_file[0][0] == "src/base.c" and len(page.by_file[0][1]) == 4
    assert "Roof" not in [task.title for task in page.stale] and len(page.stale) == 7
    days = {row[0]: row[1:] for row in page.burndown}
    assert len(days) == 28 and sum(created for created, _, _ in days.values()) == 10
    assert list(days.values())[-1][2] == 8


def test_a_condition_that_many_tasks_wait_for_is_named(desk: Desk) -> None:
    tasks = desk.tasks
    notice = tasks.create("Notice of refunds", blocked_by="legal approves")
    batch = tasks.create("Batch of refunds", blocked_by=notice)
    tasks.create("Letter to customers", blocked_by=batch)
    section = render(tasks.report()).partition("## What most tasks wait for in the end (1)\n")[2].partition("\n## ")[0]
    assert section.strip() == "- legal approves: 3"


def test_reports_read_in_every_format(busy: Tasks) -> None:
    page = busy.report()
    text = render(page)
    assert "# Tasks of demo" in text and "Lay ¦ the ‹b›base‹/b›" in text and "the key is found" in text
    assert len(text.splitlines()) < 80
    assert json.loads(render(page, "json"))["counts"]["blocked"] == 4
    chart = render(page, "mermaid")
    assert chart.startswith("flowchart LR") and "--> " in chart and "<b>" not in chart
    with pytest.raises(UsageError):
        render(page, "pdf")
    assert all(
        render(page, format) == render(busy.report(), format) or format == "json"
        for format in FORMATS
        if format != "markdown"
    )


def test_an_agent_wakes_up_to_few_words(busy: Tasks) -> None:
    text = busy.prime("ann")
    assert "10 " not in text.splitlines()[0] and "Yours:" not in text  # the claim ran out long ago
    assert "Lay | the" in text and "Door" not in text and "the key is found" in text
    for number in range(300):
        busy.create(
            f"작업 항목 번호 {number}: 한국어로 된 긴 제목을 가진 할 일", ref=f"KOREAN-{number}", priority="critical"
        )
    text = busy.prime()
    assert weight(text) < 400


def weight(text: str) -> int:
    """Tokens, counted by the tokenizer that splits Korean most."""
    from graphmem.backends.embed.wordllama import WordLlamaEmbedder

    return len(WordLlamaEmbedder()._tokenizer.encode(text, add_special_tokens=False).ids)


def test_an_empty_book_has_an_empty_report(tasks: Tasks) -> None:
    assert "none yet" in render(tasks.report()) and tasks.prime().startswith("Tasks: 0 open")
    assert tasks.critical_path() == [] and tasks.ready() == []


def folded(*events: tuple[str, dict[str, object]]) -> TaskBook:
    book = TaskBook()
    for number, (type_, payload) in enumerate(events, start=1):
        book.apply(Event(number, f"e{number}", type_, 1, START + number, START + number, "o", "", "p", "", payload))  # type: ignore[arg-type]
    return book


def chain(length: int, *extra: tuple[str, dict[str, object]]) -> TaskBook:
    made = [("task_created", {"task": f"t{n}", "title": f"t {n}"}) for n in range(length)]
    links = [
        ("task_linked", {"task": f"t{n}", "relation": "depends_on", "target": f"t{n + 1}"}) for n in range(length - 1)
    ]
    return folded(*made, *links, *extra)  # type: ignore[arg-type]


def test_long_chains_need_no_recursion() -> None:
    book = chain(1_500)
    assert len(blocking.find_cycle(book, "t1499", "t0")) == 1_501
    assert len(blocking.root_blockers(book, book.tasks["t0"])[0].chain) == 1_500
    assert len(blocking.critical_path(book)) == 1_500
    assert len(blocking.held_tasks(book)) == 1_499


def test_cycles_of_merged_logs_end_every_walk() -> None:
    closing = ("task_linked", {"task": "t9", "relation": "depends_on", "target": "t0"})
    around = [("condition_declared", {"condition": name, "text": name}) for name in ("c1", "c2")]
    turns = [
        ("condition_resolved_to", {"condition": a, "target": b, "kind": "condition"})
        for a, b in (("c1", "c2"), ("c2", "c1"))
    ]
    book = chain(10, closing, *around, *turns)  # type: ignore[arg-type]
    assert blocking.root_blockers(book, book.tasks["t3"]) and not blocking.is_unblocked(book, book.tasks["t3"])
    assert (
        blocking.is_blocking(book, "c1") and blocking.critical_path(book) and report.blocked_section(book) is not None
    )


def test_chains_agree_with_the_walk_from_one_task() -> None:
    random.seed(3)
    made = [("task_created", {"task": f"t{n}", "title": f"t {n}"}) for n in range(60)]
    links = [
        ("task_linked", {"task": f"t{n}", "relation": "depends_on", "target": f"t{random.randrange(n)}"})
        for n in range(1, 60)
    ]
    done = [("task_status_changed", {"task": f"t{n}", "state": {"status": "done"}}) for n in range(0, 60, 4)]
    book = folded(*made, *links, *done)  # type: ignore[arg-type]
    held = {task.id: blockers for task, blockers in blocking.held_tasks(book)}
    for task in book.tasks.values():
        roots = {each.id for each in blocking.root_blockers(book, task)}
        assert bool(roots) == (task.id in held) or not task.open
        for each in held.get(task.id, ()):
            assert each.chain[-1] in roots


def test_steps_of_finished_sessions_do_not_wake_with_a_new_one(tasks: Tasks) -> None:
    def step(title: str, status: str, at: int) -> TaskRecord:
        return TaskRecord("", {"title": title}, status, created=at, updated=at, source="agent")

    day = 86_400 * 1_000_000
    tasks.absorb([step("Sand the deck", "pending", day)], session="old")
    tasks.absorb([step("Oil the deck", "pending", 9 * day), step("Sweep the deck", "done", 9 * day)], session="new")
    tasks.create("Buy a mast")
    woken = tasks.prime(unasked=True)
    assert "Oil the deck" in woken and "Buy a mast" in woken and woken.startswith("Tasks: 2 open, 2 ready")
    assert "Sand" not in woken and "Sweep" not in woken and "Sand the deck" in tasks.prime()
