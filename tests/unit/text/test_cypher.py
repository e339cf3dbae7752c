"""Foreign Cypher: what only reads passes, everything else is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.errors import ForbiddenQuery, GraphmemError, UsageError
from graphmem.text.cypher import FORBIDDEN, check

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
    ],
)
def test_reading_passes(query: str) -> None:
    check(query)


def test_a_parameter_without_a_value_is_named() -> None:
    query = "MATCH (a) WHERE a.name = $name AND a.text <> '$other' RETURN a"
    check(query, {"name"})
    with pytest.raises(UsageError, match="`name` has no value: add name=VALUE"):
        check(query, {"other"})


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (n:Turn)", "MATCH (n) SET n.x = 1", "MATCH (n) DETACH DELETE n", "MERGE (n:Turn {id: 'x'})",
        "LOAD FROM '/etc/passwd' RETURN *", "COPY (MATCH (n) RETURN n) TO '/tmp/x.csv'", "EXPORT DATABASE '/tmp/x'",
        "INSTALL httpfs", "ATTACH 'x.db' AS y", "MATCH (n) RETURN n; MATCH (m) DELETE m", "CALL threads=1",
        "CALL project_graph('g', ['Turn'], [])", "MATCH (n) RETURN n /* */ ; DROP TABLE Turn", "match (n) remove n.x",
        "CALL (x) { LOAD FROM 'y' RETURN 1 } RETURN 1", "MATCH (n) WITH n LOAD FROM 'x' RETURN n", "BEGIN TRANSACTION",
    ],
)  # fmt: skip
def test_everything_else_is_refused(query: str) -> None:
    with pytest.raises(ForbiddenQuery):
        check(query)


@pytest.mark.parametrize("query", ["", "  ", "// nothing", "MATCH (n) WHERE n.x = 'open RETURN n"])
def test_what_is_no_query_is_a_usage_error(query: str) -> None:
    with pytest.raises(UsageError):
        check(query)


@given(st.sampled_from(sorted(FORBIDDEN)), st.sampled_from([" ", "\n", "\t", "/**/", "//x\n"]))
def test_white_space_and_comments_hide_nothing(word: str, gap: str) -> None:
    with pytest.raises(ForbiddenQuery):
        check(f"MATCH (n){gap}{word.lower()}{gap}n RETURN n")


@given(st.text(max_size=60))
def test_it_never_breaks(query: str) -> None:
    try:
        check(query)
    except GraphmemError as error:
        assert str(error)
