"""Merging two memories that say the same: one remains, the uses of both count there, and `restore` separates them."""

from __future__ import annotations

import pytest

from graphmem import Memory
from graphmem.errors import NotFound, UsageError
from graphmem.memify.usage import BY_HAND, manual_decisions

FIRST, SECOND = "Boats need a berth at the outer pier in winter", "In winter, boats are moored at the outer pier"


def found(mem: Memory) -> set[str]:
    return {hit.content for hit in mem.search("boats at the outer pier in winter", k=20).hits}


def test_a_merged_memory_leaves_search_until_it_is_restored(memory: Memory) -> None:
    kept, merged = memory.remember(FIRST), memory.remember(SECOND)
    memory.process()
    assert memory.archive(merged, kept) == {"id": merged, "same_as": kept, "status": "archived"}
    assert found(memory) == {FIRST}
    memory.rebuild()
    assert found(memory) == {FIRST}
    memory.restore(merged)
    assert found(memory) == {FIRST, SECOND}
    assert manual_decisions(memory._store.log.read(types=BY_HAND)).merged == {}


def test_its_uses_count_for_the_memory_that_remains(memory: Memory) -> None:
    kept, merged = memory.remember(FIRST), memory.remember(SECOND)
    memory.process()
    for session in ("one", "two", "three"):
        memory.used(shown=[merged], session=session)
    memory.memify(force=True)
    before = memory.show(kept)["node"]["importance"]
    memory.archive(merged, kept)
    memory.memify(force=True)
    assert memory.show(kept)["node"]["importance"] > before


def test_what_cannot_be_merged_is_refused_in_one_sentence(memory: Memory) -> None:
    kept, merged = memory.remember(FIRST), memory.remember(SECOND)
    other = memory.remember("When the tide is low, the gate stays shut", kind="gotcha", title="Gate")
    memory.process()
    with pytest.raises(UsageError, match="into itself"):
        memory.archive(kept, kept)
    with pytest.raises(UsageError, match="a gotcha cannot be merged into a fact"):
        memory.archive(other, kept)
    with pytest.raises(NotFound, match="no item named"):
        memory.archive(merged, "nothing")
    memory.archive(merged, kept)
    with pytest.raises(UsageError, match="restore it first"):
        memory.archive(kept, merged)
    assert SECOND not in found(memory) and FIRST in found(memory)
