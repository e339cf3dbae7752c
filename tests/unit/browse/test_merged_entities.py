"""Entities that a person says are one thing: what finds them, undoing it, forgetting, and a rebuild."""

from __future__ import annotations

import pytest

from graphmem import Memory
from graphmem.errors import NotFound, UsageError


@pytest.fixture
def named(memory: Memory) -> Memory:
    """Two names of one library, which no table knows."""
    memory.remember("The quayside uses `quay_lamps` for its evenings.", title="Lamps", ref="lamps")
    memory.remember("We pinned `hlight-core`, because 3.0 dropped sockets.", title="Pin", ref="pin")
    memory.observe("Does hlight-core still need sockets?", session="s")
    memory.process()
    return memory


def ids(memory: Memory) -> dict[str, str]:
    return {name: id for id, name, _, _ in memory.query("entities").rows}


def strength(memory: Memory, query: str, title: str) -> float:
    """How likely a hit answers, as far as its words and names say."""
    hits = {hit.title: hit for hit in memory.search(query, kinds=["fact"]).hits}
    return sum(hits[title].why.get(channel, 0.0) for channel in ("words", "entities")) if title in hits else 0.0


def test_each_name_finds_the_other_until_it_is_undone(named: Memory) -> None:
    lamps, core = "quay_lamps", "hlight-core"
    assert {lamps, core} <= set(ids(named)), ids(named)
    before = strength(named, lamps, "Pin"), strength(named, core, "Lamps")
    named.merge_entities(core, lamps, reason="the package of quay_lamps")
    merged = strength(named, lamps, "Pin"), strength(named, core, "Lamps")
    assert merged[0] > before[0] and merged[1] > before[1]
    (row,) = named.query("entities_merged").rows
    assert row[:4] == [ids(named)[core], core, ids(named)[lamps], lamps]
    mentioning = {one["id"] for one in named.show(ids(named)[lamps])["relations"] if one["type"] == "MENTIONS"}
    assert mentioning >= {one["id"] for one in named.show(ids(named)[core])["relations"] if one["type"] == "MENTIONS"}
    named.rebuild()
    assert named.query("entities_merged").rows and strength(named, lamps, "Pin") == pytest.approx(merged[0])
    named.merge_entities(core, lamps, undo=True)
    assert not named.query("entities_merged").rows and strength(named, lamps, "Pin") == pytest.approx(before[0])


def test_what_cannot_be_merged_is_refused(named: Memory) -> None:
    with pytest.raises(UsageError, match="itself"):
        named.merge_entities("quay_lamps", "quay_lamps")
    with pytest.raises(NotFound, match="no entity `nobody`"):
        named.merge_entities("nobody", "quay_lamps")
    named.merge_entities("hlight-core", "quay_lamps")
    with pytest.raises(UsageError, match="already merged"):
        named.merge_entities("hlight-core", "quay_lamps")
    with pytest.raises(UsageError, match="itself merged"):
        named.merge_entities("quay_lamps", "hlight-core")
    with pytest.raises(UsageError, match="reason"):
        named.merge_entities("hlight-core", "quay_lamps", undo=True, reason="x" * 501)


@pytest.mark.parametrize("purge", [False, True])
def test_a_name_that_is_forgotten_is_not_kept_by_the_decision(named: Memory, purge: bool) -> None:
    named.merge_entities("quay_lamps", "hlight-core")
    named.forget("lamps", purge=purge)
    assert not named.query("entities_merged").rows and "quay_lamps" not in ids(named)
    assert not named.history(types=["entities_merged"])
    if purge:
        store = named.location
        named.close()
        assert not [path for path in store.iterdir() if b"uay_lamps" in path.read_bytes()]
