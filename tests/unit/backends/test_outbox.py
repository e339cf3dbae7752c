"""The outbox: every way through its states, and that a rebuild embeds nothing twice."""

import numpy as np
import pytest

from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.vectors.flat import FlatIndex
from graphmem.backends.vectors.outbox import DELAYS, FINISHED_RETENTION_US, LEASE, SqliteOutbox
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
    rig.clock.time += FINISHED_RETENTION_US - 1
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
    from graphmem.store.repair import check_index

    monkeypatch.setattr(flat, "_SAVED", 1)
    rig.put("a", "b", "c")
    rig.work()
    FlatIndex(rig.path, "model-1", SIZE, rig.index.mask).refresh()
    (file,) = rig.path.parent.glob("vectors-*.f16")
    whole = file.read_bytes()
    assert not check_index(rig.path) and len(whole) == 256 + 3 * (8 + 2 * SIZE)
    monkeypatch.setattr(flat, "_SAVED", 1_000)
    probe = np.eye(SIZE, dtype=np.float32)[2]
    for harm in (b"\xff" * 900, b"", whole[:-1], whole[:256] + b"\x7f" * 24 + whole[280:], b"{}" + whole[2:],
                 b"[]".ljust(256) + whole[256:], whole[:-1] + bytes([whole[-1] ^ 1])):  # fmt: skip
        file.write_bytes(harm)
        assert ["damaged" in problem for problem in check_index(rig.path)] == [True]
        again = FlatIndex(rig.path, "model-1", SIZE, rig.index.mask)
        assert again.refresh() == 3 and again.search(probe, 1) == [(2, 1.0)]
        assert not check_index(rig.path)


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


def job(rig, columns="status, retries, error, due, since"):
    """The only job, as stored."""
    return rig.outbox._db.execute(f"SELECT {columns} FROM jobs").fetchone()


def test_delays_are_one_five_and_thirty_seconds_a_lease_five_minutes_and_a_done_job_stays_a_week():
    assert DELAYS == (1_000_000, 5_000_000, 30_000_000)
    assert (LEASE, FINISHED_RETENTION_US) == (300_000_000, 604_800_000_000)


def test_a_worker_that_lost_its_lease_cannot_finish_the_job_of_its_successor(rig):
    rig.put("a")
    late = rig.outbox.claim(1)
    rig.clock.time += LEASE
    rig.outbox.reconcile()
    rig.outbox.complete(late, np.eye(SIZE, dtype=np.float32)[:1])
    assert rig.count("pending") == 1 and rig.count("done") == 0
    rig.outbox.fail(late, "too late")
    assert job(rig) == ("pending", 1, "", job(rig)[3], rig.clock.time - LEASE)


def test_a_lease_lasts_until_its_last_microsecond(rig):
    rig.put("a")
    rig.outbox.claim(1)
    rig.clock.time += LEASE - 1
    assert rig.outbox.reconcile()["freed"] == 0
    rig.clock.time += 1
    assert rig.outbox.reconcile()["freed"] == 1


def test_a_failure_is_noted_shortened_and_forgotten_after_success(rig):
    rig.put("a")
    jobs = rig.outbox.claim(1)
    rig.clock.time += 7
    rig.outbox.fail(jobs, "x" * 600)
    assert job(rig) == ("pending", 1, "x" * 500, rig.clock.time + DELAYS[0], rig.clock.time)
    rig.clock.time += DELAYS[0]
    rig.work()
    assert job(rig, "status, error") == ("done", "")


def test_a_permanent_failure_is_noted_at_once_with_all_retries_spent(rig):
    rig.put("a")
    rig.clock.time += 5
    rig.outbox.fail(rig.outbox.claim(1), "too long", permanent=True)
    assert job(rig) == ("failed", len(DELAYS), "too long", rig.clock.time, rig.clock.time)


def test_of_several_failed_jobs_one_that_is_not_in_work_is_left_out(rig):
    rig.put("a", "b")
    jobs = rig.outbox.claim(2)
    rig.outbox.complete(jobs[:1], np.eye(SIZE, dtype=np.float32)[:1])
    rig.outbox.fail(jobs, "connection refused")
    assert rig.count("done") == 1 and rig.count("pending") == 1


def test_the_week_of_a_done_job_begins_when_it_is_done(rig):
    rig.put("a")
    jobs = rig.outbox.claim(1)
    rig.clock.time += 60_000_000
    rig.outbox.complete(jobs, np.eye(SIZE, dtype=np.float32)[:1])
    rig.clock.time += FINISHED_RETENTION_US - 1
    assert rig.outbox.reconcile()["dropped"] == 0
    rig.clock.time += 1
    assert rig.outbox.reconcile()["dropped"] == 1


def test_a_failed_job_with_retries_left_is_tried_again_and_a_spent_one_is_not(rig):
    rig.put("a")
    for retries in range(len(DELAYS) + 1):
        rig.outbox._db.execute("UPDATE jobs SET status = 'failed', retries = ?", (retries,))
        left = retries < len(DELAYS)
        assert rig.outbox.reconcile()["retried"] == left
        assert job(rig, "status, retries") == (("pending", retries + 1) if left else ("failed", retries))


def test_a_lost_job_says_why_it_ended(rig):
    rig.put("a")
    rig.outbox.claim(1)
    rig.outbox._db.execute("UPDATE jobs SET retries = ?", (len(DELAYS),))
    rig.clock.time += LEASE
    assert rig.outbox.reconcile()["lost"] == 1
    assert job(rig, "status, error") == ("failed", "its worker was lost too often")


def test_models_share_items_but_no_jobs(rig):
    rig.put("a", "b")
    other = SqliteOutbox(rig.path, "model-2", SIZE, rig.clock)
    assert [job.text for job in other.claim(1)] == ["text a"]  # the first item first
    assert (rig.count("pending"), other.metrics()["pending"], other.metrics()["processing"]) == (2, 1, 1)
    rig.work()
    rig.clock.time += FINISHED_RETENTION_US + LEASE
    assert other.reconcile() == {"freed": 1, "lost": 0, "retried": 0, "dropped": 0}
    assert rig.outbox.reconcile() == {"freed": 0, "lost": 0, "retried": 0, "dropped": 2}
    other._db.execute("UPDATE jobs SET status = 'failed', retries = 0")
    assert rig.outbox.reconcile()["retried"] == 0 and other.reconcile()["retried"] == 2
    other._db.execute("UPDATE jobs SET status = 'processing', retries = ?, since = 0", (len(DELAYS),))
    assert rig.outbox.reconcile()["lost"] == 0 and other.reconcile()["lost"] == 2


def test_a_model_is_registered_once_and_does_not_embed_what_has_no_text_of_its_own(rig):
    rig.put("a")
    rig.put("c", embed=False)
    rig.index.apply([], [Item("long", "document", "", "sentence one. " * 2_000, 0)], [], {})
    passages = rig.outbox._db.execute("SELECT count(*) FROM items WHERE passages").fetchone()[0]
    assert passages == 1
    known = {job.text for job in rig.outbox.claim(100)}
    new = SqliteOutbox(rig.path, "model-2", SIZE, rig.clock)
    assert {job.text for job in new.claim(100)} == known
    SqliteOutbox(rig.path, "model-2", SIZE, rig.clock)
    assert new.metrics()["pending"] == 0
    with pytest.raises(UsageError) as wrong:
        SqliteOutbox(rig.path, "model-2", SIZE - 1, rig.clock)
    assert wrong.value.data["name"] == "model-2"


def test_an_item_from_the_future_has_no_negative_age(rig):
    rig.index.apply([], [Item("a", "fact", "", "text", rig.clock.time + 5_000_000)], [], {})
    assert rig.outbox.metrics()["oldest_pending_seconds"] == 0


def test_more_or_fewer_vectors_than_jobs_are_refused_and_the_jobs_stay(rig):
    rig.put("a", "b")
    jobs = rig.outbox.claim(2)
    for count in (1, 3):
        with pytest.raises(UsageError, match=f"2 vectors of {SIZE} dimensions"):
            rig.outbox.complete(jobs, np.ones((count, SIZE), np.float32))
    assert rig.count("processing") == 2


def test_a_closed_outbox_is_closed(rig):
    rig.outbox.close()
    with pytest.raises(Exception, match="closed"):
        rig.outbox.metrics()


def test_only_a_job_in_work_whose_lease_ended_is_lost(rig):
    rig.put("a")
    rig.outbox._db.execute("UPDATE jobs SET retries = ?, since = 0", (len(DELAYS),))
    assert rig.outbox.reconcile()["lost"] == 0 and rig.count("pending") == 1
    rig.outbox.claim(1)
    rig.clock.time += LEASE - 1
    assert rig.outbox.reconcile()["lost"] == 0
    rig.clock.time += 1
    assert rig.outbox.reconcile()["lost"] == 1


def test_the_oldest_waiting_item_is_that_of_the_model(rig):
    rig.index.apply([], [Item("a", "fact", "", "text", rig.clock.time - 9_000_000)], [], {})
    other = SqliteOutbox(rig.path, "model-2", SIZE, rig.clock)
    rig.work()
    assert rig.outbox.metrics()["oldest_pending_seconds"] == 0
    assert other.metrics()["oldest_pending_seconds"] == 9
