"""The graph engine takes 130 MB while it is open: an owner that is only searched leaves it closed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem import settings
from graphmem.model.events import Draft
from graphmem.operations.pipeline import Process, Project, ReleaseMemory
from graphmem.owner.window import FlushScheduler
from graphmem.ports.text import EVENTS
from graphmem.services.recording import record_turns
from graphmem.settings import Buffer
from graphmem.store import Store
from graphmem.sync.health import check_health


@pytest.fixture
def owned(tmp_path: Path) -> Iterator[Store]:
    path = tmp_path / "store"
    store = Store(path, settings.load_settings(path), "demo")
    assert store.own()
    record_turns(store, [{"content": "We keep the queue in SQLite.", "session": "s", "ref": "1"}])
    store.run(Process())
    yield store
    store.close()


def _record_use(store: Store) -> None:
    store.recorder.record([Draft("memory_used", {"notes": []}, store.clock.now(), "", store.project, "system")])


def _is_open(store: Store) -> bool:
    return store.access.owned.unused_s > 0


def test_an_event_that_does_not_change_the_graph_leaves_it_closed(owned: Store) -> None:
    seen = owned.log.head()
    owned.run(ReleaseMemory(only_graph=True))
    _record_use(owned)
    owned.run(Project(seen))
    assert not _is_open(owned) and owned.text.cursors()[EVENTS] == owned.log.head() == seen + 1


def test_a_turn_opens_the_graph_and_brings_it_up_to_date(owned: Store) -> None:
    seen = owned.log.head()
    owned.run(ReleaseMemory(only_graph=True))
    _record_use(owned)
    record_turns(owned, [{"content": "The parser fails on empty files.", "session": "s", "ref": "2"}])
    owned.run(Project(seen))
    assert _is_open(owned) and owned.graph.cursors()[EVENTS] == owned.log.head()
    assert owned.graph.query("MATCH (t:Turn) RETURN count(t)").rows == [[2]]


def test_the_position_of_a_closed_graph_is_no_reason_to_process(owned: Store) -> None:
    seen = owned.log.head()
    _record_use(owned)
    owned.run(Project(seen))
    report = check_health(owned)
    assert report["projected"]["graph"] == seen and report["advice"] == []


def test_use_is_not_derived_from_but_ends_idleness() -> None:
    window = FlushScheduler(Buffer(window=10, flush_s=3.0, idle_s=8.0), done=0, now=100.0)
    window.flushed(0, "idle")
    window.on_append(20, 200.0, is_use=True)
    assert window.due(203.0) == "" and not window.has_changes
    assert window.due(208.0) == "idle" and not window.has_changes  # memory is released again
    window.on_append(21, 204.0)
    window.on_append(22, 205.0, is_use=True)
    assert window.waiting == 2 and window.has_changes and window.due(207.0) == "window"
