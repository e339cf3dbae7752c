"""A step that fails on an event holds up no other: the event is tried again, then given up, then tried on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.backends.backlog.sqlite import SqliteBacklog
from graphmem.backends.log.sqlite import SqliteLog
from graphmem.cognify.source import Source
from graphmem.cognify.steps import Step, retry_failed, run_steps
from graphmem.cognify.triggers import ALL, CONCLUSIONS, STEPS, TRIGGERS
from graphmem.cognify.windows import cut_windows
from graphmem.model.events import Draft
from graphmem.sync.flush import flush_window, triggers_of

MINUTE = 60_000_000


class Reader:
    """A step that cannot read one word until it has learnt it."""

    def __init__(self) -> None:
        self.learnt = False
        self.calls = 0

    def derive(self, sources: Sequence[Source]) -> list[dict[str, Any] | None]:
        self.calls += 1
        if not self.learnt and any("poison" in source.event.payload["content"] for source in sources):
            raise ValueError("cannot read this")
        return [{"read": source.event.payload["content"]} for source in sources]


@pytest.fixture
def log(tmp_path: Path, clock: Any) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "log.db", clock)
    yield log
    log.close()


def append(log: SqliteLog, *contents: str) -> list[str]:
    drafts = [Draft("user_prompt", {"role": "user", "content": c}, 1, "s", "p", "user", None) for c in contents]
    return [appended.id for appended in log.append(drafts)]


def test_one_bad_event_is_retried_given_up_and_revived(tmp_path: Path, log: SqliteLog, clock: Any) -> None:
    reader = Reader()
    step = Step("read/1", frozenset({"user_prompt"}), reader.derive)
    backlog = SqliteBacklog(tmp_path / "buffer.db", clock, retries=2)
    ids = append(log, *(f"turn {n}" for n in range(20)), "poison", *(f"turn {n}" for n in range(20, 30)))
    assert run_steps(log, log.read(), [step], backlog) == 30
    assert reader.calls < 15  # halves, not each alone
    assert [letter.event for letter in backlog.letters(dead=False)] == [ids[20]]
    assert backlog.due() == {}  # not at once
    for _ in range(2):
        clock.time += 60 * MINUTE
        assert retry_failed(log, backlog.due(), [step], backlog) == 0
    assert [(dead.event, dead.attempts) for dead in backlog.letters(dead=True)] == [(ids[20], 3)]
    clock.time += 600 * MINUTE
    assert backlog.due() == {}
    backlog.close()
    backlog = SqliteBacklog(tmp_path / "buffer.db", clock, retries=2)  # it is durable
    reader.learnt = True
    assert backlog.revive() == 1
    assert retry_failed(log, backlog.due(), [step], backlog) == 1
    assert backlog.letters(dead=True) == backlog.letters(dead=False) == []
    assert log.processed_sources("read/1", ids) == set(ids)
    backlog.close()


def test_what_was_forgotten_leaves_the_backlog(tmp_path: Path, log: SqliteLog, clock: Any) -> None:
    step = Step("read/1", frozenset({"user_prompt"}), Reader().derive)
    backlog = SqliteBacklog(tmp_path / "buffer.db", clock, retries=2)
    ids = append(log, "poison")
    run_steps(log, log.read(), [step], backlog)
    log.forget(ids, Draft("memory_forgotten", {"events": ids, "nodes": [], "items": []}, 1, "", "p", "user", None))
    clock.time += 60 * MINUTE
    retry_failed(log, backlog.due(), [step], backlog)
    assert backlog.letters(dead=False) == []
    backlog.close()


def test_windows_hold_each_turn_once_in_order_with_the_turns_before() -> None:
    class Event:
        def __init__(self, number: int) -> None:
            self.id, self.project, self.session = str(number), "p", "ab"[number % 2]

    sources: list[Any] = [Source(Event(n), "Turn", str(n), "") for n in range(50)]  # type: ignore[arg-type]
    cut = list(cut_windows(sources, 10, 2))
    read = [source.node for window in cut for source in window.sources]
    assert sorted(read, key=int) == [str(n) for n in range(50)] and read == [
        *map(str, range(0, 50, 2)),
        *map(str, range(1, 50, 2)),
    ]
    assert [len(window.sources) for window in cut] == [10, 10, 5] * 2
    assert [len(window.before) for window in cut] == [0, 2, 2] * 2
    assert [s.node for s in cut[1].before] == ["16", "18"]


def test_each_trigger_runs_exactly_its_stages(memory: Memory) -> None:
    assert TRIGGERS["session_end"] == STEPS | {"skills", "summaries"}
    assert TRIGGERS["post_commit"] == STEPS | {"patterns", "gotchas"}
    assert TRIGGERS["test_failure"] == {"episodes", "gotchas"}
    assert TRIGGERS["task_completion"] == TRIGGERS["daily"] == ALL == STEPS | CONCLUSIONS
    store = memory._store
    failing = {
        "role": "tool",
        "command": "npm test",
        "exit_code": 1,
        "content": "error: no such module 'left-pad'",
        "input": {},
    }
    said = {"role": "user", "content": "We decided to use pnpm instead of npm for the shop."}
    store.recorder.record([
        Draft("user_prompt", said, 1, "s", "demo", "user", None), Draft("tool_observation", failing, 2, "s", "demo", "tool", None),
        Draft("tool_observation", {**failing, "command": "npm run dev"}, 3, "s", "demo", "tool", None),
    ])  # fmt: skip
    assert triggers_of(store.log.read()) == {"test_failure"}
    flush_window(store)
    count = "MATCH (n:{}) RETURN count(n)"

    def counts() -> tuple[int, ...]:
        return tuple(memory.cypher(count.format(label)).rows[0][0] for label in ("Fact", "Gotcha", "Summary"))

    assert counts() == (1, 1, 0)
    ended = Draft("session_end", {"reason": ""}, 4, "s", "demo", "system", None)
    edited = {"role": "tool", "tool": "Edit", "writes": ["a.py"], "content": "edited", "input": {}}
    store.recorder.record([Draft("tool_observation", edited, 3, "s", "demo", "tool", None), ended])
    assert triggers_of(store.log.read(store.log.state.watermark("flushed"))) == {"session_end"}
    flush_window(store)
    assert counts() == (1, 1, 1)
    assert memory.health()["buffer"] == {"waiting": 0, "retrying": 0, "given_up": 0}
    flush_window(store, idle=True)
    before = memory.history()
    flush_window(store, idle=True)
    assert memory.history() == before and counts() == (1, 1, 1)
