"""Finds what runs functions that are kept in tables: a map, list or field that one function fills and another reads. Where the
values were not followed from the one to the other, whoever reads the table may call each function in it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

from graphmem.codegraph.file_lines import FileLines
from graphmem.codegraph.view import FUNCTIONS, View, handed_on, of_type
from graphmem.model.code import CodeEdge, Symbol
from graphmem.patterns import compile_later

_SURE = 0.5  # that a function of a table is the one that runs
_VALUES = frozenset({"variable", "constant", "field", "property"})
_READS = frozenset({"REFERS_TO", "USES"})
_LINES = 4  # of a call, before the line that names the function
_MOST = 400  # functions times readers of one table; more say nothing
_FILLS = compile_later(
    r"(?<!\w)(\w{1,80})[ \t]{0,4}(?:\[[^\[\]\n]{0,80}\][ \t]{0,4}=(?!=)|=[ \t]{0,4}append\("
    r"|(?:\.|->|::)(?:(?i:push|push_back|append|add|set|put|insert|store|register|emplace|unshift))\()"
)
_LITERAL = compile_later(r"[{\[]")


def registered_calls(view: View, read: Callable[[str], str]) -> list[CodeEdge]:
    """Return the calls that readers of tables may make of the functions in them, as far as no call is known. `read` returns the
    text of a file."""
    finder = _Finder(view, read)
    tables: dict[str, list[Symbol]] = {}
    for symbol in view.graph.symbols:
        if symbol.kind in FUNCTIONS and not symbol.external and symbol.key not in view.tests:
            for table in finder.tables_of(symbol):
                tables.setdefault(table, []).append(symbol)
    return [edge for table, functions in sorted(tables.items()) for edge in finder.calls(table, functions)]


class _Finder:
    """Looks for tables in the texts of a tree, each read once."""

    def __init__(self, view: View, read: Callable[[str], str]) -> None:
        self._view = view
        self._lines = FileLines(read)
        self._filled: dict[str, frozenset[str]] = {}
        self._values: dict[str, defaultdict[int, list[Symbol]]] = {}  # by file and line

    def tables_of(self, function: Symbol) -> set[str]:
        """Return the keys of the variables and fields that keep a function: declared with it, assigned, or filled by a function
        that is given it."""
        found: set[str] = set()
        for source, line in handed_on(self._view, function):
            scope = self._view.symbols[source]
            if source in self._view.tests:
                continue
            text = self._lines.line(scope.file, line)
            found |= set(self._declared_at(scope.file, line))
            found |= self._fills_in(scope, line, line)
            found |= self._assigned(scope, function.name, text)
            for filler in self._given_to(scope, line):
                found |= self._fills(filler)
        return found

    def _given_to(self, scope: Symbol, line: int) -> list[Symbol]:
        """Return the functions that a symbol calls in a line, or in the nearest before it that the line may go on."""
        calls = of_type(self._view.outgoing.get(scope.key, []), "CALLS")
        called = [symbol for edge in calls if (symbol := self._view.symbols[edge.target]).kind in FUNCTIONS]
        for number in range(line, line - _LINES, -1):
            text = self._lines.line(scope.file, number)
            if found := [symbol for symbol in called if not symbol.external and f"{symbol.name}(" in text]:
                return found
        return []

    def calls(self, table: str, functions: list[Symbol]) -> Iterator[CodeEdge]:
        """Yield the calls of those who read a table without filling it."""
        readers: dict[str, int] = {}
        for edge in self._view.incoming.get(table, ()):
            reader = self._view.symbols[edge.source]
            is_source = edge.source not in self._view.tests and reader.kind in FUNCTIONS
            if edge.type in _READS and is_source and self._reads(reader, table):
                readers[edge.source] = min(edge.line, readers.get(edge.source, edge.line))
        if len(readers) * len(functions) > _MOST:
            return
        name = self._view.symbols[table].name
        for function in functions:
            known = {edge.source for edge in of_type(self._view.incoming.get(function.key, []), "CALLS")}
            for key, line in sorted(readers.items()):
                if key not in known and key != function.key:
                    yield CodeEdge("CALLS", key, function.key, line, f"registered in {name}", _SURE)

    def _reads(self, function: Symbol, table: str) -> bool:
        """Return whether a function uses a table other than to put something into it."""
        if table in self._fills(function):
            return False
        name = re.escape(self._view.symbols[table].name)
        read = re.compile(rf"(?<!\w){name}(?!\w|[ \t]{{0,4}}(?::(?!:)|:?=(?!=)))")
        return any(read.search(self._lines.line(function.file, n)) for n in range(function.line, function.end_line + 1))

    def _declared_at(self, file: str, line: int) -> Iterator[str]:
        """Yield the variables whose literal a line is part of."""
        if file not in self._values:
            values = self._values[file] = defaultdict(list)
            for symbol in self._view.by_file.get(file, ()):
                for number in range(symbol.line, symbol.end_line + 1) if symbol.kind in _VALUES else ():
                    values[number].append(symbol)
        for symbol in self._values[file].get(line, ()):
            if symbol.end_line > symbol.line or _LITERAL.search(self._lines.line(file, line)):
                yield symbol.key

    def _assigned(self, scope: Symbol, name: str, text: str) -> set[str]:
        """Return the fields and variables to which a line of a symbol gives a function: `x.run = f`, `Run: f`."""
        given = re.search(
            rf"(?<!\w)(\w{{1,80}})[ \t]{{0,4}}(?::|:?=)[ \t]{{0,8}}(?:[\w.]{{0,80}}\.)?{re.escape(name)}(?!\w)", text
        )
        return self._named(scope, {given[1]}) if given else set()

    def _fills(self, function: Symbol) -> frozenset[str]:
        if function.key not in self._filled:
            self._filled[function.key] = frozenset(self._fills_in(function, function.line, function.end_line))
        return self._filled[function.key]

    def _fills_in(self, scope: Symbol, first: int, last: int) -> set[str]:
        """Return the tables into which lines of a symbol put something."""
        lines = (self._lines.line(scope.file, number) for number in range(first, last + 1))
        names = {found[1] for line in lines for found in _FILLS.finditer(line)}
        return self._named(scope, names) if names else set()

    def _named(self, scope: Symbol, names: set[str]) -> set[str]:
        """Return the variables and fields with these names that a symbol uses, or that are of its class."""
        used = [edge.target for edge in self._view.outgoing.get(scope.key, ()) if edge.type in _READS]
        owner = self._view.parent.get(scope.key, "")
        members = [edge.target for edge in of_type(self._view.outgoing.get(owner, []), "DEFINES")]
        symbols = (self._view.symbols[key] for key in (*used, *members))
        return {s.key for s in symbols if s.kind in _VALUES and s.name in names and not s.external}
