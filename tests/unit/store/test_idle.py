"""What an idle process gives back, and that other threads do not notice."""

from __future__ import annotations

import sys
import threading
from functools import cache

import pytest
from support import examples

from graphmem.memory import Memory
from graphmem.operations.pipeline import ReleaseMemory
from graphmem.store import idle


@cache
def square(number: int) -> int:
    return number * number


@cache
def double(number: int) -> int:
    return 2 * number


class Shape:
    @staticmethod
    def area(number: int) -> int:
        return number

    cached_area = cache(area)


def test_large_caches_of_functions_are_emptied_and_small_ones_kept(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "graphmem.shapes", sys.modules[__name__])
    monkeypatch.setattr(Shape, "__module__", "graphmem.shapes")
    for number in range(1_000):
        square(number), Shape.cached_area(number)
    double(1)
    memory._store.run(ReleaseMemory())
    assert (
        square.cache_info().currsize == Shape.cached_area.cache_info().currsize == 0
        and double.cache_info().currsize == 1
    )
    memory.remember("We keep the queue in SQLite.")
    memory.process()
    assert memory.search("queue").hits  # everything is made again


def test_tuples_that_another_thread_builds_are_left_alone() -> None:
    ballast = [[number] for number in range(300_000)]  # so that a look at all objects takes long
    done = threading.Event()
    failed: list[SystemError] = []

    def build() -> None:
        try:
            while not done.is_set():
                tuple(number for number in range(2_000))
        except SystemError as error:
            failed.append(error)

    builders = [threading.Thread(target=build) for _ in range(2)]
    for builder in builders:
        builder.start()
    for _ in range(examples(80)):
        idle.clear_function_caches()
    done.set()
    for builder in builders:
        builder.join()
    assert not failed and ballast
