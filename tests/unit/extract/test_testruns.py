"""Results of test runs in every format, coverage beside them, and what happens to files that are neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import Memory
from graphmem.extract.testruns import coverage, parse

JUNIT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites time="1.5"><testsuite name="unit">
<testcase classname="shop.cart" name="adds" time="0.5"/>
<testcase classname="shop.cart" name="pays" file="shop/cart.py"><failure message="AssertionError: 3 != 4">at line 9</failure></testcase>
<testcase classname="shop.cart" name="ships"><skipped/></testcase>
</testsuite></testsuites>"""
PYTEST = """=================================== FAILURES ===================================
__________________________________ test_pays ___________________________________
    def test_pays():
>       assert total() == 4
E       AssertionError: assert 3 == 4
tests/test_cart.py:9: AssertionError
TOTAL                    120     12    90%
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_pays - AssertionError: assert 3 == 4
========================= 1 failed, 4 passed, 2 skipped in 0.31s =========================
"""
GO = "\n".join(
    json.dumps(record)
    for record in [
        {"Action": "output", "Package": "shop", "Test": "TestPays", "Output": "    cart_test.go:9: got 3, want 4\n"},
        {"Action": "fail", "Package": "shop", "Test": "TestPays", "Elapsed": 0.1},
        {"Action": "pass", "Package": "shop", "Test": "TestAdds", "Elapsed": 0.1},
        {"Action": "skip", "Package": "shop", "Test": "TestShips"},
        {"Action": "output", "Package": "shop", "Output": "coverage: 81.5% of statements\n"},
        {"Action": "fail", "Package": "shop", "Elapsed": 0.4},
    ]
)
CARGO = """running 3 tests
test cart::adds ... ok
failures:

---- cart::pays stdout ----
thread 'cart::pays' panicked at src/cart.rs:9: assertion failed: left == right

failures:
    cart::pays

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s
"""
JEST = json.dumps(
    {
        "numTotalTests": 3, "numPassedTests": 1, "numFailedTests": 1, "numPendingTests": 1,
        "testResults": [{"name": "/w/cart.test.ts", "status": "failed", "assertionResults": [
            {"status": "failed", "fullName": "cart pays", "failureMessages": ["\x1b[31mError: 3 != 4\x1b[0m"]},
            {"status": "passed", "fullName": "cart adds"}]}],
    }
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tool", "counts", "name"),
    [
        (JUNIT, "junit", (1, 1, 1), "shop.cart::pays"),
        (PYTEST, "pytest", (4, 1, 2), "tests/test_cart.py::test_pays"),
        (GO, "go", (1, 1, 1), "shop.TestPays"),
        (CARGO, "cargo", (1, 1, 1), "cart::pays"),
        (JEST, "jest", (1, 1, 1), "cart pays"),
    ],
)
def test_every_format_gives_counts_and_failures(text: str, tool: str, counts: tuple[int, ...], name: str) -> None:
    run = parse(text)
    assert run is not None
    assert (run.tool, (run.passed, run.failed, run.skipped)) == (tool, counts)
    (failure,) = run.failures
    assert (
        failure.name == name and "3" in failure.message + "3 ==" * (tool == "cargo") and "\x1b" not in failure.message
    )


def test_coverage_of_each_tool_is_per_cent_of_lines() -> None:
    assert coverage(json.dumps({"totals": {"percent_covered": 87.5}})) == 87.5
    assert coverage(json.dumps({"total": {"lines": {"pct": 64}}})) == 64
    assert coverage('<coverage line-rate="0.75"/>') == 75
    assert coverage("SF:a\nLH:3\nLF:4\nend_of_record\nLH:1\nLF:4\n") == 50
    assert coverage("nothing") is None
    run = parse(PYTEST)
    assert run is not None and run.coverage == 90


@given(st.one_of(st.text(max_size=200), st.recursive(st.none() | st.integers() | st.text(max_size=5),
                 lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["testResults", "numTotalTests", "Action", "totals", "total", "type"]), inner, max_size=4),
                 max_leaves=8).map(json.dumps)))  # fmt: skip
def test_whatever_the_text_nothing_is_raised(text: str) -> None:
    parse(text)
    coverage(text)


def test_a_document_that_attacks_the_parser_is_no_result() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
    assert parse(bomb) is None


def test_a_run_is_found_and_a_later_green_run_resolves_its_gotcha(memory: Memory, tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(JUNIT)
    (tmp_path / "cover.json").write_text(json.dumps({"totals": {"percent_covered": 87.5}}))
    assert memory.ingest("tests", tmp_path).new == 1
    assert memory.ingest("tests", tmp_path).new == 0
    memory.process()
    assert memory.cypher("MATCH (r:TestRun) RETURN r.passed, r.failed, r.skipped, r.coverage").rows == [[1, 1, 1, 87.5]]
    edges = "MATCH (g:Gotcha)-[:FAILED_IN]->(r:TestRun) RETURN g.resolved, g.title"
    assert memory.cypher(edges).rows == [[False, "AssertionError: 3 != 4"]]
    assert memory.cypher("MATCH (:Gotcha)-[:ABOUT]->(f:File) RETURN f.path").rows == [["shop/cart.py"]]
    report.write_text(JUNIT.replace("<failure", "<system-out").replace("</failure", "</system-out"))
    assert memory.ingest("tests", tmp_path).new == 1
    memory.process()
    assert memory.cypher(edges).rows == [[True, "AssertionError: 3 != 4"]]
