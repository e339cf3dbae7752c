"""Results of test runs in every format, coverage beside them, and what happens to files that are neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import Memory
from graphmem.extract.coverage import read_coverage
from graphmem.extract.terminal import error_of
from graphmem.extract.testruns import parse_report

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
        "numTotalTests": 3, "numRuntimeErrorTestSuites": 0, "numPassedTests": 1, "numFailedTests": 1, "numPendingTests": 1,
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
    run = parse_report(text)
    assert run is not None
    assert (run.tool, (run.passed, run.failed, run.skipped)) == (tool, counts)
    (failure,) = run.failures
    assert (
        failure.name == name and "3" in failure.message + "3 ==" * (tool == "cargo") and "\x1b" not in failure.message
    )


REPORTS = Path(__file__).with_name("reports")  # what the real tools wrote for small projects
WRONG = "lamp turns wrongly"


@pytest.mark.parametrize(
    ("name", "tool", "counts", "failures"),
    [
        ("pytest.xml", "junit", (1, 3, 2), ["test_lamp.TestLamp::test_turns[2]", "test_lamp::test_negative", "test_lamp::test_oil"]),
        ("pytest.txt", "pytest", (1, 3, 2), ["test_lamp.py::TestLamp::test_turns[2]", "test_lamp.py::test_negative", "test_lamp.py::test_oil"]),
        ("go.json", "go", (3, 2, 1), ["example.com/lamp.TestTurnsWrong/minutes#01", "example.com/lamp.TestPanics"]),
        ("go.txt", "go", (3, 3, 1), ["TestTurnsWrong/minutes#01", "TestPanics", "example.com/lamp/broken"]),
        ("cargo.json", "cargo", (2, 3, 1), ["tests::turns_wrong", "tests::panics", "broken"]),
        ("cargo.txt", "cargo", (2, 3, 1), ["tests::turns_wrong", "tests::panics", "broken"]),
        ("cargo-junit.xml", "junit", (1, 2, 0), ["tests::turns_wrong", "tests::panics"]),
        ("jest.json", "jest", (1, 3, 2), [WRONG, "lamp throws", "broken.test.js"]),
        ("jest.txt", "jest", (1, 3, 2), [WRONG, "lamp throws", "broken.test.js"]),
        ("jest-junit.xml", "junit", (2, 2, 1), [WRONG, "lamp throws"]),
        ("vitest.json", "vitest", (1, 2, 2), ["broken.test.ts", WRONG]),
        ("vitest.txt", "vitest", (1, 2, 2), ["src/broken.test.ts", WRONG]),
        ("vitest-junit.xml", "junit", (1, 2, 2), ["src/broken.test.ts", "src/lamp.test.ts::lamp > turns wrongly"]),
    ],
)  # fmt: skip
def test_what_real_tools_write_is_read(name: str, tool: str, counts: tuple[int, ...], failures: list[str]) -> None:
    run = parse_report((REPORTS / name).read_text("utf-8"))
    assert run is not None and (run.tool, (run.passed, run.failed, run.skipped)) == (tool, counts)
    assert [failure.name for failure in run.failures] == failures
    assert all(error_of(failure.message) for failure in run.failures)


def test_a_build_that_failed_is_told_by_go_1_24() -> None:
    build = "lamp/broken [lamp/broken.test]"
    records: list[dict[str, object]] = [
        {"ImportPath": build, "Action": "build-output", "Output": f"# {build}\n"},
        {"ImportPath": build, "Action": "build-output", "Output": "broken/b.go:3:28: cannot use text as int\n"},
        {"ImportPath": build, "Action": "build-fail"},
        {"Action": "start", "Package": "lamp/broken"},
        {"Action": "output", "Package": "lamp/broken", "Output": "FAIL\tlamp/broken [build failed]\n"},
        {"Action": "fail", "Package": "lamp/broken", "Elapsed": 0, "FailedBuild": build},
    ]
    run = parse_report("\n".join(map(json.dumps, records)))
    assert run is not None
    assert [(f.name, f.message) for f in run.failures] == [("lamp/broken", "broken/b.go:3:28: cannot use text as int")]


@pytest.mark.parametrize(
    ("name", "share"),
    [("coverage.xml", 83.33), ("coverage.json", 83.33), ("lcov.info", 83.33), ("cover.out", 50), ("clover.xml", 75),
     ("coverage-summary.json", 75), ("go.json", None), ("jest.json", None)],
)  # fmt: skip
def test_what_coverage_tools_write_is_read(name: str, share: float | None) -> None:
    assert read_coverage((REPORTS / name).read_text("utf-8")) == share


def test_a_folder_of_reports_becomes_runs_and_gotchas_about_files_of_the_repository(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("jest.json", "cargo.json", "go.json", "pytest.xml", "lcov.info"):
        text = (REPORTS / name).read_text("utf-8")
        (tmp_path / name).write_text(text.replace("/home/ada/lamp", str(tmp_path)))
    assert memory.ingest("tests", tmp_path).new == 4
    memory.process()
    runs = "MATCH (r:TestRun) RETURN r.tool, r.failed ORDER BY r.tool"
    assert memory.cypher(runs).rows == [["cargo", 3], ["go", 2], ["jest", 3], ["junit", 3]]
    about = "MATCH (g:Gotcha)-[:ABOUT]->(f:File) WHERE g.title CONTAINS $said RETURN DISTINCT f.path"
    for said, path in (
        ("cannot find module", "broken.test.js"),
        ("turns(3) = 24", "lamp_test.go"),
        ("no oil in", "test_lamp.py"),
    ):
        found = memory.cypher(about.replace("g.title", "lower(g.title)"), {"said": said}).rows
        assert [path] in found


def test_coverage_of_each_tool_is_per_cent_of_lines() -> None:
    assert read_coverage(json.dumps({"totals": {"percent_covered": 87.5}})) == 87.5
    assert read_coverage(json.dumps({"total": {"lines": {"pct": 64}}})) == 64
    assert read_coverage('<coverage line-rate="0.75"/>') == 75
    assert read_coverage("SF:a\nLH:3\nLF:4\nend_of_record\nLH:1\nLF:4\n") == 50
    assert read_coverage("nothing") is None
    run = parse_report(PYTEST)
    assert run is not None and run.coverage == 90


@given(st.one_of(st.text(max_size=200), st.recursive(st.none() | st.integers() | st.text(max_size=5),
                 lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["testResults", "numTotalTests", "Action", "totals", "total", "type"]), inner, max_size=4),
                 max_leaves=8).map(json.dumps)))  # fmt: skip
def test_whatever_the_text_nothing_is_raised(text: str) -> None:
    parse_report(text)
    read_coverage(text)


def test_a_document_that_attacks_the_parser_is_no_result() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
    assert parse_report(bomb) is None


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
