"""Identifies tests and what they test: by file name patterns, decorators and names. Tests and examples call sources, not
the other way round: effects of their values on sources are kept separate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from graphmem.codegraph import languages
from graphmem.codegraph.records import FileFacts
from graphmem.model.code import CodeEdge, Symbol

_DECORATOR = re.compile(
    r"^(?:\w+::)*(?:test|test_case|test_log|rstest|Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|TestCaseSource"
    r"|\w*Fact|\w*Theory|\w*TestMethod|TestCase)\b"
    r"|^cfg\(test\)|^pytest\.|^bench\b|^titled "
)
# Names of functions that a test runner runs without a decorator; in languages that are not named here only closures are.
_CASES = {
    "python": re.compile("test"),
    "go": re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])"),
    **dict.fromkeys(("ruby", "bash", "lua"), re.compile("test")),
    **dict.fromkeys(("java", "kotlin", "scala", "php", "swift"), re.compile("test|should|it_")),
    **dict.fromkeys(("c", "cpp"), re.compile("(?i)test")),
}
_CLASS_OF_TESTS = re.compile("[Tt]ests?(?![a-z])|Spec(?![a-z])|^describe")
FROM_TESTS = "from tests"  # strategy of what a source does only with a value that a test or an example gives to it
_GIVEN = 0.5  # the confidence of such a relation
_BY_VALUE = frozenset(
    {"flow", "type", "override", "candidate", "operator", "inherited"}
)  # strategies that follow values
_EXAMPLES = re.compile(r"(?:^|/)(?:examples?|samples?|demos?|playgrounds?|docs?|benchmarks?)/")


def is_test_symbol(symbol: Symbol) -> bool:
    """Return whether a symbol is itself marked as a test."""
    return any(_DECORATOR.match(d) for d in symbol.decorators)


def is_test_case(symbol: Symbol) -> bool:
    """Return whether a symbol of a test file is something that a test runner runs, not a helper or constant that tests use.
    Files count, because tests may be closures in them.

    >>> place = ("a_test.py", 1, 2, "", "", "public", "python")
    >>> [is_test_case(Symbol("a", name, name, "function", *place)) for name in ("test_one", "make_one")]
    [True, False]
    """
    is_marked = symbol.language != "python" and is_test_symbol(symbol)  # fixtures of pytest are marked, too
    if is_marked or symbol.kind == "module" or symbol.name.startswith("<"):
        return True
    if symbol.kind not in ("function", "method"):
        return symbol.kind == "class" and _CLASS_OF_TESTS.search(symbol.name) is not None
    pattern = _CASES.get(symbol.language)
    return pattern is not None and pattern.match(symbol.name) is not None


def is_example(path: str) -> bool:
    """Return whether a path belongs to examples, documentation or benchmarks."""
    return _EXAMPLES.search(path) is not None


def is_outside_sources(path: str, language: str) -> bool:
    """Return whether a path belongs to tests or examples."""
    known = languages.all_languages().get(language)
    return is_example(path) or (known is not None and known.is_test_file(path))


def tests_inside(outer: Symbol, symbols: Iterable[Symbol]) -> list[Symbol]:
    """Return the symbols of a file inside the lines of another symbol."""
    return [s for s in symbols if outer.line <= s.line and s.end_line <= outer.end_line and s.kind != "module"]


def keys_of_tests(facts: FileFacts) -> set[str]:
    """Return the keys of a file's symbols that are tests or inside tests."""
    if facts.language == languages.MANIFEST:
        return set()
    if languages.get_language(facts.language).is_test_file(facts.path):
        return {s.key for s in facts.symbols}
    marked = [s for s in facts.symbols if is_test_symbol(s)]
    out = {s.key for s in marked}
    for outer in marked:
        if outer.kind in ("namespace", "class", "module") or outer.has_title:
            out |= {s.key for s in tests_inside(outer, facts.symbols)}
    return out


def tests_edges(edges: Mapping[str, Iterable[CodeEdge]], facts: Mapping[str, FileFacts]) -> dict[str, list[CodeEdge]]:
    """Return for each file the TESTS edges that follow from its calls: a test tests what it calls outside of tests."""
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


def keep_apart(edges: Iterable[CodeEdge], outside: OutsideSources) -> tuple[CodeEdge, ...]:
    """Return the edges of a file, sorted; what its sources do only with values of tests and examples becomes a reference
    with the strategy FROM_TESTS. Direct references through imports are dependencies."""
    out: list[CodeEdge] = []
    given: set[CodeEdge] = set()
    for edge in edges:
        if edge.strategy in _BY_VALUE and outside.holds(edge.target) and not outside.holds(edge.source):
            given.add(edge._replace(type="REFERS_TO", strategy=FROM_TESTS, confidence=_GIVEN))
        else:
            out.append(edge)
    return tuple(sorted((*out, *given))) if given else tuple(out)


class OutsideSources:
    """Determines which symbols belong to tests and examples, file by file on demand."""

    def __init__(self, facts: Mapping[str, FileFacts]) -> None:
        self._facts = facts
        self._home = {symbol.key: path for path, known in facts.items() for symbol in known.symbols}
        self._keys: dict[str, set[str]] = {}

    def holds(self, key: str) -> bool:
        """Return whether a symbol belongs to a test or example; external names do not."""
        path = self._home.get(key)
        if path is None:
            return False
        known = self._keys.get(path)
        if known is None:
            facts = self._facts[path]
            whole = is_outside_sources(path, facts.language)
            known = self._keys[path] = {s.key for s in facts.symbols} if whole else keys_of_tests(facts)
        return key in known
