"""Columns are named as the query writes them, in the words of the language rather than of the engine."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import graphmem
from graphmem import Memory
from graphmem.errors import UsageError
from graphmem.interfaces.cli.main import build
from graphmem.text.cypher import check_read_only
from graphmem.text.cypher_columns import name_columns


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("MATCH (s:Symbol) RETURN count(s), max(s.line)", ["count(s)", "max(s.line)"]),
        ("MATCH (s:Symbol) RETURN s.name, count(*) ORDER BY count(*) DESC LIMIT 3", ["s.name", "count(*)"]),
        ("MATCH (s:Symbol) RETURN DISTINCT s.name + '!' , upper(s.name) AS loud;", ["s.name + '!'", "engine"]),
        ("UNWIND [1, 2] AS n WITH n AS m RETURN m, n.limit LIMIT 1", ["m", "n.limit"]),
        ("RETURN 'a, b ORDER BY c' AS `x, y`, [1, 2][1], {a: 1, b: 2}", ["engine", "[1, 2][1]", "{a: 1, b: 2}"]),
        ("RETURN CASE WHEN 1 < 2 THEN 'a'\n  ELSE 'b' END", ["CASE WHEN 1 < 2 THEN 'a' ELSE 'b' END"]),
        ("MATCH (t:Task) RETURN t.title UNION MATCH (f:Fact) RETURN f.content", ["t.title"]),
        ("MATCH (s) RETURN *", ["engine"]),
    ],
)
def test_columns_have_the_words_of_the_query(query: str, names: list[str]) -> None:
    check_read_only(query)
    assert name_columns(query, ["engine"] * len(names)) == names


@given(st.text(alphabet="RETURN return,()[]{}'\"`.* ASas;1n \n", max_size=60), st.integers(0, 4))
def test_any_text_gives_as_many_names_as_columns(text: str, count: int) -> None:
    assert len(name_columns(f"RETURN {text}", ["engine"] * count)) == count


def test_an_answer_has_the_words_of_its_query_and_the_guide_those_of_neo4j(memory: Memory) -> None:
    memory.remember("The crane stops at noon.")
    memory.process()
    found = memory.cypher("MATCH (f:Fact) RETURN count(f), collect(f.content)[1] AS first, toUpper('a')")
    assert found.columns == ["count(f)", "first", "toUpper('a')"]
    guide = (Path(graphmem.__file__).parent / "guides" / "cypher.md").read_text("utf-8")
    rows = re.findall(r"^\| `((?:MATCH|RETURN).+?)` \| `(.+?)`", guide.replace("\\|", "|"), re.MULTILINE)
    assert len(rows) > 8
    for theirs, ours in rows:
        with pytest.raises(UsageError):
            memory.cypher(theirs)
        memory.cypher(ours)


def test_rows_are_printed_as_csv(memory: Memory) -> None:
    def rows(query: str, *options: str) -> tuple[list[list[str]], str]:
        run = CliRunner().invoke(build("cypher"), ["cypher", query, "--csv", "--store", str(memory.location), *options])
        return list(csv.reader(run.stdout.splitlines())), run.stderr

    query = "RETURN 'a,b' AS one, NULL AS two, ['c'] AS three, true AS four, '-1' AS five, 'x\x1b[31m' AS six"
    assert rows(query) == (
        [["one", "two", "three", "four", "five", "six"], ["a,b", "", '["c"]', "true", "-1", "x\ufffd[31m"]],
        "",
    )
    found, said = rows("UNWIND [1, 2, 3] AS n RETURN n", "--limit", "2")
    assert found == [["n"], ["1"], ["2"]] and "cut at the limit" in said
