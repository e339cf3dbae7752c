"""Foreign Cypher: what only reads passes, everything else is refused."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ENGINE, assert_about_linear, examples

from graphmem.backends.graph.engines import ENGINES
from graphmem.errors import ForbiddenQuery, GraphmemError, UsageError
from graphmem.text.cypher import FORBIDDEN, FUNCTIONS, MAX_QUERY_CHARS, REFUSED_FUNCTIONS, check_read_only

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n",
        "MATCH (t:Task) WHERE t.set = 'delete' RETURN t AS `create`;",
        "// MERGE\nMATCH (n {name: 'x; DROP y'}) /* SET */ RETURN count(*)",
        "UNWIND [1, 2] AS x RETURN x ORDER BY x DESC SKIP 1 LIMIT 2",
        "CALL table_info('Turn') RETURN *",
        "OPTIONAL MATCH (a)-[:CALLS*1..3]->(b) WITH a RETURN a UNION ALL MATCH (c) RETURN c",
        "MATCH (a) WHERE a.x = $set RETURN a.comment",
        "EXPLAIN LOGICAL MATCH (update)-[analyze]->(force) RETURN update, analyze, force",
    ],
)
def test_reading_passes(query: str) -> None:
    check_read_only(query)


def test_a_parameter_without_a_value_is_named() -> None:
    query = "MATCH (a) WHERE a.name = $name AND a.text <> '$other' RETURN a"
    check_read_only(query, {"name"})
    with pytest.raises(UsageError, match="`name` has no value: add name=VALUE"):
        check_read_only(query, {"other"})
    with pytest.raises(UsageError, match="the query has no `\\$other`: omit that parameter"):
        check_read_only(query, {"name", "other"})
    check_read_only("MATCH (a) WHERE a.name = $`name` RETURN a", {"name"})


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (n:Turn)", "MATCH (n) SET n.x = 1", "MATCH (n) DETACH DELETE n", "MERGE (n:Turn {id: 'x'})",
        "LOAD FROM '/etc/passwd' RETURN *", "COPY (MATCH (n) RETURN n) TO '/tmp/x.csv'", "EXPORT DATABASE '/tmp/x'",
        "INSTALL httpfs", "ATTACH 'x.db' AS y", "MATCH (n) RETURN n; MATCH (m) DELETE m", "CALL threads=1",
        "CALL project_graph('g', ['Turn'], [])", "MATCH (n) RETURN n /* */ ; DROP TABLE Turn", "match (n) remove n.x",
        "CALL (x) { LOAD FROM 'y' RETURN 1 } RETURN 1", "MATCH (n) WITH n LOAD FROM 'x' RETURN n", "BEGIN TRANSACTION",
        # statements that only Ladybug has, and what may follow EXPLAIN
        "ANALYZE", "ANALYZE Turn", "LOAD fts", "UPDATE fts", "FORCE INSTALL fts FROM 'http://x'", "USE GRAPH g", "CREATE GRAPH g",
        "CREATE USER u WITH PASSWORD 'x'", "CREATE ROLE r", "CREATE INDEX i FOR (t:Turn) ON (t.role)", "DETACH y",
        "CREATE NODE TABLE z(id STRING PRIMARY KEY) PARTITION BY HASH(id) PARTITIONS 2", "ALTER TABLE Turn SET SORTED BY (id ASC)",
        "COPY Turn FROM ('a.npy') BY COLUMN", "CALL show_graphs() RETURN *", "CALL disk_info() RETURN *",
        "CALL show_macros() RETURN *", "EXPLAIN ANALYZE", "EXPLAIN UPDATE fts", "EXPLAIN LOGICAL UPDATE fts",
        "EXPLAIN EXPORT DATABASE '/tmp/x'", "EXPLAIN FORCE INSTALL fts", "EXPLAIN EXPLAIN MATCH (n) RETURN n", "EXPLAIN",
        "EXPLAIN `MATCH` (n) RETURN n", "MATCH (n) RETURN setseed(0.5)", "PROFILE MATCH (n) RETURN n",
    ],
)  # fmt: skip
def test_everything_else_is_refused(query: str) -> None:
    with pytest.raises(ForbiddenQuery):
        check_read_only(query)


@pytest.mark.parametrize("query", ["", "  ", "// nothing", "MATCH (n) WHERE n.x = 'open RETURN n"])
def test_what_is_no_query_is_a_usage_error(query: str) -> None:
    with pytest.raises(UsageError):
        check_read_only(query)


@given(st.sampled_from(sorted(FORBIDDEN)), st.sampled_from([" ", "\n", "\t", "/**/", "//x\n"]))
def test_white_space_and_comments_hide_nothing(word: str, gap: str) -> None:
    with pytest.raises(ForbiddenQuery):
        check_read_only(f"MATCH (n){gap}{word.lower()}{gap}n RETURN n")


@given(st.text(max_size=60))
def test_it_never_breaks(query: str) -> None:
    try:
        check_read_only(query)
    except GraphmemError as error:
        assert str(error)


# Each of these passed an earlier check and was run by the engine as a write, or read a file.
_HIDDEN = [
    "MATCH (n:Fact) WHERE n.level=1SET n.level=2",
    "MATCH (n:Fact) WITH n LIMIT 1DELETE n",
    "MATCH (n:Fact) WHERE n.level>1e0DELETE n",
    "MATCH (n:Fact) WHERE n.level>1.0e0DELETE n",
    "WITH 1 AS x LIMIT 1LOAD FROM '/etc/hosts' (file_format='csv') RETURN *",
    "/***/ MATCH (n:Fact) RETURN n.id, ' */ CREATE (n:Fact {id:\"z\"}) //'",
    "/***/ RETURN ' */ CREATE (n:Fact {id:\"z\"}) //'",
    "UNWIND [1] AS as CREATE (:Fact {id:'b'})",
    "MATCH (as:Fact) WITH as CREATE (:Fact {id:'c'})",
    "RETURN `nextval`('s')",
    "RETURN {a: nextval('s')}",
    "RETURN {load: copy_json('x')}",
]


@pytest.mark.parametrize("query", _HIDDEN)
def test_what_the_engine_reads_otherwise_is_refused(query: str) -> None:
    with pytest.raises(UsageError):
        check_read_only(query)


@pytest.mark.parametrize(
    "query",
    [
        "RETURN '\\z'", "RETURN 'x'//a\rb", "RETURN /* a", "MATCH (n) RETURN x²", "RETURN 1\u180e", "RETURN\0 1",
        "RETURN " + "(" * 300 + "1" + ")" * 300, "RETURN foo(1)", "RETURN '" + "x" * 200_000 + "'",
    ],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_is_refused(query: str) -> None:
    with pytest.raises(UsageError):
        check_read_only(query)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (a)-[e:CALLS* SHORTEST 1..3]->(b) RETURN length(e), 1.5e3, [1,2][1..2]",
        "MATCH (n) WHERE EXISTS { MATCH (n)-[]->(m) } AND n.x IN ([1]) RETURN COUNT { MATCH (n) }",
        "RETURN CAST(1 AS DECIMAL(4,2)) AS comment, CASE WHEN (1=1) THEN (2) ELSE (3) END, list_transform([1], x -> x + 1)",
        "RETURN '한국어 \\' \\u00e9', \"a\\\\\" /* a * b / */ // end",
    ],
)
def test_what_people_write_passes(query: str) -> None:
    check_read_only(query)


@pytest.mark.parametrize("unit", ["/*", "'\\'", '"\\"', "//\r", "`", "(", "1", "é", " ", "{a:"])
def test_the_check_takes_a_time_in_proportion_to_the_query(unit: str) -> None:
    def check(size: int) -> None:
        with contextlib.suppress(GraphmemError):
            check_read_only("RETURN " + unit * (size // len(unit) - 4))

    assert_about_linear(check, MAX_QUERY_CHARS)


@pytest.fixture(scope="module")
def graph() -> Iterator[Any]:
    """A writable graph, so that a write which passes the check is seen."""
    engine = ENGINES[ENGINE].load()
    connection = engine.Connection(
        engine.Database(":memory:", buffer_pool_size=64 << 20, max_num_threads=1), num_threads=1
    )
    connection.execute("CREATE NODE TABLE Fact(id STRING PRIMARY KEY, level INT64, as INT64)")
    connection.execute("CREATE REL TABLE SET_OF(FROM Fact TO Fact)")
    for name in "ab":
        connection.execute(f"CREATE (:Fact {{id: '{name}', level: 1, as: 1}})")
    yield connection


def _content(connection: Any) -> list[list[Any]]:
    return [
        connection.execute("MATCH (n:Fact) RETURN n.id, n.level ORDER BY n.id").get_all(),
        connection.execute("MATCH (:Fact)-[r]->(:Fact) RETURN count(*)").get_all(),
        connection.execute("CALL show_tables() RETURN name ORDER BY name").get_all(),
    ]


_GAP = st.sampled_from(
    ["", " ", "\n", "\t", "/**/", "/***/", "/* ' */", '/* " **/', "//'\n", "//\r", "\u00a0", "\u180e", "`"]
)
_VALUE = st.sampled_from(
    [
        "1",
        "1.0",
        "1e0",
        "'x'",
        '"y"',
        "' */ '",
        "'\\''",
        "[1]",
        "n.level",
        "n.as",
        "$a",
        "true",
        "`as`",
        "(1)",
        "{a: 1}",
    ]
)
_READING = st.sampled_from(
    ["MATCH (n:Fact)", "MATCH (as:Fact)", "WHERE n.level=", "WITH n", "WITH n.as", "WITH n AS as", "WITH as", "LIMIT", "SKIP", "RETURN",
     "UNWIND [1] AS as", "UNWIND [1] AS x", "ORDER BY", "UNION", "EXPLAIN", "CALL show_tables()", ",", "AS", ".", ":", "|", "{"]
)  # fmt: skip
_WRITING = st.sampled_from(
    ["SET n.level=7", "DELETE n", "DETACH DELETE n", "CREATE (:Fact {id:'z'})", "MERGE (:Fact {id:'z'})", "REMOVE n.level",
     "CREATE NODE TABLE Z(id STRING PRIMARY KEY)", "DROP TABLE SET_OF", "LOAD FROM '/etc/hosts' (file_format='csv')",
     "COPY (RETURN 1) TO '/tmp/never.csv'", "CREATE (n)-[:SET_OF]->(n)", "ALTER TABLE Fact ADD x INT64",
     "CALL project_graph('g', ['Fact'], [])", "ANALYZE", "UPDATE fts", "LOAD fts", "CREATE GRAPH g", "USE GRAPH g",
     "CREATE INDEX i FOR (n:Fact) ON (n.level)", "DETACH g", "COPY Fact FROM ('a.npy') BY COLUMN", "EXPORT DATABASE '/tmp/never'",
     "ATTACH '/tmp/never.db' AS y (dbtype lbug)"]
)  # fmt: skip


_PIECES = st.lists(st.tuples(st.one_of(_READING, _VALUE, _WRITING), _GAP), max_size=5)


@settings(max_examples=examples(1_000), deadline=None)
@given(_READING, _GAP, _VALUE, _GAP, _WRITING, _PIECES)
def test_whatever_passes_writes_nothing_and_reads_no_file(
    graph: Any, reading: str, gap: str, value: str, last: str, writing: str, pieces: list[tuple[str, str]]
) -> None:
    rest = "".join(piece + between for piece, between in pieces)
    for query in (f"MATCH (n:Fact) {reading}{gap}{value}{last}{writing} {rest}", f"MATCH (n:Fact) {rest} RETURN 1"):
        with contextlib.suppress(GraphmemError):
            check_read_only(query)
            _require_reading(graph, query)


def _require_reading(graph: Any, query: str) -> None:
    """The plan has no step that writes or opens a file, and running it changes nothing."""
    before = _content(graph)
    with contextlib.suppress(RuntimeError):
        plan = graph.execute("EXPLAIN LOGICAL " + query)
        said = str(plan.get_all() if not isinstance(plan, list) else "several")
        assert not re.search(
            r"CREATE|DELETE|SET_(NODE|REL|PROPERTY)|MERGE|COPY|SEVERAL|READ_|SCAN_FILE", said.upper()
        ), query
        graph.execute(query)
    assert _content(graph) == before, query


def test_each_function_of_the_engine_was_looked_at(graph: Any) -> None:
    kinds = ("SCALAR FUNCTION", "AGGREGATE FUNCTION", "REWRITE FUNCTION")
    rows = graph.execute("CALL show_functions() RETURN name, type").get_all()
    known = {name.upper() for name, kind in rows if kind in kinds and name[0].isalpha()}
    assert known - FUNCTIONS == REFUSED_FUNCTIONS - set(ELSEWHERE[ENGINE])
    assert FUNCTIONS - known == {"EXISTS", *ELSEWHERE[ENGINE]} - REFUSED_FUNCTIONS  # EXISTS is of the grammar


# Functions of the other engine only.
ELSEWHERE = {
    "kuzu": "HISTOGRAM LIST_HAS_ANY LIST_MAX LIST_MIN PERCENTILECONT PERCENTILEDISC RANDOM REPLACE ROWID SETSEED TIME_BUCKET"
    " TO_UINT128".split(),
    "ladybug": "ARRAY_TO_JSON CAST_TO_JSON COPY_JSON JSON JSON_ARRAY JSON_ARRAY_LENGTH JSON_CONTAINS JSON_EXTRACT JSON_KEYS"
    " JSON_MERGE_PATCH JSON_OBJECT JSON_QUOTE JSON_STRUCTURE JSON_VALID ROW_TO_JSON STEM TO_JSON".split(),
}
