"""The approximate index against the exact one over the same file."""

import numpy as np
import pytest

from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.vectors import flat
from graphmem.backends.vectors.flat import FlatIndex
from graphmem.backends.vectors.outbox import SqliteOutbox
from graphmem.backends.vectors.usearch import UsearchIndex
from graphmem.model.changes import Item
from graphmem.ports.clock import SystemClock
from graphmem.ports.text import ItemFilter

SIZE, COUNT = 32, 600


class Store:
    def __init__(self, folder):
        self.path = folder / "index.db"
        self.text = Fts5Index(self.path)
        self.outbox = SqliteOutbox(self.path, "m", SIZE, SystemClock())
        self.random = np.random.default_rng(7)

    def add(self, start, count):
        self.text.apply(
            [],
            [Item(f"i{i}", "fact" if i % 2 else "turn", "", f"text {i}", i) for i in range(start, start + count)],
            [],
            {},
        )
        jobs = self.outbox.claim(count)
        vectors = self.random.standard_normal((len(jobs), SIZE)).astype(np.float32)
        self.outbox.complete(jobs, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    def open(self, kind, **options):
        return kind(self.path, "m", SIZE, self.text.mask, **options)


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path)
    made.add(0, COUNT)
    return made


def recall(index, exact, random):
    hits = 0
    for _ in range(20):
        probe = random.standard_normal(SIZE).astype(np.float32)
        probe /= np.linalg.norm(probe)
        hits += len({row for row, _ in index.search(probe, 10)} & {row for row, _ in exact.search(probe, 10)})
    return hits / 200


def test_the_graph_finds_nearly_what_the_scan_finds(store):
    index, exact = store.open(UsearchIndex, worth_it=100), store.open(FlatIndex)
    exact.refresh()
    assert index.build() and not index.build()
    assert recall(index, exact, store.random) > 0.95


def test_small_stores_are_scanned(store):
    index = store.open(UsearchIndex)
    assert not index.build()
    assert index.refresh() == COUNT and len(index.search(np.ones(SIZE, np.float32), 3)) == 3


def test_what_came_later_and_what_went_is_respected(store):
    index = store.open(UsearchIndex, worth_it=100)
    index.build()
    store.add(COUNT, 20)
    index.refresh()
    row = store.text.find([f"i{COUNT + 5}"])[0].row
    probe = index.vectors(np.array([row]))[0]
    assert index.search(probe, 1)[0][0] == row
    store.text.apply([f"i{COUNT + 5}"], [], [], {})
    assert index.search(probe, 1)[0][0] != row
    kinds = {
        stored.item.kind
        for stored in store.text.items([r for r, _ in index.search(probe, 50, ItemFilter(kinds=("fact",)))])
    }
    assert kinds == {"fact"}


def test_a_graph_of_another_store_is_not_used(store):
    index = store.open(UsearchIndex, worth_it=100)
    index.build()
    store.text.clear()
    assert index.refresh() == 0 and index.search(np.ones(SIZE, np.float32), 3) == []
    store.add(0, COUNT)
    again = store.open(UsearchIndex, worth_it=100)
    assert again.build()
    next(store.path.parent.glob("*.usearch")).write_bytes(b"damaged")
    third = store.open(UsearchIndex, worth_it=100)
    assert third.refresh() == COUNT and len(third.search(np.ones(SIZE, np.float32), 3)) == 3


@pytest.mark.parametrize("kind", [UsearchIndex, FlatIndex])
def test_after_a_rest_the_answers_are_the_same(store, kind, monkeypatch):
    monkeypatch.setattr(flat, "_SAVED", 10)
    monkeypatch.setattr(UsearchIndex, "worth_it", 100)
    index = store.open(kind)
    index.refresh()
    if kind is UsearchIndex:
        assert index.build()
    store.add(COUNT, 20)
    index.refresh()
    probe = np.ones(SIZE, np.float32)
    before = index.search(probe, 10)
    index.release_memory()
    assert index.search(probe, 10) == before
