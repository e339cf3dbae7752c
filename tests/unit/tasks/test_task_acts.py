"""What single acts on tasks record and refuse: identity, transitions, blockers, relations, conditions, claims."""

from __future__ import annotations

import json
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support import STOP_S, with_deep
from task_desk import Desk, finished

from graphmem.backends.log.sqlite import SqliteLog
from graphmem.errors import NotFound, UsageError
from graphmem.log.append import Recorder
from graphmem.model.tasks import BlockedTask
from graphmem.ports.clock import SystemClock
from graphmem.privacy import PrivacySettings
from graphmem.tasks import report
from graphmem.tasks.book import TaskBook
from graphmem.tasks.service import Tasks


def test_the_same_title_is_the_same_task_in_every_session(desk: Desk) -> None:
    first = desk.tasks.create("Fix the C++ build")
    head = desk.log.head()
    again = desk.open().create("  fix THE c++ build! ", priority="high")
    assert again == first and desk.log.head() == head
    assert desk.tasks.create("Fix the C# build").id != first.id


def test_a_trackers_id_is_the_identity(tasks: Tasks) -> None:
    one, two = tasks.create("Clean up", ref="X-1"), tasks.create("Clean up", ref="X-2")
    assert one.id != two.id
    assert tasks.create("Renamed meanwhile", ref="X-1") == one


def test_a_task_without_id_is_adopted_by_the_tracker(tasks: Tasks) -> None:
    plain = tasks.create("Write the guide")
    adopted = tasks.create("Write the guide", ref="G-9")
    assert adopted.id == plain.id and adopted.ref == "G-9"
    assert tasks.show("G-9").task == adopted


def test_a_blocked_beginning_has_three_events(desk: Desk) -> None:
    desk.tasks.create("Deploy", blocked_by="the vendor answers")
    assert desk.types() == ["condition_declared", "task_created", "task_status_changed", "task_blockers_set"]


def test_nothing_begins_at_its_end(desk: Desk) -> None:
    task = desk.tasks.create("Old work", status="done")
    assert task.status == "in_progress"
    assert desk.tasks.update(task.id, status="done").status == "done"
    assert [entry.text for entry in desk.tasks.show(task.id).history] == [
        "created: Old work", "pending → in_progress", "in_progress → done"]  # fmt: skip


def test_work_that_never_started_is_not_done(desk: Desk) -> None:
    task = desk.tasks.create("Test it")
    task = desk.tasks.update(task.id, status="done")
    assert task.status == "in_progress"
    assert desk.types()[1:] == ["task_transition_rejected", "task_status_changed"]
    assert desk.tasks.update(task.id, status="done").status == "done"


def test_closed_work_only_comes_back_by_reopening(desk: Desk) -> None:
    task = finished(desk.tasks, "Ship")
    with pytest.raises(UsageError, match="reopening"):
        desk.tasks.update(task.id, status="blocked")
    assert desk.types()[-1] == "task_transition_rejected"
    head = desk.log.head()
    with pytest.raises(UsageError):
        desk.tasks.update(task.id, status="blocked")
    assert desk.log.head() == head  # said once
    assert desk.tasks.reopen(task.id).status == "in_progress"


def test_flip_flops_are_all_kept(desk: Desk) -> None:
    task = desk.tasks.create("Flip", status="in_progress")
    for status in ("blocked", "in_progress", "blocked", "in_progress"):
        desk.tasks.update(task.id, status=status)
        head = desk.log.head()
        desk.tasks.update(task.id, status=status)
        assert desk.log.head() == head
    assert desk.types().count("task_status_changed") == 5


def test_blocked_without_a_word_gets_a_placeholder(tasks: Tasks) -> None:
    task = tasks.update(tasks.create("Wait").id, status="blocked")
    (ref,) = task.blocked_by
    assert (ref.kind, ref.label, ref.confidence) == ("condition", "placeholder", 0.0)
    assert tasks.context("placeholders")[0].blocker == ref
    named = tasks.block(task.id, "the licence is signed")
    assert [each.label for each in named.blocked_by] == ["condition"]  # the real one takes its place


def test_leaving_blocked_takes_the_blockers_along(tasks: Tasks) -> None:
    task = tasks.create("Move", blocked_by="a free slot")
    moved = tasks.update(task.id, status="in_progress")
    assert not moved.blocked_by
    task = tasks.update(task.id, blocked_by="a free slot")
    done = tasks.update(task.id, status="done", commits=["c0ffee"], facts=["fact:1"], outcome="moved")
    assert (done.blocked_by, done.commits, done.facts, done.outcome) == ((), ("c0ffee",), ("fact:1",), "moved")


def test_a_task_is_ready_when_its_blockers_are_gone(tasks: Tasks) -> None:
    first = tasks.create("Parse")
    second = tasks.create("Index", blocked_by=first)
    third = tasks.create("Search", depends_on=second.id, priority="critical")
    assert tasks.ready() == [first]
    assert [each.task.id for each in tasks.blocked()] == [third.id, second.id]
    assert tasks.blocked()[0].blockers[0].chain == (third.id, second.id, first.id)
    assert tasks.unblocks(first.id) == [second]
    assert [task.id for task in tasks.critical_path()] == [first.id, second.id, third.id]
    tasks.update(first.id, status="in_progress")
    tasks.update(first.id, status="done")
    assert [task.id for task in tasks.ready()] == [second.id]


def test_parts_wait_with_their_whole_but_not_for_each_other(tasks: Tasks) -> None:
    gate = tasks.create("Gate")
    epic = tasks.create("Epic", kind="epic", depends_on=gate.id)
    part = tasks.create("Part", parent=epic.id)
    tasks.link(epic.id, "depends_on", part.id)
    assert [task.id for task in tasks.ready()] == [gate.id]
    tasks.update(gate.id, status="in_progress")
    tasks.update(gate.id, status="done")
    assert [task.id for task in tasks.ready()] == [part.id]


def test_what_a_whole_waits_for_holds_up_the_parts_of_its_parts(tasks: Tasks) -> None:
    gate, release = tasks.create("Gate"), tasks.create("Release")
    epic = tasks.create("Epic", parent=release.id)
    part = tasks.create("Part", parent=epic.id)
    tasks.link(release.id, "depends_on", gate.id)
    tasks.link(release.id, "depends_on", part.id)  # a whole waits for what is inside, which does not wait for itself
    assert [task.id for task in tasks.ready()] == [gate.id]
    tasks.update(gate.id, status="in_progress")
    tasks.update(gate.id, status="done")
    assert {task.id for task in tasks.ready()} == {epic.id, part.id}


@pytest.mark.parametrize("relation", ["depends_on", "waits_for", "parent"])
def test_cycles_are_refused_and_shown(tasks: Tasks, relation: str) -> None:
    a, b, c = (tasks.create(name, ref=name) for name in ("R-a", "R-b", "R-c"))
    tasks.link(a.id, relation, b.id)
    tasks.link(b.id, relation, c.id)
    with pytest.raises(UsageError, match="R-c → R-a → R-b → R-c") as caught:
        tasks.link(c.id, relation, a.id)
    assert caught.value.data["cycle"] == [c.id, a.id, b.id, c.id]
    with pytest.raises(UsageError, match="cycle"):
        tasks.link(a.id, relation, a.id)


def test_a_cycle_through_a_resolved_condition_is_refused(tasks: Tasks) -> None:
    waiting = tasks.create("Publish", blocked_by="the name is settled")
    naming = tasks.create("Settle a name", depends_on=waiting.id)
    with pytest.raises(UsageError, match="cycle"):
        tasks.resolve("the name is settled", naming)
    with pytest.raises(UsageError, match="cycle"):
        tasks.update(waiting.id, blocked_by=naming)


def test_a_cycle_that_would_close_behind_a_resolved_condition_is_refused(tasks: Tasks) -> None:
    waiting = tasks.create("Publish", blocked_by="the name is settled")
    naming = tasks.create("Settle a name")
    tasks.resolve("the name is settled", naming)
    with pytest.raises(UsageError, match="cycle"):
        tasks.link(naming.id, "depends_on", waiting.id)
    with pytest.raises(UsageError, match="cycle"):
        tasks.update(naming.id, status="blocked", blocked_by=waiting)


def test_conditions_resolve_later(tasks: Tasks) -> None:
    task = tasks.create("Publish", blocked_by="the audit is over")
    audit = tasks.create("Run the security audit")
    tasks.resolve("the audit is over", audit, verdict="pending")
    assert [row.state for row in tasks.context()] == ["pending"]
    condition = tasks.resolve("the audit is over", audit)
    assert condition is not None and condition.resolved_to == audit.id
    (row,) = tasks.context("resolved")
    assert (row.target, row.state) == (audit.id, "resolved")
    assert tasks.show(task.id).blockers[0].id == audit.id
    tasks.update(audit.id, status="in_progress")
    tasks.update(audit.id, status="done")
    assert [each.id for each in tasks.ready()] == [task.id]


def test_a_condition_can_come_true_or_be_the_wrong_one(tasks: Tasks) -> None:
    task = tasks.create("Fly", blocked_by="the weather clears")
    other = tasks.create("Clear the table")
    tasks.resolve("the weather clears", other)
    tasks.resolve("the weather clears", other, verdict="rejected")
    assert not tasks.conditions()[0].resolved and tasks.conditions()[0].rejected == (other.id,)
    tasks.resolve("the weather clears")
    assert task.id in [each.id for each in tasks.ready()]


def test_what_came_true_is_shown_as_a_blocker_no_more(tasks: Tasks) -> None:
    task = tasks.create("한글 작업", blocked_by=["리뷰 완료", "the port is open"])
    tasks.resolve("리뷰 완료")
    shown = tasks.show(task.id).task
    assert shown.status == "blocked" and [ref.text for ref in shown.blocked_by] == ["the port is open"]
    goal = tasks.create("Open the port")
    tasks.resolve("the port is open", goal)
    assert tasks.show(task.id).task.status == "blocked"
    tasks.update(goal.id, status="cancelled")
    for shown in (tasks.show(task.id).task, *tasks.find(status="pending"), *tasks.ready()):
        assert (shown.id, shown.status, shown.blocked_by) == (task.id, "pending", ())
    assert not tasks.find(status="blocked") and tasks.report().counts["blocked"] == 0
    tasks.resolve("the port is open", goal, verdict="rejected")
    assert tasks.find(status="blocked")[0].id == task.id and not tasks.ready()
    tasks.resolve("the port is open")
    assert tasks.update(task.id, status="done").status == "done"


def test_suggestions_block_nothing_until_confirmed(tasks: Tasks) -> None:
    task, other = tasks.create("Paint"), tasks.create("Sand")
    task = tasks.update(task.id, suggested=[other])
    assert not task.blocked_by and task in tasks.ready()
    assert [row.target for row in tasks.context("suggested")] == [other.id]
    task = tasks.confirm(task.id)
    assert task.status == "blocked" and [ref.id for ref in task.blocked_by] == [other.id] and not task.suggested
    freed = tasks.unblock(task.id, other)
    assert freed.status == "in_progress" and freed in tasks.ready()  # for anyone to take up


def test_titles_stay_findable_after_a_change(tasks: Tasks) -> None:
    task = tasks.create("Old name")
    renamed = tasks.update(task.id, title="New name", labels=["ui"], priority="p0")
    assert renamed.id == task.id and renamed.priority == "critical" and renamed.labels == ("ui",)
    assert tasks.create("Old name").id == task.id
    assert tasks.match("old name").best.method == "alias"  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="colour"):
        tasks.update(task.id, colour="red")
    with pytest.raises(NotFound, match="`graphmem tasks match` finds"):
        tasks.show("no such thing")
    with pytest.raises(NotFound, match=f"similar: `{task.id}` New name"):
        tasks.update("name", status="done")  # part of a title leads to the task, and closes none


@pytest.mark.parametrize("lease", [0, -1, 1e9, 1.7e308, -1.7e308, float("inf"), float("nan")])
def test_a_claim_lasts_a_time_that_ends(desk: Desk, lease: float) -> None:
    task = desk.tasks.create("Write the manual")
    with pytest.raises(UsageError, match="at most 31,622,400 seconds"):
        desk.tasks.claim(task.id, "ann", lease=lease)
    assert not desk.tasks.find()[0].claimed_by and desk.tasks.ready()


def test_claims_end_and_are_renewed(desk: Desk) -> None:
    task = desk.tasks.create("Sweep")
    claimed = desk.tasks.claim(task.id, "ann", lease=60)
    assert claimed is not None and (claimed.claimed_by, claimed.status) == ("ann", "in_progress")
    assert desk.tasks.ready() == []
    with pytest.raises(UsageError, match="claimed by ann"):
        desk.tasks.claim(task.id, "bob")
    desk.clock.sleep(50)
    desk.tasks.claim(task.id, "ann", lease=60)
    desk.clock.sleep(50)
    assert desk.tasks.ready() == []
    desk.clock.sleep(20)
    assert [each.id for each in desk.tasks.ready()] == [task.id]
    taken = desk.tasks.claim(None, "bob")
    assert taken is not None and taken.claimed_by == "bob"
    assert desk.tasks.claim(None, "cid") is None
    assert desk.tasks.release(task.id, "bob") in desk.tasks.ready()


def test_blocked_work_cannot_be_claimed(tasks: Tasks) -> None:
    task = tasks.create("Fly", blocked_by="a runway")
    with pytest.raises(UsageError, match="a runway"):
        tasks.claim(task.id, "ann")


def _claim_all(path: str, name: str, start: multiprocessing.synchronize.Event, taken: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    log = SqliteLog(Path(path), SystemClock())
    tasks = Tasks(log, Recorder(log).record, SystemClock(), "demo", origin=log.origin)
    start.wait()
    mine = []
    while (task := tasks.claim(None, name)) is not None:
        mine.append(task.id)
    taken.put((name, mine))


@pytest.mark.parametrize("processes", with_deep([3], [8]))
def test_several_processes_claim_and_no_task_is_claimed_twice(desk: Desk, processes: int) -> None:
    ids = {desk.tasks.create(f"Piece {number}").id for number in range(24)}
    context = multiprocessing.get_context("spawn")
    start, taken = context.Event(), context.Queue()
    workers = [
        context.Process(target=_claim_all, args=(str(desk.path), f"w{number}", start, taken))
        for number in range(processes)
    ]
    for worker in workers:
        worker.start()
    start.set()
    claims = dict(taken.get(timeout=STOP_S) for _ in workers)
    for worker in workers:
        worker.join(STOP_S)
    every = [task for mine in claims.values() for task in mine]
    assert len(every) == len(set(every)) and set(every) == ids
    book = {task.id: task.claimed_by for task in desk.tasks.find()}
    assert all(book[task] == name for name, mine in claims.items() for task in mine)
    assert desk.types().count("task_claimed") == len(ids)


def test_a_forgotten_act_does_not_stop_the_next(desk: Desk) -> None:
    from graphmem.model.events import Draft

    task = desk.tasks.create("Keep going")
    desk.tasks.update(task.id, status="in_progress")
    last = [event for event in desk.log.read() if event.type == "task_status_changed"][-1]
    desk.log.forget([last.id], Draft("memory_forgotten", {"events": [last.id]}, desk.clock.now()))
    assert desk.tasks.show(task.id).task.status == "pending"
    assert desk.tasks.update(task.id, status="in_progress").status == "in_progress"


def test_threads_share_one_book(desk: Desk) -> None:
    def work(number: int) -> int:
        desk.tasks.create(f"Piece {number}", depends_on=[first.id])
        return len(desk.tasks.blocked()) + len(desk.tasks.match("piece").candidates) + len(desk.tasks.ready())

    first = desk.tasks.create("First piece")
    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(60)))
    assert len(desk.tasks.find()) == 61 and len(desk.tasks.blocked()) == 60


def test_the_lock_is_held_while_the_book_is_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[bool] = []
    read = report.blocked_section

    def note(book: TaskBook) -> list[BlockedTask]:
        with ThreadPoolExecutor(1) as pool:  # another thread: the lock may be taken again by the one that holds it
            held.append(not pool.submit(desk.tasks._ledger.lock.acquire, blocking=False).result())
        return read(book)

    monkeypatch.setattr(report, "blocked_section", note)
    desk.tasks.blocked()
    assert held == [True]


HIDDEN = "hf" + "_kQvXzMbRtLwPcNsYhJdGfTaVeUoBxEiWqK"


@pytest.mark.parametrize(
    "title",
    ["do <private>CANARY9</private> it", f"use {HIDDEN} here", "wait <private>CANARY9 " + "long " * 120 + "</private>"],
)
def test_no_key_or_id_holds_what_a_title_hides(desk: Desk, title: str) -> None:
    task = desk.tasks.create(title, blocked_by=[f"until {title}", "see <private>CANARY9-12</private> first"])
    assert desk.tasks.create(title) == task
    desk.tasks.create("plain", ref=HIDDEN)
    events = "".join(str(event) for event in desk.log.read()).lower()
    assert "canary9" not in events and HIDDEN.lower() not in events and HIDDEN[3:].lower() not in events


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("hidden", ["<private>CANARY{}</private>", "hf" + "_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeF{}H"])
def test_what_is_left_of_a_title_is_no_identity(desk: Desk, hidden: str, turned: bool) -> None:
    issues = [{"number": n, "title": f"use {hidden.format(n)} here", "state": "open"} for n in (1, 2)]
    imports = [f"- [ ] use {hidden.format(3)} here\n", json.dumps(issues)]
    for text in reversed(imports) if turned else imports:
        assert desk.tasks.load(text).changed == 0
    assert len(desk.tasks.find()) == 3
    for text in imports:
        assert desk.tasks.load(text).created == 0
    assert len(desk.tasks.find()) == 3


def test_what_the_settings_hide_is_in_no_key_either(desk: Desk) -> None:
    hiding = PrivacySettings(strict=True)
    tasks = Tasks(desk.log, Recorder(desk.log, hiding).record, desk.clock, "demo", hiding=hiding)
    tasks.create("do <private>CANARY9")
    assert "canary9" not in "".join(str(event) for event in desk.log.read()).lower()
