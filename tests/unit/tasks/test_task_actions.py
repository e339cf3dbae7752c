"""Each action on a task as a table: what it records for the state that the task is in, what it refuses, and when it records nothing.
Pure: a task book in memory, no log. Mutants of `tasks/actions.py` and `tasks/blocking.py` die here, so actions are made while the test
runs, not when it is collected."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from task_desk import book_of

from graphmem.errors import UsageError
from graphmem.model.tasks import Artifact, BlockerRef, Condition, Task, to_datetime
from graphmem.tasks import actions, blocking
from graphmem.tasks.book import TaskBook
from graphmem.tasks.ledger import Act

NOW, LATER = 1_760_000_000_000_000, 1_760_000_060_000_000  # microseconds
A, B, C = (BlockerRef("task", id_, text=f"the {id_}") for id_ in "abc")
VENDOR = BlockerRef("condition", "vendor", "the vendor answers", 0.4, "condition", ("a",))
PLACEHOLDER = BlockerRef("condition", "someone", "", 1.0, "placeholder")


def a_task(status: str = "pending", **fields: Any) -> Task:
    return Task("t", "Write the manual", status=status, **fields)  # type: ignore[arg-type]


def state(
    status: str, blockers: tuple[BlockerRef, ...] = (), suggested: tuple[BlockerRef, ...] = (), **claim: Any
) -> dict[str, Any]:
    """The register of an event, as it is stored."""
    return {"status": status, "blockers": [ref.payload() for ref in blockers],
            "suggested": [ref.payload() for ref in suggested], **claim}  # fmt: skip


CLAIM: dict[str, Any] = {"claimed_by": "ann", "claimed_until": to_datetime(LATER)}
KEPT = {"claimed_by": "ann", "claimed_until": LATER}
REPLACED = {"mode": "replace"}


@pytest.mark.parametrize(
    ("task", "act", "recorded"),
    [
        # move
        (a_task(), lambda: actions.move("in_progress", None, (), {}),
         ("task_status_changed", {"from": "pending", "to": "in_progress", **REPLACED, "state": state("in_progress")})),
        (a_task(), lambda: actions.move("pending", None, (), {}), None),
        (a_task(), lambda: actions.move("pending", None, (), {"reason": "so", "by": "ann"}), None),
        (a_task(), lambda: actions.move("pending", None, (), {"outcome": "half"}),
         ("task_status_changed", {"from": "pending", "to": "pending", **REPLACED, "state": state("pending"), "outcome": "half"})),
        (a_task(), lambda: actions.move("blocked", (A,), (B,), {"reason": "waits"}),
         ("task_status_changed", {"from": "pending", "to": "blocked", **REPLACED, "state": state("blocked", (A,)), "reason": "waits"})),
        (a_task(), lambda: actions.move("blocked", None, (B,), {}),
         ("task_status_changed", {"from": "pending", "to": "blocked", **REPLACED, "state": state("blocked", (B,))})),
        (a_task(), lambda: actions.move("blocked", (), (B,), {}),
         ("task_status_changed", {"from": "pending", "to": "blocked", **REPLACED, "state": state("blocked", (B,))})),
        (a_task(suggested=(C,)), lambda: actions.move("blocked", None, (B,), {}),  # a suggestion is a reason: no placeholder
         ("task_status_changed", {"from": "pending", "to": "blocked", **REPLACED, "state": state("blocked", (), (C,))})),
        (a_task("blocked", blocked_by=(A,)), lambda: actions.move("blocked", (A, B), (), {}),
         ("task_blockers_set", {"from": "blocked", "to": "blocked", **REPLACED, "state": state("blocked", (A, B))})),
        (a_task("blocked", blocked_by=(A,)), lambda: actions.move("blocked", None, (B,), {}), None),
        (a_task("blocked", blocked_by=(A,), suggested=(C,)), lambda: actions.move("in_progress", None, (), {}),
         ("task_status_changed", {"from": "blocked", "to": "in_progress", **REPLACED, "state": state("in_progress", (), (C,))})),
        (a_task("in_progress", **CLAIM), lambda: actions.move("in_progress", None, (), {}), None),
        (a_task("in_progress", **CLAIM), lambda: actions.move("done", None, (), {"outcome": "printed"}),
         ("task_status_changed", {"from": "in_progress", "to": "done", **REPLACED, "state": state("done"), "outcome": "printed"})),
        (a_task(), lambda: actions.move("done", None, (), {}),
         ("task_transition_rejected", {"from": "pending", "to": "done",
                                       "reason": "a task that was not started cannot be done; it is now in progress"})),
        (a_task("in_progress", rejected="in_progress → pending was rejected: …"), lambda: actions.move("pending", None, (), {}), None),
        (a_task("in_progress", rejected="pending → done was rejected: …"), lambda: actions.move("pending", None, (), {}),
         ("task_transition_rejected", {"from": "in_progress", "to": "pending",
                                       "reason": "a task that is in_progress cannot become pending"})),
        # reopen
        (a_task("done"), lambda: actions.reopen(NOW, ""),
         ("task_status_changed", {"from": "done", "to": "in_progress", "reopened": True, "reason": "reopened",
                                  "state": state("in_progress", claimed_by="", claimed_until=NOW)})),
        (a_task("cancelled"), lambda: actions.reopen(NOW, "wanted"),
         ("task_status_changed", {"from": "cancelled", "to": "in_progress", "reopened": True, "reason": "wanted",
                                  "state": state("in_progress", claimed_by="", claimed_until=NOW)})),
        (a_task("in_progress"), lambda: actions.reopen(NOW, ""), None),
        # claim
        (a_task(suggested=(C,)), lambda: actions.claim("ann", NOW, LATER),
         ("task_claimed", {"from": "pending", "by": "ann", "until": LATER, "state": state("in_progress", (), (C,), **KEPT)})),
        (a_task("in_progress", **CLAIM), lambda: actions.claim("ann", NOW, LATER + 1),
         ("task_claimed", {"from": "in_progress", "by": "ann", "until": LATER + 1,
                           "state": state("in_progress", claimed_by="ann", claimed_until=LATER + 1)})),
        (a_task("in_progress", **CLAIM), lambda: actions.claim("bob", LATER, LATER + 1),  # the claim has just ended
         ("task_claimed", {"from": "in_progress", "by": "bob", "until": LATER + 1,
                           "state": state("in_progress", claimed_by="bob", claimed_until=LATER + 1)})),
        (a_task("in_progress", claimed_by="ann"), lambda: actions.claim("bob", NOW, LATER),  # a claim without an end binds nobody
         ("task_claimed", {"from": "in_progress", "by": "bob", "until": LATER,
                           "state": state("in_progress", claimed_by="bob", claimed_until=LATER)})),
        (a_task("blocked", blocked_by=(A,)), lambda: actions.claim("ann", NOW, LATER, any_status=True),
         ("task_claimed", {"from": "blocked", "by": "ann", "until": LATER, "state": state("in_progress", **KEPT)})),
        # adopt
        (a_task(), lambda: actions.adopt("blocked", (A,), (C,), {"by": "ann"}),
         ("task_status_changed", {"from": "pending", "to": "blocked", "state": state("blocked", (A,), (C,)), "reason": "merged", "by": "ann"})),
        (a_task(), lambda: actions.adopt("blocked", (BlockerRef("task", "t"),), (C,), {}),  # itself: left out
         ("task_status_changed", {"from": "pending", "to": "blocked", "state": state("blocked", (), (C,)), "reason": "merged"})),
        (a_task(), lambda: actions.adopt("blocked", (BlockerRef("task", "t"), A), (), {}),
         ("task_status_changed", {"from": "pending", "to": "blocked", "state": state("blocked", (A,)), "reason": "merged"})),
        (a_task(), lambda: actions.adopt("blocked", (BlockerRef("task", "t"),), (), {}),
         ("task_transition_rejected", {"from": "pending", "to": "blocked", "reason": "this task has no such blocker"})),
        (a_task("done"), lambda: actions.adopt("in_progress", (), (), {"reason": "theirs"}),
         ("task_status_changed", {"from": "done", "to": "in_progress", "state": state("in_progress"), "reason": "theirs"})),
        # suggest
        (a_task(suggested=(C,)), lambda: actions.suggest((A,)),
         ("task_blockers_set", {"mode": "suggest", "state": state("pending", (), (A,))})),
        (a_task("in_progress", **CLAIM), lambda: actions.suggest((A,)),
         ("task_blockers_set", {"mode": "suggest", "state": state("in_progress", (), (A,), **KEPT)})),
        (a_task("blocked", blocked_by=(A,)), lambda: actions.suggest((C, BlockerRef("task", "t"))),
         ("task_blockers_set", {"mode": "suggest", "state": state("blocked", (A,), (C,))})),
        (a_task("blocked", blocked_by=(A,), suggested=(C,)), lambda: actions.suggest(()),
         ("task_blockers_set", {"mode": "suggest", "state": state("blocked", (A,))})),
        (a_task(suggested=(C,)), lambda: actions.suggest((C,)), None),
        # confirm
        (a_task(suggested=(VENDOR, C)), lambda: actions.confirm("vendor"),
         ("task_status_changed", {"from": "pending", "to": "blocked", **REPLACED, "state": state(
             "blocked", (BlockerRef("condition", "vendor", "the vendor answers", 1.0, "confirmed", ("a",)),), (C,))})),
        (a_task("blocked", blocked_by=(A, PLACEHOLDER), suggested=(VENDOR,)), lambda: actions.confirm("vendor"),
         ("task_blockers_set", {"from": "blocked", "to": "blocked", **REPLACED, "state": state(
             "blocked", (A, BlockerRef("condition", "vendor", "the vendor answers", 1.0, "confirmed", ("a",))))})),
        (a_task(suggested=(C,)), lambda: actions.confirm("a"), None),
        # unblock
        (a_task("blocked", blocked_by=(A, B), suggested=(C,)), lambda: actions.unblock("a", NOW, "done with"),
         ("task_blockers_set", {"from": "blocked", **REPLACED, "reason": "done with", "state": state("blocked", (B,), (C,))})),
        (a_task("blocked", blocked_by=(A,), suggested=(C,)), lambda: actions.unblock("a", NOW, ""),
         ("task_blockers_set", {"from": "blocked", **REPLACED, "reason": "", "state": state("blocked", (), (C,))})),
        (a_task("blocked", blocked_by=(A,), suggested=(C,)), lambda: actions.unblock("c", NOW, ""),
         ("task_blockers_set", {"from": "blocked", **REPLACED, "reason": "", "state": state("blocked", (A,))})),
        (a_task("blocked", blocked_by=(A,)), lambda: actions.unblock("a", NOW, "free"),
         ("task_status_changed", {"from": "blocked", "to": "in_progress", **REPLACED, "reason": "free",
                                  "state": state("in_progress", claimed_by="", claimed_until=NOW)})),
        (a_task("blocked", blocked_by=(A, B), suggested=(C,)), lambda: actions.unblock(None, NOW, ""),
         ("task_status_changed", {"from": "blocked", "to": "in_progress", **REPLACED, "reason": "",
                                  "state": state("in_progress", claimed_by="", claimed_until=NOW)})),
        (a_task("in_progress", suggested=(C,), **CLAIM), lambda: actions.unblock("c", NOW, ""),
         ("task_blockers_set", {"from": "in_progress", **REPLACED, "reason": "", "state": state("in_progress", **KEPT)})),
        (a_task("blocked", blocked_by=(A,)), lambda: actions.unblock("b", NOW, ""), None),
        (a_task(), lambda: actions.unblock(None, NOW, ""), None),
        # edit
        (a_task(), lambda: actions.edit({"title": "Print it"}),
         ("task_title_changed", {"set": {"title": "Print it"}, "title": "Print it", "description": "", "ref": "", "labels": []})),
        (a_task(description="long", labels=("ui",)), lambda: actions.edit({"labels": ("ui", "new")}),
         ("task_changed", {"set": {"labels": ["ui", "new"]}, "title": "Write the manual", "description": "long", "ref": "",
                           "labels": ["ui", "new"]})),
        (a_task(), lambda: actions.edit({"assignee": "ann"}), ("task_changed", {"set": {"assignee": "ann"}})),
        (a_task(assignee="ann", files=("a.py",)), lambda: actions.edit({"assignee": "ann", "files": ["a.py"]}), None),
        (a_task(assignee="ann"), lambda: actions.edit({"assignee": "ann"}, touch=True), ("task_changed", {"set": {"assignee": "ann"}})),
        # prioritise
        (a_task(), lambda: actions.prioritise("p0"), ("task_priority_changed", {"from": "medium", "to": "critical"})),
        (a_task(), lambda: actions.prioritise("medium"), None),
        (a_task(), lambda: actions.prioritise("medium", touch=True), ("task_priority_changed", {"from": "medium", "to": "medium"})),
        # link
        (a_task(), lambda: actions.link("depends_on", "a", "task", remove=False),
         ("task_linked", {"relation": "depends_on", "target": "a", "kind": "task"})),
        (a_task(depends_on=("a",)), lambda: actions.link("depends_on", "a", "task", remove=False), None),
        (a_task(depends_on=("a",)), lambda: actions.link("depends_on", "a", "task", remove=False, touch=True),
         ("task_linked", {"relation": "depends_on", "target": "a", "kind": "task"})),
        (a_task(depends_on=("a",)), lambda: actions.link("depends_on", "a", "task", remove=True),
         ("task_linked", {"relation": "depends_on", "target": "a", "kind": "task", "removed": True})),
        (a_task(), lambda: actions.link("depends_on", "t", "task", remove=True), None),
        (a_task(), lambda: actions.link("depends_on", "t", "task", remove=True, touch=True),  # removing a cycle is no cycle
         ("task_linked", {"relation": "depends_on", "target": "t", "kind": "task", "removed": True})),
        (a_task(parent="a"), lambda: actions.link("parent", "a", "task", remove=False), None),
        (a_task(parent="a"), lambda: actions.link("parent", "b", "task", remove=False),
         ("task_linked", {"relation": "parent", "target": "b", "kind": "task"})),
        (a_task(), lambda: actions.link("related", "a", "task", remove=False),
         ("task_linked", {"relation": "related", "target": "a", "kind": "task"})),
    ],
)  # fmt: skip
def test_what_an_action_records(
    task: Task, act: Callable[[], Act], recorded: tuple[str, dict[str, Any]] | None
) -> None:
    book = book_of(task, *(Task(id_, f"Task {id_}", status="in_progress") for id_ in "abc"))
    assert act()(book, task) == recorded


@pytest.mark.parametrize(
    ("task", "act", "message"),
    [
        (a_task("in_progress", **CLAIM), lambda: actions.claim("bob", LATER - 1, LATER + 1),
         f"t is claimed by ann until {to_datetime(LATER):%Y-%m-%d %H:%M} UTC"),
        (a_task("done", ref="T-1"), lambda: actions.claim("bob", NOW, LATER), "T-1 is done: reopen it first"),
        (a_task("blocked", blocked_by=(A, B)), lambda: actions.claim("bob", NOW, LATER), "t still waits for A-1 → b"),
        (a_task("cancelled"), lambda: actions.suggest((A,)), "t is cancelled, so nothing blocks it"),
        (a_task("blocked", suggested=(C,)), lambda: actions.suggest(()), "a blocked task needs a blocker: unblock it instead"),
        (a_task(), lambda: actions.move("blocked", (A, BlockerRef("task", "w")), (), {}), "this would create a cycle: t → w → vendor is back → t"),
        (a_task(suggested=(BlockerRef("task", "w"),)), lambda: actions.confirm("w"), "this would create a cycle: t → w → vendor is back → t"),
        (a_task(), lambda: actions.link("waits_for", "w", "task", remove=False), "this would create a cycle: t → w → vendor is back → t"),
        (a_task(), lambda: actions.link("depends_on", "t", "task", remove=False), "this would create a cycle: t → t"),
        (a_task(), lambda: actions.link("parent", "part", "task", remove=False), "this would create a cycle: t → part → t"),
        (a_task(), lambda: actions.link("related", "t", "task", remove=False), "this would create a cycle: t → t"),
        (a_task(), lambda: actions.edit({"title": "  "}), "a task needs a title"),
    ],
)  # fmt: skip
def test_what_an_action_refuses(task: Task, act: Callable[[], Act], message: str) -> None:
    """Task w waits for a condition that came true as task t; `part` is a part of t."""
    back = Condition("vendor", "vendor is back", resolved=True, resolved_to="t", resolved_kind="task")
    waiting = Task("w", "Wait", status="blocked", blocked_by=(BlockerRef("condition", "vendor"),))
    others = Task("a", "A", ref="A-1"), Task("b", "B"), Task("c", "C"), waiting, Task("part", "Part", parent="t")
    with pytest.raises(UsageError) as refused:
        act()(book_of(task, *others, conditions=(back,)), task)
    assert str(refused.value) == message
    details = refused.value.data
    assert details.get("id", "t") == "t" and details.get("by", "ann") == "ann"
    if "cycle" in message:
        assert details["cycle"][0] == details["cycle"][-1] == "t"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: actions.edit({"colour": "red", "beauty": 1}), "a task has no changeable field `beauty`"),
        (lambda: actions.edit({"title": "x" * 501}), "the title has more than 500 characters: move details to the description"),
        (lambda: actions.edit({"title": 5}), "title"),
        (lambda: actions.edit({"labels": "ui"}), "labels"),
        (lambda: actions.edit({"files": [1]}), "files"),
        (lambda: actions.edit({"aliases": 2}), "aliases"),
        (lambda: actions.prioritise("soon"), "there is no priority `soon`"),
        (lambda: actions.link("loves", "a", "task", remove=False), "there is no relation `loves`: use depends_on, waits_for, parent"),
    ],
)  # fmt: skip
def test_what_is_wrong_for_every_task(make: Any, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        make()
    assert message in str(refused.value)


def test_a_title_of_500_characters_is_allowed() -> None:
    task = a_task()
    recorded = actions.edit({"title": "x" * 500})(book_of(task), task)
    assert recorded is not None and recorded[0] == "task_title_changed"


def test_a_field_that_redaction_changes_is_no_new_value() -> None:
    """What the log keeps of a secret is compared with what was given, so that saving it again records nothing."""
    secret = "password=hunter2hunter2"
    kept = actions._safe(secret)
    assert kept != secret and actions._safe([secret, "abc", 5]) == [kept, "abc", 5]
    task = a_task(description=kept, labels=(kept,))
    assert actions.edit({"description": secret, "labels": [secret]})(book_of(task), task) is None


# -- what blocks


WAITING = Task("w", "Wait", status="blocked", blocked_by=(BlockerRef("condition", "c1"),))


@pytest.mark.parametrize(
    ("condition", "end", "path", "is_blocking"),
    [
        (Condition("c1", "x"), "c1", ["c1"], True),
        (Condition("c1", "x", resolved_to="a"), "c1", ["c1"], True),  # undone
        (Condition("c1", "x", resolved=True), "", ["c1"], False),
        (Condition("c1", "x", resolved=True, resolved_to="a"), "a", ["c1", "a"], True),
        (Condition("c1", "x", resolved=True, resolved_to="d"), "d", ["c1", "d"], False),
        (Condition("c1", "x", resolved=True, resolved_to="c2"), "a", ["c1", "c2", "a"], True),
        (Condition("c1", "x", resolved=True, resolved_to="c1"), "c1", ["c1"], True),  # circular: it still waits
        (Condition("c1", "x", resolved=True, resolved_to="url"), "url", ["c1", "url"], True),
        (Condition("c1", "x", resolved=True, resolved_to="seen"), "seen", ["c1", "seen"], False),
        (Condition("c1", "x", resolved=True, resolved_to="gone"), "gone", ["c1", "gone"], False),
    ],
)
def test_what_a_condition_turned_out_to_be(condition: Condition, end: str, path: list[str], is_blocking: bool) -> None:
    book = book_of(
        WAITING, Task("a", "A"), Task("d", "D", status="done"),
        conditions=(condition, Condition("c2", "y", resolved=True, resolved_to="a")),
        artifacts=(Artifact("url", "url", "https://example.org"), Artifact("seen", "url", "https://example.org/2", resolved=True)),
    )  # fmt: skip
    assert blocking.follow_resolutions(book, "c1") == (end, path)
    assert blocking.is_blocking(book, "c1") is is_blocking
    assert blocking.is_unblocked(book, WAITING) is not is_blocking
    (*found,) = blocking.effective_blockers(book, WAITING)
    assert [(each.id, each.chain) for each in found] == ([(end, ("w", *path))] if is_blocking else [])
    if found:
        kind = "condition" if end in book.conditions else "artifact" if end == "url" else "task"
        state = "resolved" if len(path) > 1 else "pending"
        assert (found[0].kind, found[0].title, found[0].state) == (kind, book.title_of(end), state)
    shown = blocking.with_current_blockers(book, WAITING)
    assert (shown.status, shown.blocked_by) == (("blocked", WAITING.blocked_by) if is_blocking else ("pending", ()))


def test_parts_wait_for_what_their_epic_waits_for_but_not_for_each_other() -> None:
    tasks = (
        Task("epic", "Epic", kind="epic", depends_on=("p1", "p2", "out"), parent="top"),
        Task("top", "Top", waits_for=("far",)),
        Task("p1", "Part one", parent="epic"), Task("p2", "Part two", parent="p1", depends_on=("near",)),
        Task("out", "Outside"), Task("far", "Far"), Task("near", "Near", status="done"),
    )  # fmt: skip
    book = book_of(*tasks)
    assert list(blocking.awaited_entities(book, book.tasks["p2"])) == ["near", "out", "far"]
    assert list(blocking.awaited_entities(book, book.tasks["epic"])) == ["p1", "p2", "out", "far"]
    assert [each.id for each in blocking.effective_blockers(book, book.tasks["p2"])] == ["out", "far"]
    assert [each.id for each in blocking.root_blockers(book, book.tasks["p2"])] == ["out", "far"]
    assert not blocking.is_unblocked(book, book.tasks["p1"])


def chain(*links: tuple[str, str], done: str = "") -> TaskBook:
    names = dict.fromkeys(name for link in links for name in link)
    return book_of(*(
        Task(name, name.upper(), status="done" if name in done else "pending",
             depends_on=tuple(b for a, b in links if a == name))
        for name in names
    ))  # fmt: skip


def test_roots_are_the_ends_of_the_shortest_chains() -> None:
    book = chain(("t", "a"), ("t", "b"), ("a", "c"), ("c", "d"), ("b", "d"), ("b", "e"), done="e")
    roots = blocking.root_blockers(book, book.tasks["t"])
    assert [(each.id, each.chain, each.title, each.kind, each.state) for each in roots] == [
        ("d", ("t", "b", "d"), "D", "task", "direct")
    ]
    assert blocking.root_blockers(book, book.tasks["d"]) == []
    held = {task.id: {each.id: each.chain for each in blockers} for task, blockers in blocking.held_tasks(book)}
    assert held == {
        "t": {"a": ("t", "a", "c", "d"), "b": ("t", "b", "d")}, "a": {"c": ("a", "c", "d")},
        "b": {"d": ("b", "d")}, "c": {"d": ("c", "d")},
    }  # fmt: skip
    circle = chain(("t", "a"), ("a", "b"), ("b", "t"))
    assert [each.chain for each in blocking.root_blockers(circle, circle.tasks["t"])] == [("t", "a", "b")]
    held = [(task.id, [each.chain for each in blockers]) for task, blockers in blocking.held_tasks(circle)]
    assert held == [("t", [("t", "a")]), ("a", [("a", "b")]), ("b", [("b", "t")])]  # a cycle has no root


def test_cycles_are_found_before_they_exist() -> None:
    book = chain(("a", "b"), ("b", "c"), ("x", "a"))
    assert blocking.find_cycle(book, "c", "a") == ("c", "a", "b", "c")
    assert blocking.find_cycle(book, "c", "c") == ("c", "c")
    assert blocking.find_cycle(book, "a", "c") == () == blocking.find_cycle(book, "c", "unknown")
    nested = book_of(Task("a", "A"), Task("b", "B", parent="a"), Task("c", "C", parent="b"))
    assert blocking.lineage_cycle(nested, "a", "c") == ("a", "c", "b", "a")
    assert blocking.lineage_cycle(nested, "c", "a") == () == blocking.lineage_cycle(nested, "c", "unknown")
    assert blocking.lineage_cycle(nested, "a", "a") == ("a", "a")


def test_closing_a_task_frees_what_waits_for_it_alone() -> None:
    tasks = (
        Task("t", "T"), Task("other", "Other"),
        Task("alone", "Alone", depends_on=("t",)), Task("both", "Both", depends_on=("t", "other")),
        Task("closed", "Closed", status="cancelled", depends_on=("t",)),
        Task("through", "Through", waits_for=("c1",)), Task("part", "Part", parent="alone"),
        Task("twice", "Twice", depends_on=("t",), waits_for=("c1",)), Task("piece", "Piece", parent="part"),
    )  # fmt: skip
    conditions = (
        Condition("c1", "x", resolved=True, resolved_to="c2"),
        Condition("c2", "y", resolved=True, resolved_to="t"),
    )
    book = book_of(*tasks, conditions=conditions)
    freed = {each.id for each in blocking.freed_tasks(book, book.tasks["t"])}
    assert freed == {"alone", "part", "piece", "twice", "through"}


def test_the_critical_path_is_the_longest_chain_in_order_of_work() -> None:
    book = chain(("t", "a"), ("a", "b"), ("b", "c"), ("t", "x"), ("z", "y"), done="c")
    assert [task.id for task in blocking.critical_path(book)] == ["b", "a", "t"]
    assert [task.id for task in blocking.critical_path(book, "a")] == ["b", "a"]
    assert [task.id for task in blocking.critical_path(book, "z")] == ["y", "z"]
    lonely = book_of(Task("one", "One"), Task("gone", "Gone", status="done"))
    assert [task.id for task in blocking.critical_path(lonely, "one")] == ["one"]
    assert blocking.critical_path(lonely) == [] == blocking.critical_path(lonely, "gone")
    circle = chain(("b", "c"), ("c", "b"), ("d", "c"))
    assert [task.id for task in blocking.critical_path(circle)] == ["b", "d"]


def test_a_blocked_task_shows_only_what_still_blocks() -> None:
    book = book_of(Task("a", "A"), Task("b", "B", status="done"))
    both = Task("t", "T", status="blocked", blocked_by=(A, B))
    assert blocking.with_current_blockers(book, both).blocked_by == (A,)
    for suggested, status in (((A,), "blocked"), ((B,), "pending"), ((), "pending")):
        hint = Task("t", "T", status="blocked", suggested=suggested)
        assert blocking.with_current_blockers(book, hint).status == status
    passed = Task("t", "T", status="blocked", blocked_by=(B,), suggested=(A,))
    assert blocking.with_current_blockers(book, passed).status == "pending"
    started = Task("t", "T", status="in_progress", claimed_until=datetime(2026, 1, 1, tzinfo=UTC))
    assert blocking.with_current_blockers(book, started) is started
