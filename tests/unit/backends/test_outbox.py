"""The outbox: every way through its states, and that a rebuild embeds nothing twice."""

import numpy as np
import pytest

from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.vectors.flat import FlatIndex
from graphmem.backends.vectors.outbox import DELAYS, KEPT, LEASE, SqliteOutbox
from graphmem.errors import UsageError
from graphmem.model.changes import Item
from graphmem.ports.text import ItemFilter

SIZE = 4


class Clock:
    time = 1_000_000_000

    def now(self):
        return self.time

    def random(self, size):
        return bytes(size)


class Rig:
    def __init__(self, folder):
        self.path = folder / "index.db"
        self.clock = Clock()
        self.index = Fts5Index(self.path)
        self.outbox = SqliteOutbox(self.path, "model-1", SIZE, self.clock)

    def put(self, *names, text="text", embed=True):
        self.index.apply([], [Item(n, "fact", "", f"{text} {n}", 0, embed=embed) for n in names], [], {})

    def work(self):
        jobs = self.outbox.claim(100)
        self.outbox.complete(jobs, np.eye(SIZE, dtype=np.float32)[[job.row % SIZE for job in jobs]])
        return [job.text for job in jobs]

    def count(self, status):
        return self.outbox.metrics()[status]


@pytest.fixture
def rig(tmp_path):
    return Rig(tmp_path)


def test_what_no_model_has_read_waits_before_and_after_there_are_jobs(tmp_path):
    index = Fts5Index(tmp_path / "index.db")
    index.apply([], [Item(n, "fact", "", f"text {n}", 0, event=n, embed=n != "c") for n in "abc"], [], {})
    vectors = FlatIndex(tmp_path / "index.db", "model-1", SIZE, index.mask)
    assert vectors.waiting(5) == ["a", "b"] and vectors.waiting(1) == ["a"]
    outbox = SqliteOutbox(tmp_path / "index.db", "model-1", SIZE, Clock())
    assert vectors.waiting(5) == ["a", "b"]
    jobs = outbox.claim(5)
    outbox.complete(jobs, np.eye(SIZE, dtype=np.float32)[: len(jobs)])
    assert vectors.waiting(5) == []


def test_jobs_are_done_once_oldest_first(rig):
    rig.put("not embedded", embed=False)  # so that jobs have other numbers than rows
    rig.put("a", "b")
    rig.put("c", embed=False)
    assert [job.text for job in rig.outbox.claim(1)] == ["text a"]
    assert rig.work() == ["text b"]
    assert rig.outbox.claim(10) == []
    assert rig.count("processing") == 1


def test_the_title_is_embedded_with_the_text(rig):
    rig.index.apply([], [Item("a", "fact", "Title", "body", 0), Item("b", "fact", "Same", "Same body", 0)], [], {})
    assert rig.work() == ["Title\nbody", "Same body"]


def test_failures_come_back_later_each_time_and_end(rig):
    rig.put("a")
    for delay in DELAYS:
        jobs = rig.outbox.claim(1)
        assert jobs
        rig.outbox.fail(jobs, "connection refused")
        rig.clock.time += delay - 1
        assert rig.outbox.claim(1) == []
        rig.clock.time += 1
    rig.outbox.fail(rig.outbox.claim(1), "connection refused")
    assert rig.count("failed") == 1
    assert rig.outbox.reconcile()["retried"] == 0


def test_a_permanent_failure_is_final(rig):
    rig.put("a")
    rig.outbox.fail(rig.outbox.claim(1), "too long", permanent=True)
    rig.clock.time += LEASE
    rig.outbox.reconcile()
    assert rig.outbox.claim(1) == []


def test_jobs_of_a_lost_worker_are_freed_and_poison_ends(rig):
    rig.put("a")
    for _ in range(len(DELAYS)):
        assert rig.outbox.claim(1)
        assert rig.outbox.reconcile()["freed"] == 0
        rig.clock.time += LEASE
        assert rig.outbox.reconcile()["freed"] == 1
    rig.outbox.claim(1)
    rig.clock.time += LEASE
    assert rig.outbox.reconcile() == {"freed": 0, "lost": 1, "retried": 0, "dropped": 0}
    assert rig.outbox.claim(1) == []


def test_a_job_that_is_not_in_work_cannot_fail(rig):
    rig.put("a")
    jobs = rig.outbox.claim(1)
    rig.outbox.complete(jobs, np.eye(SIZE, dtype=np.float32)[:1])
    rig.outbox.fail(jobs, "too late")
    assert rig.count("done") == 1 and rig.count("pending") == rig.count("failed") == 0


def test_the_age_of_the_oldest_waiting_item_is_reported_in_seconds(rig):
    assert rig.outbox.metrics()["oldest_pending_seconds"] == 0
    rig.index.apply([], [Item("a", "fact", "", "text", rig.clock.time - 3_000_000)], [], {})
    rig.index.apply([], [Item("b", "fact", "", "newer", rig.clock.time - 1_000_000)], [], {})
    assert rig.outbox.metrics()["oldest_pending_seconds"] == 3
    rig.outbox.claim(1)
    assert rig.outbox.metrics()["oldest_pending_seconds"] == 1


def test_done_jobs_are_dropped_after_a_week(rig):
    rig.put("a")
    rig.work()
    rig.clock.time += KEPT - 1
    assert rig.outbox.reconcile()["dropped"] == 0
    rig.clock.time += 1
    assert rig.outbox.reconcile()["dropped"] == 1


def test_changed_content_is_embedded_again_and_the_old_vector_goes(rig):
    rig.put("a")
    rig.work()
    rig.put("a", text="other")
    assert rig.work() == ["other a"]
    assert rig.outbox._db.execute("SELECT count(*) FROM vectors").fetchone() == (1,)


def test_a_rebuild_embeds_nothing_twice(rig):
    rig.put("a", "b")
    rig.work()
    rig.index.clear()
    rig.put("a", "c")
    assert rig.work() == ["text c"]
    assert rig.index.sweep() == 1


def test_a_new_model_gets_jobs_for_everything_while_the_old_one_serves(rig):
    rig.put("a")
    rig.work()
    new = SqliteOutbox(rig.path, "model-2", 2, rig.clock)
    old = FlatIndex(rig.path, "model-1", SIZE, rig.index.mask)
    assert old.refresh() == 1
    jobs = new.claim(10)
    new.complete(jobs, np.ones((1, 2), np.float32))
    assert FlatIndex(rig.path, "model-2", 2, rig.index.mask).refresh() == 1
    assert old.refresh() == 1


def test_dimensions_are_never_mixed(rig):
    with pytest.raises(UsageError, match="dimensions"):
        SqliteOutbox(rig.path, "model-1", SIZE + 1, rig.clock)
    rig.put("a")
    with pytest.raises(UsageError, match="expected"):
        rig.outbox.complete(rig.outbox.claim(1), np.ones((1, SIZE + 1), np.float32))


def test_completing_a_job_of_a_removed_item_stores_nothing(rig):
    rig.put("a")
    jobs = rig.outbox.claim(1)
    rig.index.apply(["a"], [], [], {})
    rig.outbox.complete(jobs, np.ones((1, SIZE), np.float32))
    assert rig.outbox._db.execute("SELECT count(*) FROM vectors").fetchone() == (0,)


def test_the_vector_index_follows(rig):
    flat = FlatIndex(rig.path, "model-1", SIZE, rig.index.mask)
    assert flat.search(np.eye(SIZE, dtype=np.float32)[0], 5) == []
    rig.put("a", "b", "c")
    rig.work()
    flat.refresh()
    probe = np.eye(SIZE, dtype=np.float32)[2]
    assert flat.search(probe, 1) == [(2, 1.0)]
    assert flat.vectors(np.array([2, 99]))[:, 2].tolist() == [1.0, 0.0]
    rig.index.apply(["b"], [], [], {})
    assert [row for row, _ in flat.search(probe, 5)] == [1, 3]
    assert flat.search(probe, 5, ItemFilter(kinds=("turn",))) == []


def test_the_vector_file_is_read_by_the_next_process_and_replaced_when_stale(rig, monkeypatch):
    from graphmem.backends.vectors import flat

    monkeypatch.setattr(flat, "_SAVED", 1)
    rig.put("a", "b", "c")
    rig.work()
    first = FlatIndex(rig.path, "model-1", SIZE, rig.index.mask)
    assert first.refresh() == 3
    (file,) = rig.path.parent.glob("vectors-*.f16")
    second = FlatIndex(rig.path, "model-1", SIZE, rig.index.mask)
    assert len(second._kept) == 3 and second.refresh() == 3
    file.write_bytes(b"damaged")
    assert FlatIndex(rig.path, "model-1", SIZE, rig.index.mask).refresh() == 3
    rig.index.clear()
    rig.put("d")
    rig.work()
    assert FlatIndex(rig.path, "model-1", SIZE, rig.index.mask).refresh() == 1
    assert second.refresh() == 1


def test_a_damaged_vector_file_is_named_not_read_and_written_anew(rig, monkeypatch):
    from graphmem.backends.vectors import flat
    from graphmem.backends.vectors.noted import index_problems

    monkeypatch.setattr(flat, "_SAVED", 1)
    rig.put("a", "b", "c")
    rig.work()
    FlatIndex(rig.path, "model-1", SIZE, rig.index.mask).refresh()
    (file,) = rig.path.parent.glob("vectors-*.f16")
    whole = file.read_bytes()
    assert not index_problems(rig.path) and len(whole) == 256 + 3 * (8 + 2 * SIZE)
    monkeypatch.setattr(flat, "_SAVED", 1_000)
    probe = np.eye(SIZE, dtype=np.float32)[2]
    for harm in (b"\xff" * 900, b"", whole[:-1], whole[:256] + b"\x7f" * 24 + whole[280:], b"{}" + whole[2:],
                 b"[]".ljust(256) + whole[256:], whole[:-1] + bytes([whole[-1] ^ 1])):  # fmt: skip
        file.write_bytes(harm)
        assert ["damaged" in problem for problem in index_problems(rig.path)] == [True]
        again = FlatIndex(rig.path, "model-1", SIZE, rig.index.mask)
        assert again.refresh() == 3 and again.search(probe, 1) == [(2, 1.0)]
        assert not index_problems(rig.path)


def test_the_next_owner_frees_at_once_what_a_dead_one_had_claimed(rig):
    rig.put("a", "b")
    assert len(rig.outbox.claim(1)) == 1
    rig.clock.time += 1
    later = SqliteOutbox(rig.path, "model-1", SIZE, rig.clock)
    assert later.reconcile()["freed"] == 1 and len(later.claim(9)) == 2


def test_a_symbol_is_embedded_in_plain_words(rig):
    text = "def lift_box(self, weight)\nLift one box from the quay."
    rig.index.apply([], [Item("s", "symbol", "harbour.crane.CraneDriver.lift_box", text, 0)], [], {})
    assert rig.work() == ["Crane Driver lift box. Lift one box from the quay."]
