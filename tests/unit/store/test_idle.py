"""What an idle process gives back."""

from __future__ import annotations

from functools import cache, lru_cache

from graphmem.memory import Memory
from graphmem.operations.pipeline import ReleaseMemory


def test_large_caches_of_functions_are_emptied_and_small_ones_kept(memory: Memory) -> None:
    many, few = lru_cache(maxsize=10_000)(str), cache(str)
    for number in range(1_000):
        many(number)
    few(1)
    memory._store.run(ReleaseMemory())
    assert many.cache_info().currsize == 0 and few.cache_info().currsize == 1
    memory.remember("We keep the queue in SQLite.")
    memory.process()
    assert memory.search("queue").hits  # everything is made again
