"""Tests that have a title in place of a name: what they are called in each language, and what they call."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from graphmem.codegraph.build import build
from graphmem.codegraph.generic.parse import parse
from graphmem.codegraph.tests_of import is_test_case
from graphmem.codegraph.view import View, symbol_at
from graphmem.model.code import TITLED_SUITE, Symbol

FIXTURES = Path(__file__).parents[3] / "fixtures" / "code"
FOUND = {
    "typescript": """
        src/own.ts:4-7 is in a source file
        tests/queue.test.ts:6-27 [queue]
        tests/queue.test.ts:9-12 queue > adds a job. Then 'waits'
        tests/queue.test.ts:14-17 queue > adds %s
        tests/queue.test.ts:19-23 [queue > when empty]
        tests/queue.test.ts:20-22 queue > when empty > throws for ${add.name}
        tests/queue.test.ts:25-25 queue > is extended
        tests/queue.test.ts:29-32 at the top""",
    "javascript": """
        test/sum.js:3-22 [sum]
        test/sum.js:6-18 [sum > with 'quotes']
        test/sum.js:7-10 sum > with 'quotes' > adds\\u0007 numbers
        test/sum.js:11-17 sum > with 'quotes' > adds more
        test/sum.js:24-27 subtests
        test/sum.js:25-25 subtests > inner""",
    "ruby": """
        spec/fetcher_spec.rb:1-15 [Fetcher]
        spec/fetcher_spec.rb:4-14 [Fetcher > with one]
        spec/fetcher_spec.rb:5-5 Fetcher > with one > retrieves
        spec/fetcher_spec.rb:10-13 Fetcher > with one > fails
        test/fetcher_test.rb:3-17 [Fetcher]
        test/fetcher_test.rb:9-16 [Fetcher > when strict]
        test/fetcher_test.rb:10-13 Fetcher > when strict > retrieves in order
        test/fetcher_test.rb:20-23 builds a fetcher""",
    "go": """
        sum_test.go:6-13 TestSum > adds two numbers
        sum_test.go:9-12 TestSum > adds two numbers > twice
        sum_test.go:22-27 [a book]
        sum_test.go:23-26 a book > can be summed""",
    "php": """
        tests/SumTest.php:4-9 [sum]
        tests/SumTest.php:5-8 sum > adds numbers
        tests/SumTest.php:10-10 sums at the top""",
    "kotlin": """
        src/test/SumTest.kt:4-7 adds numbers
        src/test/SumTest.kt:8-13 [in a group]
        src/test/SumTest.kt:9-12 in a group > adds more
        src/test/SumTest.kt:14-17 is a title alone""",
    "swift": """
        Tests/SumSpec.swift:3-8 [spec > sum]
        Tests/SumSpec.swift:4-7 spec > sum > adds numbers""",
    "scala": """
        src/test/SumSpec.scala:4-7 A sum should be right
        src/test/SumSpec.scala:8-11 adds numbers
        src/test/SumSpec.scala:13-16 of utest
        src/test/SumSpec.scala:18-23 [A group]
        src/test/SumSpec.scala:19-22 A group > nested""",
    "lua": """
        sum_spec.lua:3-8 [sum]
        sum_spec.lua:4-7 sum > adds numbers""",
}


@cache
def seen(language: str) -> View:
    return View(build(FIXTURES / language / "titles"))


def titled(language: str) -> list[Symbol]:
    symbols = [s for s in seen(language).symbols.values() if s.has_title]
    return sorted(symbols, key=lambda s: (s.file, s.line))


def titles_of(symbol: Symbol) -> str:
    outer, within, inner = symbol.qualified_name.partition(" > ")
    return outer.rpartition(".")[2] + within + inner if within or "." not in symbol.name else symbol.name


@pytest.mark.parametrize("language", FOUND)
def test_titles_with_their_lines(language: str) -> None:
    rows = []
    for symbol in titled(language):
        said = titles_of(symbol)
        said = f"[{said}]" if symbol.decorators == (TITLED_SUITE,) else said
        rows.append(f"{symbol.file}:{symbol.line}-{symbol.end_line} {said}")
    assert rows == [line.strip() for line in FOUND[language].strip().splitlines()]


@pytest.mark.parametrize("language", FOUND)
def test_each_is_a_test_that_somebody_defines(language: str) -> None:
    view = seen(language)
    for symbol in titled(language):
        assert is_test_case(symbol) and symbol.key in view.tests and view.parent[symbol.key] in view.symbols
        assert symbol_at(view, symbol.file, symbol.line) is not None and symbol.signature and not symbol.exported
        assert not [edge for edge in view.incoming[symbol.key] if edge.type != "DEFINES"]
        assert view.find(symbol.key) == [symbol]


def callers(language: str, name: str) -> set[tuple[str, int]]:
    view = seen(language)
    [called] = [s for s in view.find(name) if s.key not in view.tests and s.kind in ("function", "method")]
    return {(view.symbols[e.source].name, e.line) for e in view.calls([called.key], of=True)}


def test_what_function_literals_in_a_test_do_the_test_does() -> None:
    assert callers("typescript", "clear") == {
        ("queue", 7), ("throws for ${add.name}", 21), ("is extended", 25), ("<lambda1>", 13),
    }  # fmt: skip
    assert callers("javascript", "sum") == {
        ("sum", 4), ("adds\\u0007 numbers", 8), ("adds more", 14), ("inner", 25),
    }  # fmt: skip


def test_a_subtest_without_a_literal_title_is_part_of_its_test() -> None:
    assert ("TestSum", 16) in callers("go", "Sum") and ("adds two numbers", 7) in callers("go", "Sum")


def test_calls_of_tests_are_relations_of_tests() -> None:
    view = seen("ruby")
    [build_] = view.find("Fetcher.build")
    tests = {view.symbols[e.source].name for e in view.incoming[build_.key] if e.type == "TESTS"}
    assert tests == {"Fetcher", "retrieves in order", "builds a fetcher", "test_by_name", "retrieves", "fails"}


def test_tests_are_found_by_their_titles() -> None:
    view = seen("typescript")
    [adds] = view.find("adds a job. Then 'waits'")
    assert [view.find(name) for name in (adds.qualified_name, "queue > adds a job. Then 'waits'", "ADDS  a job")] == [
        [adds]
    ] * 3
    assert [s.name for s in view.find("add")] == ["add"] and view.find("nothing like it") == []


def test_titles_are_short_lines_without_control_characters_and_secrets() -> None:
    secret = "ghp_" + "a1B2" * 9
    title = "a\\u0000b" + "\u202e \u200b x" * 100
    text = f"describe('{title}', () => {{ it('{title}', () => {{}}); it(`one\n\ttwo {secret}`, () => {{}}) }})\n"
    suite, test, other = [s for s in parse("a.test.js", text.encode()).symbols if s.has_title]
    assert len(suite.name) <= 160 and suite.name.isprintable() and test.name == suite.name
    assert len(test.qualified_name) <= 660 and other.name.startswith("one two") and secret not in other.qualified_name


def test_deeply_nested_titles_stay_bounded() -> None:
    depth = 60
    text = "".join(f"describe('{'word ' * 30}{n}', () => {{\n" for n in range(depth)) + "})\n" * depth
    symbols = [s for s in parse("a.test.js", text.encode()).symbols if s.has_title]
    assert len(symbols) == depth and max(len(s.key) for s in symbols) < 700 and len({s.key for s in symbols}) == depth


def test_a_title_that_changes_keeps_the_hash_of_its_body() -> None:
    before, after = (
        next(s for s in parse("a.test.js", f"it('{title}', () => {{ run() }})\n".encode()).symbols if s.has_title)
        for title in ("adds", "adds one")
    )
    assert before.content_hash == after.content_hash and before.key != after.key
