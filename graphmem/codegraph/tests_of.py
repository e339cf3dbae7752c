"""Which symbols are tests, and what they test: by the file name patterns of the language, by decorators, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from graphmem.codegraph import languages
from graphmem.codegraph.records import FileFacts
from graphmem.model.code import CodeEdge, Symbol

_DECORATOR = re.compile(
    r"^(?:\w+::)*(?:test|rstest|Test|ParameterizedTest|RepeatedTest|Fact|Theory|TestMethod|TestCase)\b"
    r"|^cfg\(test\)|^pytest\.|^bench\b"
)


def is_test_symbol(symbol: Symbol) -> bool:
    """Whether a symbol is marked as a test by itself."""
    return any(_DECORATOR.match(d) for d in symbol.decorators)


def tests_inside(outer: Symbol, symbols: Iterable[Symbol]) -> list[Symbol]:
    """The symbols of a file that lie within the lines of another."""
    return [s for s in symbols if outer.line <= s.line and s.end_line <= outer.end_line and s.kind != "module"]


def keys_of_tests(facts: FileFacts) -> set[str]:
    """The keys of a file's symbols that are tests or lie within tests."""
    if facts.language == languages.MANIFEST:
        return set()
    if languages.get_language(facts.language).is_test_file(facts.path):
        return {s.key for s in facts.symbols}
    marked = [s for s in facts.symbols if is_test_symbol(s)]
    out = {s.key for s in marked}
    for outer in marked:
        if outer.kind in ("namespace", "class", "module"):
            out |= {s.key for s in tests_inside(outer, facts.symbols)}
    return out


def tests_edges(edges: Mapping[str, Iterable[CodeEdge]], facts: Mapping[str, FileFacts]) -> dict[str, list[CodeEdge]]:
    """For each file the TESTS edges that follow from its calls: a test tests what it calls outside of tests."""
    home = {symbol.key: path for path, known in facts.items() for symbol in known.symbols}
    known: dict[str, set[str]] = {}

    def tests(path: str) -> set[str]:
        if path not in known:
            known[path] = keys_of_tests(facts[path])
        return known[path]

    out: dict[str, list[CodeEdge]] = {}
    for path, own in edges.items():
        sources = tests(path)
        if not sources:
            continue
        for edge in own:
            if edge.type == "CALLS" and edge.source in sources and not edge.target.startswith("ext:"):
                there = home.get(edge.target)
                if there is not None and edge.target not in tests(there):
                    out.setdefault(path, []).append(edge._replace(type="TESTS"))
    return out
