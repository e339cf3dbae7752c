"""When the owner flushes: a full window, a timer, idleness; and nothing that came is ever left waiting."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.owner.window import FlushScheduler
from graphmem.settings import Buffer

LIMITS = Buffer(window=10, flush_s=3.0, idle_s=8.0)


def test_a_window_is_due_when_it_is_full_old_or_quiet() -> None:
    window = FlushScheduler(LIMITS, done=0, now=100.0)
    assert window.due(107.9) == ""
    assert window.due(108.0) == "idle"  # what was there before the owner began
    window.flushed(0, "idle")
    assert window.due(200.0) == ""
    window.on_append(4, 200.0)
    assert window.due(201.0) == ""
    assert window.due(203.0) == "window"
    window.on_append(10, 201.5)
    assert window.due(201.6) == "window"
    window.flushed(10, "window")
    assert window.waiting == 0 and window.due(202.0) == ""
    assert window.due(210.0) == "idle"
    window.flushed(10, "idle")
    assert window.due(999.0) == ""


def test_what_comes_after_the_concluding_steps_is_concluded_too() -> None:
    window = FlushScheduler(Buffer(window=10, flush_s=60.0, idle_s=8.0), done=0, now=100.0)
    window.flushed(0, "idle")
    window.on_append(1, 110.0)
    assert window.due(117.9) == "" and window.due(118.0) == "idle"


def test_a_log_that_does_not_grow_is_idle_however_often_it_is_read() -> None:
    window = FlushScheduler(LIMITS, done=0, now=100.0)
    window.on_append(4, 101.0)
    window.flushed(4, "window")
    for now in (103.0, 106.0, 108.9):
        window.on_append(4, now)
        assert window.due(now) == ""
    window.on_append(4, 109.0)
    assert window.due(109.0) == "idle"


def test_the_oldest_waiting_event_decides_when_a_window_is_old() -> None:
    window = FlushScheduler(LIMITS, done=0, now=100.0)
    window.on_append(1, 200.0)
    window.on_append(2, 202.0)
    assert window.due(202.9) == "" and window.due(203.0) == "window"
    window.flushed(2, "window")
    window.on_append(3, 204.0)  # the next window begins with its own first event
    assert window.due(206.9) == "" and window.due(207.0) == "window"


def test_there_is_something_to_do_until_everything_is_concluded() -> None:
    window = FlushScheduler(LIMITS, done=0, now=100.0)
    assert window.has_changes
    window.flushed(0, "idle")
    assert not window.has_changes
    window.on_append(2, 101.0, is_use=True)  # nothing is derived from it
    assert not window.has_changes and window.waiting == 0
    window.on_append(3, 102.0)
    assert window.has_changes is True and window.waiting == 1
    window.on_append(4, 103.0, is_use=True)  # it waits with the others
    assert window.waiting == 2
    window.flushed(4, "window")
    assert window.has_changes is True and window.waiting == 0
    window.on_append(5, 104.0)
    window.flushed(4, "idle")  # what came meanwhile is not concluded
    assert window.has_changes is True and window.waiting == 1
    window.flushed(5, "idle")
    assert window.has_changes is False


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 15), st.floats(0.05, 4.0)), max_size=40))
def test_nothing_waits_longer_than_its_limits(steps: list[tuple[int, float]]) -> None:
    window, head, now, done, came = FlushScheduler(LIMITS, 0, 100.0), 0, 100.0, 0, {}
    for more, pause in [*steps, (0, 3.0), (0, 9.0)]:
        head, now = head + more, now + pause
        came |= dict.fromkeys(range(head - more + 1, head + 1), now)
        window.on_append(head, now)
        kind = window.due(now)
        if kind:
            window.flushed(head, kind)
            done = head
        waiting = [now - came[position] for position in range(done + 1, head + 1)]
        assert len(waiting) < LIMITS.window and all(age < LIMITS.flush_s for age in waiting)
    assert done == head
