"""Runs task operations in every order that hypothesis generates. The invariants of tasks hold after each step, and a replay
of the log gives the same book as the incremental one."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule
from task_desk import temporary_desk

from graphmem.errors import NotFound, UsageError
from graphmem.model.tasks import CLOSED, PRIORITIES, STATUSES
from graphmem.tasks.blocking import find_cycle, is_unblocked
from graphmem.tasks.book import TaskBook

TITLES = ("Parse the file", "Write the index", "Release", "결제 모듈 정리", "Move the lock", "Read the log")
WORDS = ("the vendor answers", "#99", "https://example.org/a/1", "PROJ-7", "승인 대기")


class TaskMachine(RuleBasedStateMachine):
    ids = Bundle("ids")

    @initialize()
    def open(self) -> None:
        self.folder, self.desk = temporary_desk()
        self.tasks = self.desk.tasks

    def teardown(self) -> None:
        self.desk.log.close()
        self.folder.cleanup()

    def attempt(self, act: Any) -> None:
        try:
            act()
        except (UsageError, NotFound) as error:
            assert str(error)

    @rule(
        target=ids,
        title=st.sampled_from(TITLES),
        status=st.sampled_from(STATUSES),
        ref=st.sampled_from((None, "T-a1", "T-b2")),
    )
    def create(self, title: str, status: str, ref: str | None) -> Any:
        made = self.tasks.create(title, status=status, ref=ref)
        head = self.desk.log.head()
        assert self.tasks.create(title, status=status, ref=ref).id == made.id
        assert self.desk.log.head() == head
        return made.id

    @rule(target=ids, title=st.sampled_from(TITLES), by=st.sampled_from((*TITLES, *WORDS)))
    def create_blocked(self, title: str, by: str) -> Any:
        try:
            return self.tasks.create(f"{title} again", blocked_by=[by]).id
        except UsageError:
            return multiple()

    @rule(id=ids, status=st.sampled_from(STATUSES))
    def move(self, id: str, status: str) -> None:
        before = self.tasks.show(id).task.status
        self.attempt(lambda: self.tasks.update(id, status=status))
        assert (before, self.tasks.show(id).task.status) != ("pending", "done")

    @rule(id=ids, by=st.lists(st.sampled_from(WORDS), max_size=2), other=ids)
    def block(self, id: str, by: list[str], other: str) -> None:
        self.attempt(lambda: self.tasks.update(id, blocked_by=[*by, other]))

    @rule(id=ids, by=st.sampled_from((*WORDS, None)), confirmed=st.booleans())
    def add_blocker(self, id: str, by: str | None, confirmed: bool) -> None:
        self.attempt(lambda: self.tasks.block(id, by, confirmed=confirmed))

    @rule(id=ids)
    def confirm(self, id: str) -> None:
        self.attempt(lambda: self.tasks.confirm(id))

    @rule(id=ids, which=st.integers(0, 2))
    def unblock(self, id: str, which: int) -> None:
        blockers = self.tasks.show(id).task.blocked_by
        self.attempt(lambda: self.tasks.unblock(id, blockers[which].id if which < len(blockers) else None))

    @rule(
        id=ids,
        other=ids,
        relation=st.sampled_from(("depends_on", "waits_for", "parent", "duplicates")),
        remove=st.booleans(),
    )
    def link(self, id: str, other: str, relation: str, remove: bool) -> None:
        self.attempt(lambda: self.tasks.link(id, relation, other, remove=remove))

    @rule(id=ids, by=st.sampled_from(("ann", "bob")))
    def claim(self, id: str, by: str) -> None:
        self.attempt(lambda: self.tasks.claim(id, by, lease=1))

    @rule(id=ids)
    def release(self, id: str) -> None:
        self.tasks.release(id)

    @rule(seconds=st.integers(0, 5))
    def wait(self, seconds: int) -> None:
        self.desk.clock.sleep(seconds)

    @rule(id=ids)
    def reopen(self, id: str) -> None:
        self.tasks.reopen(id)

    @rule(
        words=st.sampled_from(WORDS),
        other=st.one_of(st.none(), ids),
        verdict=st.sampled_from(("confirmed", "rejected", "pending")),
    )
    def resolve(self, words: str, other: str | None, verdict: str) -> None:
        self.attempt(lambda: self.tasks.resolve(words, other, verdict=verdict))

    @rule(id=ids, priority=st.sampled_from(PRIORITIES), title=st.sampled_from(("A new title", "또 다른 제목")))
    def edit(self, id: str, priority: str, title: str) -> None:
        self.tasks.update(id, priority=priority, title=title)

    @invariant()
    def states_are_sound(self) -> None:
        if not hasattr(self, "tasks"):
            return
        check(self.tasks._ledger.book())

    @invariant()
    def ready_is_free(self) -> None:
        if not hasattr(self, "tasks"):
            return
        book = self.tasks._ledger.book()
        held = {each.task.id for each in self.tasks.blocked()}
        for task in self.tasks.ready():
            assert task.open and is_unblocked(book, task) and task.id not in held

    @invariant()
    def replay_is_the_same(self) -> None:
        if not hasattr(self, "tasks"):
            return
        grown = self.tasks._ledger.book()
        replayed = self.desk.open()._ledger.book()
        assert replayed.tasks == grown.tasks
        assert replayed.conditions == grown.conditions and replayed.artifacts == grown.artifacts
        assert replayed.history == grown.history and replayed.changed == grown.changed
        for event in self.desk.log.read():
            grown.apply(event)  # once more changes nothing
        assert replayed.tasks == grown.tasks

    @invariant()
    def any_order_is_sound(self) -> None:
        if not hasattr(self, "tasks"):
            return
        events = list(self.desk.log.read())
        random.Random(len(events)).shuffle(events)
        book = TaskBook()
        for event in events:
            book.apply(event)
        for task in book.tasks.values():
            assert task.status != "blocked" or task.blocked_by or task.suggested
            assert task.open or not (task.blocked_by or task.suggested)


def check(book: TaskBook) -> None:
    for task in book.tasks.values():
        assert task.status != "blocked" or task.blocked_by or task.suggested
        assert task.status == "blocked" or not task.blocked_by
        if task.status in CLOSED:
            assert not task.suggested and not task.claimed_by and task.closed_at is not None
        else:
            assert task.closed_at is None
        for target in (*task.depends_on, *task.waits_for, *(ref.id for ref in task.blocked_by)):
            assert not find_cycle(book, task.id, target)
        story = [entry.text for entry in book.history[task.id]]
        assert not any(text.startswith("pending → done") and "rejected" not in text for text in story)


TaskMachine.TestCase.settings = settings(
    max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestTaskMachine = TaskMachine.TestCase
