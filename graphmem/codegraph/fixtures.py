"""Relations of tests to what runs for them and no call spells out. Fixtures of pytest: by parameter name, `usefixtures`,
`getfixturevalue` and `autouse`, from the nearest place that defines the name (class, file, `conftest.py` up the folders,
imports). Methods that set a test class up (JUnit, unittest, NUnit). Objects that `let` and `subject` of RSpec name. They are
computed on request from the symbols and the text of test files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from graphmem.codegraph.view import FUNCTIONS, View, of_type, symbol_at
from graphmem.model.code import CodeEdge, Symbol

STRATEGY = "fixture"
_SURE, _SOMEWHERE = 0.95, 0.6  # confidence: visible, only known by name
_DECORATOR = re.compile(r"(?:^|[._])fixture$")
_NAME = re.compile(r"\bname\s*=\s*[\"'](\w+)[\"']")
_AUTOUSE = re.compile(r"\bautouse\s*=\s*True\b")
_PARAMETER = re.compile(r"[(,]\s*(\w+)")
_TYPE = re.compile(r"\[[^\[\]]*\]")
_ASKED = re.compile(r"\b(?:usefixtures|getfixturevalue)\(([^)]*)\)")
_QUOTED = re.compile(r"[\"'](\w+)[\"']")
_DEFINITION = re.compile(r"\s*(?:async\s+def|def|class)\s+(\w+)")
_DECORATED = 12  # lines above a definition in which its decorator is looked for
_CUT, _LONGEST = 300, 4_000  # characters: a longer signature is read from the file, up to this
_MOST = 200_000  # relations


class _Fixture(NamedTuple):
    symbol: Symbol
    name: str
    is_autouse: bool
    owner: str  # key of the class around it, "" for a function of the file


def fixture_calls(view: View, read: Callable[[str], str]) -> list[CodeEdge]:
    """Return the calls of fixtures by tests and by other fixtures, and of what sets a test up. `read` returns the content of a
    file; it raises OSError if it cannot."""
    return [*_fixtures_of_pytest(view, read), *_set_up_calls(view), *_calls_on_named(view, read)]


def _fixtures_of_pytest(view: View, read: Callable[[str], str]) -> list[CodeEdge]:
    marked = [s for s in view.symbols.values() if s.language == "python" and any(map(_DECORATOR.search, s.decorators))]
    if not marked:
        return []
    files = dict(_files(view, {symbol.file for symbol in marked}, read))
    known = _Fixtures(view, [_fixture(view, symbol, files.get(symbol.file, [])) for symbol in marked])
    found: dict[tuple[str, str], CodeEdge] = {}
    for source, name, line in _requests(view, known, files):
        for target, sure in known.find(source, name):
            edge = CodeEdge("CALLS", source.key, target.key, line, STRATEGY, sure)
            found.setdefault((source.key, target.key), edge)
        if len(found) > _MOST:
            break
    return list(found.values())


def _files(view: View, defining: set[str], read: Callable[[str], str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the lines of the files with fixtures or tests."""
    for path, symbols in view.by_file.items():
        if path in defining or (path.endswith(".py") and any(symbol.key in view.tests for symbol in symbols)):
            with suppress(OSError):
                yield path, read(path).split("\n")


class _Fixtures:
    """The fixtures of a tree, by the name under which tests ask for them, and by the files in which they can be asked for."""

    def __init__(self, view: View, fixtures: Iterable[_Fixture]) -> None:
        self._view = view
        self._named: dict[str, list[_Fixture]] = defaultdict(list)
        self._defined: dict[str, dict[str, list[_Fixture]]] = defaultdict(lambda: defaultdict(list))
        self._imported: dict[str, dict[str, list[_Fixture]]] = defaultdict(lambda: defaultdict(list))
        self.keys = set[str]()
        for fixture in fixtures:
            self.keys.add(fixture.symbol.key)
            self._named[fixture.name].append(fixture)
            self._defined[fixture.symbol.file][fixture.name].append(fixture)
            for edge in of_type(view.incoming.get(fixture.symbol.key, []), "IMPORTS"):
                self._imported[view.symbols[edge.source].file][fixture.name].append(fixture)

    def __contains__(self, name: str) -> bool:
        return name in self._named

    def find(self, source: Symbol, name: str) -> Iterator[tuple[Symbol, float]]:
        """Yield the fixture that a name means for a test or fixture, with its confidence; several if none is visible."""
        for there in self._places(source.file):
            if (nearest := self._nearest(source, there.get(name, ()))) is not None:
                yield nearest.symbol, _SURE
                return
        others = [each for each in self._named.get(name, ()) if each.symbol.key != source.key]
        yield from ((each.symbol, _SOMEWHERE / len(others)) for each in others)

    def autouse(self, source: Symbol) -> Iterator[_Fixture]:
        """Yield the fixtures that run for a test without being asked for."""
        hidden = set[str]()  # names that a nearer fixture has
        for there in self._places(source.file):
            for name, some in there.items():
                if name not in hidden and (nearest := self._nearest(source, some)) is not None:
                    hidden.add(name)
                    if nearest.is_autouse:
                        yield nearest

    def _places(self, file: str) -> Iterator[dict[str, list[_Fixture]]]:
        """Yield the fixtures by name of the places where a file may find them, nearest first: the file, what it imports, and
        each `conftest.py` up the folders."""
        folders = file.split("/")[:-1]
        for path in (file, *("/".join([*folders[:up], "conftest.py"]) for up in range(len(folders), -1, -1))):
            yield from (known[path] for known in (self._defined, self._imported) if path in known)

    def _nearest(self, source: Symbol, some: Iterable[_Fixture]) -> _Fixture | None:
        """Return the fixture among those of one name in one place that a test sees: that of its class, else that of the file."""
        of_file = None
        for each in some:
            if each.symbol.key == source.key:
                continue
            if each.owner and source.file == each.symbol.file and each.owner in self._view.within(source.key):
                return each
            if not each.owner and of_file is None:
                of_file = each
        return of_file


def _fixture(view: View, symbol: Symbol, lines: list[str]) -> _Fixture:
    """Return a fixture with what its decorator says."""
    above = lines[max(0, symbol.line - 1 - _DECORATED) : symbol.line - 1]
    start = next((n for n in range(len(above) - 1, -1, -1) if "fixture" in above[n] and "@" in above[n]), len(above))
    said = "\n".join(above[start:])
    named = _NAME.search(said)
    parent = view.symbols.get(view.parent.get(symbol.key, ""))
    owner = parent.key if parent is not None and parent.kind == "class" else ""
    return _Fixture(symbol, named[1] if named else symbol.name, bool(_AUTOUSE.search(said)), owner)


def _requests(view: View, known: _Fixtures, files: dict[str, list[str]]) -> Iterator[tuple[Symbol, str, int]]:
    """Yield (who, fixture name, line): the nearest kinds of requests first."""
    tests: list[Symbol] = []
    for path, lines in files.items():
        for symbol in view.by_file[path]:
            is_test = symbol.kind in FUNCTIONS and symbol.name.startswith("test") and symbol.key in view.tests
            if is_test:
                tests.append(symbol)
            if is_test or symbol.key in known.keys:
                for name in _parameters(symbol, lines):
                    if name in known:
                        yield symbol, name, symbol.line
    for path, lines in files.items():
        yield from _asked_by_name(view, known, path, lines)
    for test in tests:
        yield from ((test, fixture.name, test.line) for fixture in known.autouse(test))


def _parameters(symbol: Symbol, lines: list[str]) -> list[str]:
    said = symbol.signature
    if len(said) >= _CUT:
        said = " ".join(line.partition(" #")[0] for line in lines[symbol.line - 1 : symbol.line + 60])
        said = said[:_LONGEST].partition("):")[0].partition(") ->")[0]
    while (shorter := _TYPE.sub("", said)) != said:
        said = shorter
    return _PARAMETER.findall(said)


def _asked_by_name(view: View, known: _Fixtures, path: str, lines: list[str]) -> Iterator[tuple[Symbol, str, int]]:
    """Yield the requests of `usefixtures` and `getfixturevalue`."""
    for at, line in enumerate(lines):
        for asked in _ASKED.finditer(line):
            names = [name for name in _QUOTED.findall(asked[1]) if name in known]
            if not names:
                continue
            for symbol in _askers(view, path, lines, at) if "usefixtures" in asked[0] else _around(view, path, at + 1):
                yield from ((symbol, name, at + 1) for name in names)


def _around(view: View, path: str, line: int) -> list[Symbol]:
    around = symbol_at(view, path, line)
    return [around] if around is not None and around.kind in FUNCTIONS else []


def _askers(view: View, path: str, lines: list[str], at: int) -> list[Symbol]:
    """Return the tests that a mark is for: the decorated one, those of the decorated class, or with `pytestmark` those of the
    class or file around it."""
    own = [s for s in view.by_file[path] if s.kind in FUNCTIONS and s.name.startswith("test")]
    if lines[at].lstrip().startswith("pytestmark"):
        around = [s for s in view.by_file[path] if s.kind == "class" and s.line <= at + 1 <= s.end_line]
        return [s for s in own if not around or around[-1].key in view.within(s.key)]
    below = next((n for n in range(at + 1, min(at + 1 + _DECORATED, len(lines))) if _DEFINITION.match(lines[n])), None)
    if below is None:
        return []
    marked = {s.key for s in view.by_file[path] if s.line == below + 1 and s.kind != "module"}
    return [s for s in own if marked.intersection(view.within(s.key))]


_SETS_UP = re.compile(
    r"(?:^|\.)(?:Before(?:Each|All|Class|Method)?|SetUp|OneTimeSetUp|TestInitialize|ClassInitialize)\b"
)
_NAMED_SET_UP = frozenset({"setUp", "setUpClass", "asyncSetUp", "setup_method", "setup_class"})
_TESTS = re.compile(r"(?:^|\.)(?:Test|ParameterizedTest|RepeatedTest|Fact|Theory|TestMethod|TestCase)\b")


def _set_up_calls(view: View) -> Iterator[CodeEdge]:
    """Yield the calls of the methods that set up a test class, its own and inherited ones, by its tests."""
    members: dict[str, list[Symbol]] = defaultdict(list)
    for key in view.tests:
        symbol = view.symbols[key]
        if symbol.kind in FUNCTIONS and symbol.language in _WITH_TEST_CLASSES:
            members[view.parent.get(key, "")].append(symbol)
    set_up = {owner: [s for s in own if _sets_up(s)] for owner, own in members.items()}
    for owner, own in members.items():
        tests = [s for s in own if s.name.startswith("test") or any(map(_TESTS.search, s.decorators))]
        around = [owner, *(edge.target for edge in of_type(view.outgoing.get(owner, []), "EXTENDS"))] if tests else []
        for method in (method for each in around for method in set_up.get(each, ())):
            yield from (CodeEdge("CALLS", t.key, method.key, t.line, STRATEGY, _SURE) for t in tests if t != method)


_WITH_TEST_CLASSES = frozenset({"python", "java", "kotlin", "csharp", "c_sharp", "scala", "groovy", "php", "swift"})


def _sets_up(symbol: Symbol) -> bool:
    return symbol.name in _NAMED_SET_UP or any(map(_SETS_UP.search, symbol.decorators))


_LET = re.compile(
    r"^[ \t]*(?:let!?|subject)(?:\(\s*:(\w+)\s*\))?\s*(?:\{|do)\s*(described_class|[A-Z][\w:]*)\.new\b", re.M
)
_DESCRIBED = re.compile(r"\bdescribe\s+([A-Z][\w:]*)")
_ON_NAMED = re.compile(r"(\w+)\.(\w+[?!]?)")


def _calls_on_named(view: View, read: Callable[[str], str]) -> Iterator[CodeEdge]:
    """Yield the calls of methods on objects that `let` or `subject` of RSpec makes."""
    for path, symbols in view.by_file.items():
        if not path.endswith("_spec.rb"):
            continue
        with suppress(OSError):
            text = read(path)
            described = _DESCRIBED.search(text)
            made = {name or "subject": cls for name, cls in _LET.findall(text)}
            own = {name: described[1] if cls == "described_class" and described else cls for name, cls in made.items()}
            for site in (site for symbol in symbols for site in view.open_scopes.get(symbol.key, ())):
                called = _ON_NAMED.match(site.text)
                if called and called[1] in own:
                    targets = view.find(f"{own[called[1]].replace('::', '.')}.{called[2]}")
                    if target := next((each for each in targets if each.language == "ruby"), None):
                        yield CodeEdge("CALLS", site.scope, target.key, site.line, STRATEGY, _SURE)
