"""A graph that begins empty takes large batches as tables and leaves their transaction open; nobody who looks can tell."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow
import pytest
from support import ENGINE, EXPLORES, read_stored, with_deep

from graphmem.backends.graph import compaction, packing, writer
from graphmem.backends.graph.embedded import EmbeddedGraph
from graphmem.backends.graph.sentences import pool_full
from graphmem.errors import BufferFull, StoreDamaged, StoreError
from graphmem.model.changes import Changes, Edge, EdgeKey, EdgeTable, Node, NodeTable

MANY = 1_500


def batches() -> list[Changes]:
    """Turns of sessions, some of which are missing, go and come again; properties are given late, or not at all."""
    turns = [Node("Turn", f"t{n}", {"ref": f"r{n}", "at": n}) for n in range(MANY)]
    sessions = [Node("Session", f"s{n % 7}", {"ref": f"s{n % 7}"}) for n in range(6)]
    parts = [Edge("PART_OF", "Turn", f"t{n}", "Session", f"s{n % 7}") for n in range(MANY)]
    mentions = [Edge("MENTIONS", "Turn", f"t{n}", "Entity", f"e{n % 3}", {"count": n}) for n in range(MANY)]
    entities = [Node("Entity", f"e{n}", {"name": f"e{n}"}) for n in range(3)]
    more = [Node("Turn", f"u{n}", {"ref": "", "at": 0}) for n in range(MANY)]
    again = [Edge("PART_OF", "Turn", f"u{n}", "Session", "s1") for n in range(MANY)]
    return [
        Changes(nodes=turns + sessions, edges=parts),
        Changes(nodes=entities, edges=mentions),
        Changes(nodes=[Node("Session", "s6", {"ref": "late"})], removed_nodes=[("Session", "s1"), ("Turn", "t2")]),
        Changes(nodes=more, edges=again),  # of a session that is gone
        Changes(nodes=[Node("Session", "s1", {"ref": "back"}), Node("Turn", "t2", {"ref": "back", "at": 1})]),
        Changes(edges=[Edge("MENTIONS", "Turn", "t5", "Entity", "e2", {"count": 9})]),
    ]


def told(graph: EmbeddedGraph) -> list[list[object]]:
    return [
        graph.query(query).rows
        for query in (
            "MATCH (t:Turn) RETURN t.id, t.ref, t.at, t.tool ORDER BY t.id",
            "MATCH (s:Session) RETURN s.id, s.ref ORDER BY s.id",
            "MATCH (t:Turn)-[p:PART_OF]->(s:Session) RETURN t.id, s.id ORDER BY t.id, s.id",
            "MATCH (e:Entity)<-[m:MENTIONS]-(t:Turn) RETURN t.id, e.id, m.count ORDER BY t.id, e.id",
        )
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="the allocator of glibc")
def test_no_page_holds_what_its_memory_held_before(tmp_path: Path) -> None:
    """The engine writes pages whole: what this process had in memory before it hid the secrets must not stand in them."""

    def freed() -> None:
        for size in (600, 1_000, 4_000, 8_000, 40_000, 100_000):
            del [b"zqcanary" * (size // 8) for _ in range(60)][:]

    for number in range(4 if EXPLORES else 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        freed()
        graph = EmbeddedGraph(folder / "graph.kuzu", buffer_pool_mb=256, engine=ENGINE)
        for position, changes in enumerate(batches(), 1):
            freed()
            graph.apply(changes, {"log": position})
        graph.query("MATCH (t:Turn) RETURN count(t)")
        assert not [path for path in folder.iterdir() if b"zqcanary" in read_stored(path)]
        freed()
        graph.close()
        assert not [path for path in folder.iterdir() if b"zqcanary" in read_stored(path)]


@pytest.mark.parametrize("seed", with_deep(range(2), range(2, 6)))
def test_batches_of_every_size_follow_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Rows that are created and rows that are copied, in a transaction that stays open: each relation leads where it should."""
    monkeypatch.setattr(writer, "_MIN_COPIED_ROWS", 20)
    monkeypatch.setattr(writer, "_SCANNED", 1 if seed % 2 else 1 << 30)  # found one by one, or all looked at
    chance = random.Random(seed)
    graph = EmbeddedGraph(tmp_path / "graph.kuzu", buffer_pool_mb=256, engine=ENGINE)
    names: dict[str, list[str]] = {"Commit": [], "File": []}
    wanted: set[tuple[str, str]] = set()
    for number in range(1, chance.randrange(4, 9)):
        nodes, pairs = [], set()
        for label, known in names.items():
            new = [f"{label}{len(known) + n}" for n in range(chance.choice([0, chance.randrange(1, 20), 70]))]
            again = chance.sample(known, min(len(known), chance.randrange(20)))
            nodes += [Node(label, name, {"subject" if label == "Commit" else "path": name}) for name in (*new, *again)]
            known += new
        if all(names.values()):
            size = chance.choice([0, chance.randrange(1, 20), 90])
            pairs = {(chance.choice(names["Commit"]), chance.choice(names["File"])) for _ in range(size)}
        edges = [Edge("TOUCHES", "Commit", commit, "File", file) for commit, file in sorted(pairs)]
        graph.apply(Changes(nodes=nodes, edges=edges), {"events": number})
        wanted |= pairs
    assert {tuple(row) for row in graph.query("MATCH (c:Commit)-[:TOUCHES]->(f:File) RETURN c.id, f.id").rows} == wanted
    assert sorted(row[0] for row in graph.query("MATCH (f:File) WHERE f.id = f.path RETURN f.id").rows) == sorted(
        names["File"]
    )
    graph.close()


@pytest.mark.parametrize("look", with_deep([False], [True]))
def test_copied_tables_are_what_was_merged(tmp_path: Path, look: bool) -> None:
    copied, merged = (
        EmbeddedGraph(tmp_path / "copied.kuzu", engine=ENGINE),
        EmbeddedGraph(tmp_path / "merged.kuzu", engine=ENGINE),
    )
    merged.refine([])  # from now on it takes nothing for new
    for number, changes in enumerate(batches(), 1):
        copied.apply(changes, {"events": number})
        merged.apply(changes, {"events": number})
        if look:
            assert told(copied) == told(merged)
    assert copied.cursors() == merged.cursors() == {"events": 6}
    assert told(copied) == told(merged)
    copied.close()
    merged.close()


def test_what_was_left_open_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    graph = EmbeddedGraph(tmp_path / "graph.kuzu", engine=ENGINE)
    graph.apply(batches()[0], {"events": 1})
    before = told(graph)
    graph.close()
    again = EmbeddedGraph(tmp_path / "graph.kuzu", engine=ENGINE)
    assert told(again) == before and again.cursors() == {"events": 1}
    again.close()


def test_a_failed_batch_takes_back_what_was_left_open(tmp_path: Path) -> None:
    graph = EmbeddedGraph(tmp_path / "graph.kuzu", engine=ENGINE)
    graph.apply(batches()[0], {"events": 1})
    with pytest.raises(StoreError):
        graph.apply(Changes(nodes=[Node("Turn", "x", {"nothing": 1})]), {"events": 2})
    assert graph.cursors() == {} and told(graph) == [[], [], [], []]
    for number, changes in enumerate(batches()[:2], 1):
        graph.apply(changes, {"events": number})
    assert graph.cursors() == {"events": 2} and len(told(graph)[0]) == MANY
    graph.close()


@pytest.mark.parametrize("look", [False, True])
def test_tables_are_so_many_nodes_and_edges(tmp_path: Path, look: bool) -> None:
    files = NodeTable("File", {"id": ["a", "b"], "path": ["a.py", "b.py"]})
    edges = EdgeTable("PART_OF", "File", "Project", {"source": ["a", "b"], "target": ["here", "later"]})
    graph = EmbeddedGraph(tmp_path / "graph", engine=ENGINE)
    if look:
        graph.query("MATCH (f:File) SET f.path = ''")
    graph.apply(Changes([], [], [Node("Project", "here", {})], node_tables=[files], edge_tables=[edges]), {})
    ends = "MATCH (f:File)-[:PART_OF]->(p:Project) RETURN f.path, p.id ORDER BY f.path"
    assert graph.query(ends).rows == [["a.py", "here"]]
    graph.apply(Changes(node_tables=[NodeTable("Project", {"id": ["later"]})]), {})
    assert graph.query(ends).rows == [["a.py", "here"], ["b.py", "later"]]
    graph.close()


SOON_REMOVED = """
import sys
from collections.abc import Iterator
from pathlib import Path
from graphmem.backends.graph.embedded import EmbeddedGraph
from graphmem.backends.graph.sentences import pool_full
from graphmem.bench.footprint import process_memory
from graphmem.model.changes import Changes, Edge, Node
graph = EmbeddedGraph(Path(sys.argv[1]), engine=sys.argv[2], buffer_pool_mb=128)
part = lambda name: Edge("PART_OF", "Summary", name, "Session", name)
graph.apply(Changes(nodes=[Node("Session", "a", {}), Node("Summary", "a", {})], edges=[part("a")]), {})
graph._checkpoint()
graph.apply(Changes(nodes=[Node("Session", "b", {}), Node("Session", "c", {}), Node("Summary", "c", {})], edges=[part("c")]), {})
graph.apply(Changes(removed_nodes=[("Summary", "c")]), {})
graph._checkpoint()
graph.apply(Changes(nodes=[Node("Summary", "c", {})], edges=[part("c")]), {})
graph.release_memory()
print(graph.query("MATCH (a:Summary)-[:PART_OF]->(b:Session) RETURN a.id, b.id ORDER BY a.id").rows)
graph.close()
"""


def test_a_relation_removed_soon_after_it_was_written_does_not_end_the_process(tmp_path: Path) -> None:
    words = [sys.executable, "-c", SOON_REMOVED, tmp_path / "graph.kuzu", ENGINE]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[['a', 'a'], ['c', 'c']]\n")


@pytest.mark.parametrize("seed", with_deep(range(2), range(2, 8)))
def test_relations_that_are_removed_and_written_again_are_there(tmp_path: Path, seed: int) -> None:
    """Kuzu 0.11.3 lost or moved some of them where MERGE ran several times in the transaction that had removed others."""
    chance, names, wanted = random.Random(seed), [f"m{number}" for number in range(7)], {}
    graph = EmbeddedGraph(tmp_path / "graph.kuzu", buffer_pool_mb=64, engine=ENGINE)
    graph.apply(Changes(nodes=[Node("Memory", name, {}) for name in names]), {})
    for turn in range(8):
        sources = chance.sample(names, 2) if turn else names
        pairs = [(one, other) for one in sources for other in names if one != other and chance.random() < 0.5]
        gone = [EdgeKey("SHARES_TAG", "Memory", one, "Memory", "") for one in sources]
        edges = [Edge("SHARES_TAG", "Memory", one, "Memory", other, {"weight": turn / 2}) for one, other in pairs]
        graph.apply(Changes(removed_edges=gone, edges=edges), {"events": turn})
        wanted = {pair: weight for pair, weight in wanted.items() if pair[0] not in sources}
        wanted |= dict.fromkeys(pairs, turn / 2)
        if chance.random() < 0.5:
            graph.release_memory()
        found = graph.query("MATCH (a:Memory)-[e:SHARES_TAG]->(b:Memory) RETURN a.id, b.id, e.weight").rows
        assert sorted(map(tuple, found)) == sorted((*pair, weight) for pair, weight in wanted.items())
    graph.close()


def test_tables_that_were_written_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_LENT", 1_000)
    graph = EmbeddedGraph(None, engine=ENGINE)
    before = pyarrow.total_allocated_bytes()
    for part in range(5):
        graph.apply(
            Changes(nodes=[Node("File", f"f{part}-{n}", {"path": "x" * 200}) for n in range(500)]), {"events": part}
        )
    assert pyarrow.total_allocated_bytes() - before < 10_000
    assert graph.query("MATCH (f:File) RETURN count(*)").rows == [[2_500]] and graph.cursors() == {"events": 4}
    graph.close()


MEASURED_GROWTH = """
import os
import sys
from pathlib import Path
from graphmem.backends.graph import writer
from graphmem.backends.graph.embedded import EmbeddedGraph
from graphmem.bench.footprint import process_memory
from graphmem.model.changes import Changes, Node
work = sys.argv[3]
writer._MAX_UPDATED = 200
graph = EmbeddedGraph(Path(sys.argv[1]), engine=sys.argv[2], buffer_pool_mb=64)
query = "MATCH (f:File) WHERE f.id = $id RETURN f"

def run(number: int) -> None:
    if work == "write":
        graph.apply(Changes(nodes=[Node("File", "f", {"path": f"a{number}"})]), {"events": number})
    elif work == "query":
        graph.query(query, {"id": "f"})
    else:
        graph.query_untrusted(query, {"id": "f"}, timeout=9)

def measure() -> int:
    used = process_memory(os.getpid())
    return used.helpers if work == "untrusted" else used.uss

graph.apply(Changes(nodes=[Node("File", "f", {"path": "a"})]), {"events": 0})
warm = 110 if work == "write" else 210  # until statements, or updates, were released for the first time
for number in range(warm):
    run(number)
before = measure()
for number in range(warm, 4 * warm if work == "write" else 6 * warm):
    run(number)
print(measure() - before)
graph.close()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("work", with_deep(["write"], ["query", "untrusted"]))
def test_statements_and_updates_do_not_stay_in_memory(tmp_path: Path, work: str) -> None:
    """The engine keeps prepared statements until their connection is closed, and updated values until the next checkpoint: 12
    to 60 KB each. Measured in a process of its own, where no other test's threads use memory."""
    words = [sys.executable, "-c", MEASURED_GROWTH, tmp_path / "graph.kuzu", ENGINE, work]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 9 << 20


def test_a_graph_at_rest_comes_back_for_whoever_asks_or_writes(tmp_path: Path) -> None:
    graph = EmbeddedGraph(tmp_path / "graph.kuzu", buffer_pool_mb=256, engine=ENGINE)
    count = "MATCH (f:File) RETURN count(*)"
    for number in range(3):
        graph.apply(Changes(nodes=[Node("File", f"f{number}", {"path": "a"})]), {"events": number})
        graph.release_memory()
        graph.release_memory()
        assert graph.unused_s == 0.0
        with ThreadPoolExecutor(8) as pool:
            assert [rows.rows for rows in pool.map(graph.query, [count] * 16)] == [[[number + 1]]] * 16
        graph.release_memory()
    assert graph.cursors() == {"events": 2}
    graph.release_memory()
    graph.close()
    for ask in (lambda: graph.query(count), graph.cursors, lambda: graph.apply(Changes(), {})):
        with pytest.raises(StoreError, match="closed"):
            ask()


@pytest.mark.parametrize("large", [False, True])
def test_a_graph_that_was_changed_at_rest_is_refused(
    tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(packing, "_MAX_PACKED_BYTES", 0)
    graph = EmbeddedGraph(tmp_path / "graph.kuzu", buffer_pool_mb=256, engine=ENGINE)
    graph.release_memory()
    file = tmp_path / f"graph.kuzu{'' if large else '.zst'}"
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="graphmem rebuild"):
            graph.query("MATCH (f:File) RETURN count(*)")
    fresh = EmbeddedGraph(tmp_path / "fresh.kuzu", buffer_pool_mb=256, engine=ENGINE)
    fresh.apply(Changes(nodes=[Node("File", "f", {"path": "a"})]), {"events": 1})
    graph.adopt(fresh)
    assert graph.cursors() == {"events": 1}
    graph.close()


@pytest.fixture
def long_turns(tmp_path: Path) -> Iterator[EmbeddedGraph]:
    """Each checkpoint of Kuzu writes all texts of a changed column again and keeps the old ones: memory grows with each."""
    graph = EmbeddedGraph(tmp_path / "graph-1.kuzu", buffer_pool_mb=64, engine=ENGINE)
    rows = [Node("Turn", f"n{number}", {"content": f"{number} ".ljust(400, "x")}) for number in range(3_000)]
    graph.apply(Changes(nodes=rows), {"events": 1})
    yield graph
    graph.close()


def _change_and_ask(graph: EmbeddedGraph, number: int) -> None:
    graph.apply(Changes(nodes=[Node("Turn", "n1", {"content": f"{number}"})]), {"events": number + 2})
    assert graph.query_untrusted("MATCH (t:Turn) RETURN count(*)", timeout=60).rows == [[3_000]]


@pytest.mark.skipif(ENGINE != "kuzu", reason="other engines do not keep what updates replaced")
def test_a_graph_whose_texts_change_often_is_written_again(long_turns: EmbeddedGraph, tmp_path: Path) -> None:
    edges = [Edge("NEXT", "Turn", f"n{n}", "Turn", f"n{n + 1}", {"position": n}) for n in range(2_000)]
    far = Edge("NEXT", "Turn", "n1", "Turn", "later", {"position": 1})  # waits for its end
    long_turns.apply(Changes(edges=[*edges, far]), {"events": 2})
    numbers = iter(range(40))
    note = tmp_path / "graph-1.kuzu.compacted"
    while not note.exists():
        _change_and_ask(long_turns, number := next(numbers))
    assert json.loads(note.read_text())["before"] > json.loads(note.read_text())["after"] > 0
    long_turns.apply(Changes(nodes=[Node("Turn", "later", {"content": "l"})]), {"derived": 7})
    for _ in range(2):  # also after it was closed
        assert long_turns.query("MATCH (:Turn)-[r:NEXT]->(:Turn) RETURN count(*), sum(r.position)").rows == [
            [2_001, 1_999_001]
        ]
        assert long_turns.query("MATCH (t:Turn) WHERE t.id IN ['n1', 'n2'] RETURN t.content ORDER BY t.id").rows == [
            [f"{number}"], ["2 ".ljust(400, "x")]
        ]  # fmt: skip
        assert long_turns.cursors() == {"events": number + 2, "derived": 7}
        assert not [file.name for file in tmp_path.glob("compact-*")]
        long_turns.release_memory()


@pytest.mark.skipif(ENGINE != "kuzu", reason="other engines do not keep what updates replaced")
def test_a_graph_without_memory_counts_as_damaged(
    long_turns: EmbeddedGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction.Texts, "is_bloated", lambda texts, pool: False)  # so that nothing is done in time
    with pytest.raises(BufferFull, match="is made again from the log"):
        for number in range(200):
            _change_and_ask(long_turns, number)
    with pytest.raises(StoreDamaged, match="no memory left at a checkpoint"):  # the engine could crash
        long_turns.query("MATCH (t:Turn) RETURN count(*)")
    assert long_turns.find_damage()
    long_turns.close()
    again = EmbeddedGraph(tmp_path / "graph-1.kuzu", buffer_pool_mb=256, engine=ENGINE)  # by another process
    assert again.reverted and again.cursors()["events"] <= number + 2
    assert again.query("MATCH (t:Turn) RETURN count(*)").rows == [[3_000]]
    again.close()


def test_a_batch_that_does_not_fit_is_one_sentence_with_ways_out() -> None:
    assert re.search(r"graphmem rebuild.* move --engine ladybug", pool_full(64 << 20).message)
