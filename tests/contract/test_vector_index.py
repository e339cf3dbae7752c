"""What every vector index must do. New backends are added to the fixture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.vectors.flat import FlatIndex
from graphmem.backends.vectors.outbox import SqliteOutbox
from graphmem.backends.vectors.usearch import UsearchIndex
from graphmem.model.changes import Item
from graphmem.ports.clock import SystemClock
from graphmem.ports.text import ItemFilter

pytestmark = pytest.mark.core
SIZE = 8
Vectors = FlatIndex | UsearchIndex


class Store:
    def __init__(self, folder: Path, kind: str) -> None:
        path = folder / "index.db"
        self.text = Fts5Index(path)
        self.outbox = SqliteOutbox(path, "m", SIZE, SystemClock())
        opened: dict[str, Callable[[], Vectors]] = {
            "flat": lambda: FlatIndex(path, "m", SIZE, self.text.mask),
            "usearch": lambda: UsearchIndex(path, "m", SIZE, self.text.mask, worth_it=1),
        }
        self.open = opened[kind]
        self.vectors = self.open()

    def put(self, *names: str) -> None:
        """Items whose vectors point along one axis each, by the number in their name."""
        self.text.apply([], [Item(name, "fact" if name[0] == "f" else "turn", "", name, 0) for name in names], [], {})
        jobs = self.outbox.claim(100)
        self.outbox.complete(jobs, np.eye(SIZE, dtype=np.float32)[[int(job.text[1:]) for job in jobs]])
        if isinstance(self.vectors, UsearchIndex):
            self.vectors.build()
        self.vectors.refresh()

    def ask(self, axis: int, limit: int = 3, where: ItemFilter | None = None) -> list[str]:
        hits = self.vectors.search(np.eye(SIZE, dtype=np.float32)[axis], limit, where)
        assert [cosine for _, cosine in hits] == sorted((cosine for _, cosine in hits), reverse=True)
        return [stored.item.id for stored in self.text.items([row for row, _ in hits])]


@pytest.fixture(params=["flat", "usearch"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Store(tmp_path, request.param)


def test_an_empty_index_finds_nothing(store: Store) -> None:
    assert store.ask(0) == []
    assert store.vectors.search_many(np.eye(SIZE, dtype=np.float32), 2) == [[]] * SIZE
    assert store.vectors.vectors(np.array([1, 2])).tolist() == [[0.0] * SIZE] * 2


def test_the_nearest_comes_first(store: Store) -> None:
    store.put("f0", "f1", "t2")
    assert store.ask(1)[0] == "f1" and len(store.ask(1)) == 3


def test_filters_and_removals(store: Store) -> None:
    store.put("f0", "t1", "f2")
    assert sorted(store.ask(1, where=ItemFilter(kinds=("fact",)))) == ["f0", "f2"]
    store.text.apply(["f0"], [], [], {})
    assert store.ask(0, where=ItemFilter(kinds=("fact",))) == ["f2"]


def test_vectors_by_row(store: Store) -> None:
    store.put("f3", "f4")
    rows = np.array([store.text.find([name])[0].row for name in ("f4", "f3")] + [999])
    assert store.vectors.vectors(rows).argmax(axis=1)[:2].tolist() == [4, 3]
    assert not store.vectors.vectors(rows)[2].any()


def test_equal_texts_share_a_vector(store: Store) -> None:
    store.text.apply([], [Item("a", "fact", "", "f5", 0)], [], {})
    store.put("f5")
    assert sorted(store.ask(5, 2)) == ["a", "f5"]


def test_another_process_finds_the_same(store: Store) -> None:
    store.put("f0", "f1")
    first = store.ask(1)
    store.vectors = store.open()
    store.vectors.refresh()
    assert store.ask(1) == first


@pytest.mark.parametrize("kind", ["flat", "usearch"])
def test_many_at_once_find_what_each_alone_finds(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.backends.vectors.flat._WIDE", 7)
    monkeypatch.setattr("graphmem.backends.vectors.flat._MANY", 3)
    store = Store(tmp_path, kind)
    chance = np.random.default_rng(5)
    names = [f"{'ft'[i % 2]}{i}" for i in range(40)]
    store.text.apply([], [Item(name, "fact" if name[0] == "f" else "turn", "", name, 0) for name in names], [], {})
    made = chance.normal(size=(len(names), SIZE)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    store.outbox.complete(store.outbox.claim(100), made)
    store.vectors.refresh()
    where = ItemFilter(kinds=("fact",))
    for limit in (1, 4, 30):
        many = store.vectors.search_many(made, limit, where)
        alone = [FlatIndex.search(store.vectors, vector, limit, where) for vector in made]
        assert [[row for row, _ in one] for one in many] == [[row for row, _ in one] for one in alone]
        assert (
            max(
                abs(a - b)
                for one, two in zip(many, alone, strict=True)
                for (_, a), (_, b) in zip(one, two, strict=True)
            )
            < 0.01
        )
