"""Cypher from outside runs in processes of its own: whatever it asks for, it is stopped, and nobody else notices."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ENGINE, STOP_S, examples, wait_until

from graphmem import Memory
from graphmem.backends.graph.embedded import EmbeddedGraph
from graphmem.backends.graph.readers import ReadLimits, copy_file
from graphmem.backends.graph.values import decode_value, encode_value
from graphmem.backends.remote.place import runtime_folder
from graphmem.errors import GraphmemError, QueryStopped, QueryTimeout, StoreError, UsageError
from graphmem.model.changes import Changes, Edge, Node

COUNT = "MATCH (t:Turn) RETURN count(*)"
SLOW = "MATCH (a:Turn), (b:Turn), (c:Turn) WHERE a.content + b.content < c.content RETURN max(c.content)"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux heeds a limit of addresses")


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedGraph]:
    """A ring of turns in which paths have no end."""
    graph = EmbeddedGraph(
        tmp_path_factory.mktemp("graph") / "graph.kuzu", buffer_pool_mb=128, reading=ReadLimits(128, 2), engine=ENGINE
    )
    turns = [Node("Turn", f"t{n}", {"content": f"turn {n}", "at": 1_700_000_000_000_000}) for n in range(2_000)]
    edges = [
        Edge("NEXT", "Turn", f"t{n}", "Turn", f"t{(n + step) % 2_000}") for n in range(2_000) for step in (1, 7, 61)
    ]
    graph.apply(Changes(nodes=turns, edges=edges), {})
    yield graph
    graph.close()


def ask(
    graph: EmbeddedGraph, query: str, timeout: float = STOP_S, limit: int | None = 100, **parameters: Any
) -> list[list[Any]]:
    return graph.query_untrusted(query, parameters, timeout=timeout, limit=limit).rows


def copies(graph: EmbeddedGraph) -> list[str]:
    assert graph._path is not None
    return [file.name for file in graph._path.parent.iterdir() if file.name.startswith("copy-")]


def test_an_answer_holds_what_was_written_before_the_question(tmp_path: Path) -> None:
    graph = EmbeddedGraph(tmp_path / "graph.kuzu", buffer_pool_mb=128, engine=ENGINE)
    for number in range(1, 4):
        graph.apply(Changes(nodes=[Node("Turn", f"t{number}", {"content": "x"})]), {"log": number})
        assert ask(graph, COUNT) == graph.query(COUNT).rows == [[number]]
    graph.release_memory()
    assert ask(graph, COUNT) == [[3]] and graph._state == "asleep"  # the engine need not be opened for it
    graph.apply(Changes(removed_nodes=[("Turn", "t1")]), {})
    assert ask(graph, COUNT) == [[2]]
    many = [Node("Turn", f"m{number}", {"content": "x"}) for number in range(5_000)]
    fresh = EmbeddedGraph(tmp_path / "fresh.kuzu", buffer_pool_mb=128, engine=ENGINE)
    fresh.apply(Changes(nodes=many), {})
    graph.adopt(fresh)
    assert copies(graph) == [] and ask(graph, COUNT) == [[5_000]]
    graph.close()
    assert copies(graph) == []
    with pytest.raises(StoreError, match="closed"):
        ask(graph, COUNT)


def test_a_graph_that_is_only_read_needs_no_copy(tmp_path: Path) -> None:
    graph = EmbeddedGraph(tmp_path / "graph.kuzu", buffer_pool_mb=128, engine=ENGINE)
    graph.apply(Changes(nodes=[Node("Turn", "t", {"content": "x"})]), {})
    graph.close()
    frozen = EmbeddedGraph(tmp_path / "graph.kuzu", buffer_pool_mb=128, frozen=True, engine=ENGINE)
    assert ask(frozen, COUNT) == [[1]] and copies(frozen) == []
    frozen.close()


def test_one_reader_answers_again_and_again(graph: EmbeddedGraph) -> None:
    ask(graph, COUNT)
    readers = {process._process.pid for process in graph._foreign._idle}
    for _ in range(5):
        assert ask(graph, COUNT) == [[2_000]]
    assert {process._process.pid for process in graph._foreign._idle} == readers


@LINUX
@pytest.mark.parametrize(
    "query",
    [
        "UNWIND range(1, 2000000000) AS x RETURN x",
        "UNWIND range(1, 2000000000) AS x RETURN count(x)",
        "RETURN size(range(1, 3000000000))",
        "RETURN repeat('x', 3000000000)",
        "RETURN repeat('x', -1)",
        "RETURN size(repeat(repeat('x', 1000000), 100000))",
        "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN collect(x + y)",
        "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN x, y ORDER BY y, x",
        "MATCH p = (a:Turn)-[:NEXT*1..30]->(b:Turn) RETURN count(p)",
        "MATCH (a:Turn), (b:Turn), (c:Turn), (d:Turn) RETURN count(DISTINCT a.id + b.id + c.id + d.id)",
        "MATCH (a:Turn), (b:Turn), (c:Turn) RETURN a, b, c ORDER BY a.content + b.content + c.content",
        "RETURN " + "+".join(["1"] * 20_000),
        "RETURN " + "[" * 400 + "]" * 400,  # 190 are answered within both limits
    ],
)
def test_a_query_that_asks_for_the_world_is_stopped(graph: EmbeddedGraph, query: str) -> None:
    ask(graph, COUNT)  # somebody has started a reader
    before = resident_mb(os.getpid())
    with pytest.raises((QueryStopped, QueryTimeout), match=r"was stopped|not sent again"):
        ask(graph, query, timeout=1)  # some of them would take days
    assert resident_mb(os.getpid()) < before + 300
    assert ask(graph, COUNT) == [[2_000]]


def resident_mb(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def test_what_breaks_the_engine_breaks_nothing_else(graph: EmbeddedGraph) -> None:
    """The reader's end is an error, and the next question finds another."""
    stopped: list[str] = []

    def question() -> None:
        try:
            ask(graph, SLOW)
        except GraphmemError as error:
            stopped.append(f"{type(error).__name__}: {error}")

    ask(graph, COUNT)  # a reader has opened the graph
    asking = threading.Thread(target=question)
    asking.start()
    wait_until(lambda: any(process.is_spent for process in graph._foreign._busy))
    (busy,) = graph._foreign._busy
    busy._process.send_signal(11)
    asking.join(STOP_S)
    assert stopped == [
        "QueryStopped: the query crashed the process that ran it (SIGSEGV): it breaks the graph engine, or needs"
        " more than 128 MB; it was not sent again"
    ]
    assert ask(graph, COUNT) == [[2_000]]


def test_a_query_ends_when_its_caller_leaves(graph: EmbeddedGraph) -> None:
    ask(graph, COUNT)
    gone = threading.Event()
    running = set(graph._foreign._idle)

    def leave() -> None:
        wait_until(lambda: any(process.is_spent for process in graph._foreign._busy))
        gone.set()

    leaving = threading.Thread(target=leave)
    leaving.start()
    with pytest.raises(QueryStopped, match="disconnected"):
        graph.query_untrusted(SLOW, timeout=300, has_left=gone.is_set)
    leaving.join(STOP_S)
    assert not any(process.is_alive for process in running - set(graph._foreign._idle))


def test_others_wait_for_a_turn_and_no_longer_than_their_time(graph: EmbeddedGraph) -> None:
    errors: list[GraphmemError] = []
    enough = threading.Event()

    def question() -> None:
        try:
            graph.query_untrusted(SLOW, timeout=300, has_left=enough.is_set)
        except GraphmemError as error:
            errors.append(error)

    asking = [threading.Thread(target=question) for _ in range(2)]
    for thread in asking:
        thread.start()
    wait_until(lambda: len(graph._foreign._busy) == 2)
    assert graph.query(COUNT).rows == [[2_000]]  # what graphmem itself asks does not wait
    assert len(graph._foreign._busy) == 2 and not errors
    with pytest.raises(StoreError, match=r"2 other queries were still running after 0\.5 s"):
        ask(graph, COUNT, timeout=0.5)
    enough.set()
    for thread in asking:
        thread.join(STOP_S)
    assert [type(error) for error in errors] == [QueryStopped] * 2
    assert ask(graph, COUNT) == [[2_000]]


def test_a_copy_waits_for_queries_of_its_own_and_holds_up_none(graph: EmbeddedGraph) -> None:
    """A checkpoint waits for all that run, and lets none begin."""
    for seconds in (3.0, 15.0, 60.0):  # a busy machine may answer nothing in a few seconds
        ask(graph, COUNT)
        running = threading.Thread(target=run_out, args=[graph, seconds])
        running.start()
        wait_until(lambda: graph._readers.qsize() < 4)
        graph.apply(Changes(nodes=[Node("Turn", "late", {"content": "x"})]), {})
        answers: list[Any] = []
        late = "MATCH (t:Turn {id: 'late'}) RETURN t.content"
        asking = threading.Thread(target=lambda: answers.append(ask(graph, late)))  # noqa: B023 - joined in this round
        asking.start()
        answered = 0
        while running.is_alive():
            graph.query("MATCH (t:Turn {id: 't1'}) RETURN t.content")
            answered += 1
            running.join(0.05)
        asking.join(STOP_S)
        assert answers == [[["x"]]]
        graph.apply(Changes(removed_nodes=[("Turn", "late")]), {})
        if answered > 1:  # the second waits for the end of what runs, if the copy holds up anybody
            return
    raise AssertionError("the copy held up those who asked")


def run_out(graph: EmbeddedGraph, seconds: float) -> None:
    with contextlib.suppress(QueryTimeout):
        graph.query(SLOW, timeout=seconds)


def test_rows_and_bytes_of_an_answer_are_bounded(graph: EmbeddedGraph) -> None:
    cut = graph.query_untrusted("UNWIND range(1, 50) AS x RETURN repeat('x', 100000)", timeout=STOP_S, limit=None)
    assert 15 < len(cut.rows) < 22 and cut.truncated
    with pytest.raises(QueryStopped, match="a single row of the result exceeds 2 MB"):
        ask(graph, "RETURN repeat('x', 3000000)")
    few = graph.query_untrusted("MATCH (t:Turn) RETURN t.id ORDER BY t.id", timeout=STOP_S, limit=3)
    assert few == (["t.id"], [["t0"], ["t1"], ["t10"]], True)


def test_values_that_python_has_not_are_text(graph: EmbeddedGraph) -> None:
    query = (
        "RETURN to_timestamp(999999999999), date('9999-12-31') + interval('1 day'), make_date(99999, 1, 1),"
        " [timestamp('9999-12-31 23:59:59') + interval('1 day')], interval('9999999 years'), interval('1 day'), date('2020-02-29'),"
        " timestamp('2020-01-01'), cast('170141183460469231731687303715884105727' AS INT128), cast(1.5 AS DECIMAL(4, 2)),"
        " 1.0 / 0.0, {a: {b: [1]}, `map`: 1}, map([1], ['x']), blob('\\\\xAA'), uuid('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')"
    )
    (row,) = ask(graph, query)
    assert row == [
        "33658-09-27T01:46:39.000064+00:00", "10000-01-01", "99999-01-01", ["10000-01-01T23:59:59+00:00"],
        {"kuzu": "3599999640 days", "ladybug": "3649999635 days"}[ENGINE], "1 day, 0:00:00", "2020-02-29", datetime(2020, 1, 1, tzinfo=UTC),
        170141183460469231731687303715884105727, 1.5, "inf", {"a": {"b": [1]}, "map": 1}, {"1": "x"}, "\\xAA",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    ]  # fmt: skip


def test_nodes_relations_and_paths_are_as_in_the_graph(graph: EmbeddedGraph) -> None:
    query = "MATCH p = (a {id: 't1'})-[r:NEXT]->(b {id: 't2'}) RETURN a, r, b, p"
    assert ask(graph, query) == graph.query(query).rows
    assert set(ask(graph, query)[0][0]) & {"content", "at"} and "path" not in ask(graph, query)[0][0]


def test_parameters_arrive_as_they_are(graph: EmbeddedGraph) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    given: dict[str, Any] = {"text": "한국어 '\"`$", "number": -(1 << 63), "part": 0.5, "truth": True, "nothing": None,
             "at": moment, "list": ["a", "b"], "map": {"time": "x", "b": [1]}}  # fmt: skip
    (row,) = ask(
        graph,
        "RETURN " + ", ".join(f"$given_{name}" for name in given),
        **{f"given_{name}": value for name, value in given.items()},
    )
    assert row == list(given.values())
    for wrong in (1 << 63, b"x", object(), [1 << 70]):
        with pytest.raises(UsageError, match="parameter `x`"):
            ask(graph, "RETURN $x", x=wrong)
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(UsageError, match="nested lists"):
        ask(graph, "RETURN $x", x=nested)
    if ENGINE == "kuzu":  # Ladybug ignores it; `check_read_only` refuses it for both
        with pytest.raises(UsageError, match="the query has no `\\$more`"):
            ask(graph, "RETURN 1", more=1)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_reader_can_neither_write_nor_open_files(graph: EmbeddedGraph, tmp_path: Path) -> None:
    """Also where the check of the query is passed by: it is not asked here."""
    secret = tmp_path / "secret.csv"
    secret.write_text("zqsecret\n")
    before = graph.query(COUNT).rows
    for query in (
        f"LOAD FROM '{secret}' (header=false) RETURN *", f"COPY (RETURN 1) TO '{tmp_path / 'new.csv'}'",
        "CREATE (:Turn {id: 'z'})", "MATCH (t:Turn) DELETE t", f"ATTACH '{tmp_path / 'x.db'}' AS x (dbtype {ENGINE})",
        f"EXPORT DATABASE '{tmp_path / 'all'}'", "INSTALL httpfs", f"CALL file_info('{secret}') RETURN *",
    ):  # fmt: skip
        with contextlib.suppress(GraphmemError):
            assert "zqsecret" not in str(ask(graph, query))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["secret.csv"]
    assert ask(graph, COUNT) == graph.query(COUNT).rows == before


@pytest.mark.parametrize("is_supported", [True, False])
def test_a_copy_has_the_holes_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_supported: bool) -> None:
    if not is_supported:
        monkeypatch.delattr(os, "copy_file_range", raising=False)
    with (tmp_path / "a").open("wb") as file:
        for place, content in ((5 << 20, os.urandom(9_000)), (20 << 20, b"x" * 2_000_000)):
            file.seek(place)
            file.write(content)
        file.truncate(30 << 20)
    made = copy_file(tmp_path / "a", [tmp_path / "b"])
    assert made.read_bytes() == (tmp_path / "a").read_bytes()
    assert made.stat().st_blocks <= (tmp_path / "a").stat().st_blocks + 64
    (tmp_path / "a").write_bytes(b"")
    assert copy_file(tmp_path / "a", [tmp_path / "c"]).read_bytes() == b""
    monkeypatch.delattr(os, "SEEK_DATA", raising=False)
    (tmp_path / "a").write_bytes(b"y" * 3_000_000)
    assert copy_file(tmp_path / "a", [tmp_path / "d"]).read_bytes() == b"y" * 3_000_000


def test_a_copy_lies_where_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = tmp_path / "here" / "copy", tmp_path / "there" / "copy"
    here.parent.mkdir()
    there.parent.mkdir()
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    assert copy_file(tmp_path / "a", [here, there]) == here and here.stat().st_mode & 0o777 == 0o600
    assert here.read_bytes() == b"x" * 100_000
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    free = {here.parent: 1_000, there.parent: 1 << 40}
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=free[folder]))
    assert copy_file(tmp_path / "a", [here, there]) == there and there.read_bytes() == b"x" * 100_000
    free[there.parent] = 1_000
    with pytest.raises(StoreError, match="disk is full: a query needs 32 MB"):
        copy_file(tmp_path / "a", [here, there])


def test_a_query_is_answered_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    store.mkdir()
    graph = EmbeddedGraph(store / "graph.kuzu", buffer_pool_mb=128, engine=ENGINE)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=0 if folder == store else 1 << 40))
    assert ask(graph, COUNT) == [[0]] and copies(graph) == []
    (copy,) = runtime_folder().rglob("*.kuzu")
    graph.close()
    assert not copy.exists()


def test_readers_end_with_their_graph_and_when_nobody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = EmbeddedGraph(tmp_path / "graph.kuzu", buffer_pool_mb=128, engine=ENGINE)
    ask(graph, COUNT)
    (reader,) = graph._foreign._idle
    assert copies(graph)
    graph.release_memory()
    assert reader.is_alive  # somebody asked just now
    monkeypatch.setattr("graphmem.backends.graph.embedded._UNUSED_S", -1.0)
    graph.release_memory()
    assert not reader.is_alive and copies(graph) == [] and graph.unused_s == 0.0
    assert ask(graph, COUNT) == [[0]]
    (reader,) = graph._foreign._idle
    graph.close()
    assert not reader.is_alive


def test_the_program_that_embeds_the_graph_lives_on(memory: Memory) -> None:
    memory.remember("Ada likes tea")
    memory.process()
    ((at, day),) = memory.cypher("RETURN to_timestamp(999999999999), date('9999-12-31') + interval('1 day')").rows
    assert (at, day) == ("33658-09-27T01:46:39.000064+00:00", "10000-01-01")
    assert memory.cypher("MATCH (f:Fact) RETURN f.content").rows == [["Ada likes tea"]]
    with pytest.raises(UsageError, match="greater than 0"):
        memory.cypher("RETURN 1", timeout=float("nan"))


_SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
_MOMENTS = st.datetimes(timezones=st.just(UTC))
_KEYS = st.text() | st.sampled_from(["map", "time", "bytes", "float", "_label", "_id", "rows", "end", "error"])
_VALUES = st.recursive(
    _SCALARS | _MOMENTS, lambda inner: st.lists(inner) | st.dictionaries(_KEYS, inner), max_leaves=20
)


@settings(max_examples=examples(300), deadline=None)
@given(_VALUES)
def test_a_value_comes_back_as_it_went(value: Any) -> None:
    import json

    assert decode_value(json.loads(json.dumps(encode_value(value)))) == value
