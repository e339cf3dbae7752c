"""The state of reading one file: symbols, scopes, references and imports found so far, and the stack of open scopes. The
other modules handle captures; `sweep` calls them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from graphmem.codegraph import languages
from graphmem.codegraph.generic.lower import lowerer
from graphmem.codegraph.generic.summary import Binding, Expr, Import
from graphmem.model.code import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.doctypes import DocTypes

Captures = dict[str, list["Node"]]
Mention = tuple[str, int, Expr, int, int, int]  # the fields of a Reference


class OpenScope:
    """A scope of the file being read."""

    __slots__ = ("bases", "documented", "end", "kind", "names", "parameters", "parent", "prefix", "required", "rest", "results",
                 "returns", "static", "symbol", "target", "unnamed")  # fmt: skip

    def __init__(self, kind: str, parent: int, symbol: int, end: int, prefix: str) -> None:
        self.kind, self.parent, self.symbol, self.end, self.prefix = kind, parent, symbol, end, prefix
        self.names: dict[str, list[Binding]] = {}
        self.bases: list[tuple[str, Expr]] = []
        self.target: Expr | None = None
        self.returns: Expr | None = None
        self.results: list[Expr] = []
        self.parameters: list[str] = []
        self.required = 0
        self.rest = False
        self.static = False
        self.unnamed = 0
        self.documented: dict[str, Expr] = {}  # types of parameters in the doc comment


class Reader:
    """The state of reading one file."""

    def __init__(self, path: str, source: bytes, language: languages.Language) -> None:
        self.path, self.source, self.language = path, source, language
        self.lines = source.split(b"\n")
        self._line_ends = list(accumulate(len(line) + 1 for line in self.lines))
        self.lower = lowerer(language.name)
        self.lower.start()
        self.symbols: list[Symbol] = []
        self.scopes: list[OpenScope] = []
        self.stack: list[int] = []
        self.references: list[Mention] = []  # as Reference, but with open scopes' numbers
        self.undeclared: list[tuple[str, Expr]] = []  # names that nothing above declares, and what is assigned to them
        self.imports: list[Import] = []
        self.exports: dict[str, Expr] = {}
        self.namespaces: list[tuple[str, int]] = []
        self.extensions: dict[Any, int] = {}
        self.scope_at: dict[int, int] = {}
        self.scope_of: dict[int, int] = {}  # of each symbol the first scope
        self.claimed: set[tuple[int, int]] = set()
        self.declared: set[tuple[int, int]] = set()
        self.name_starts: list[tuple[int, int]] = []
        self.owners: list[int] = [0]  # for each symbol the scope that its name is a member of
        self.decorators: list[tuple[int, str]] = []
        self.templates: list[tuple[str, Binding, int]] = []  # C++: type parameters written before their class, its end
        self.types: set[tuple[int, str]] = set()
        self.macros: list[tuple[int, int, int]] = []
        self.branches: dict[int, int] = {}
        self.depends: dict[int, list[Expr]] = {}
        self.keys: dict[str, int] = {}
        self.package = ""
        self.export_end = 0
        self.attribute_end = 0
        self.errors = 0
        self.doc: DocTypes | None = None  # the last doc comment with types
        self.is_test = language.is_test_file(path)
        self.runners: dict[str, str] = {}  # names imported from a framework for tests, and what it calls them

    @property
    def has_titles(self) -> bool:
        """Return whether tests with titles may be in this file."""
        return bool(self.runners) or (self.is_test and bool(self.language.titled_tests))

    def lines_before(self, at: int) -> int:
        """Return the number of line ends before this byte."""
        return bisect_right(self._line_ends, at)

    def line_start(self, line: int) -> int:
        """Return the first byte of a line (from 0)."""
        return self._line_ends[line - 1] if line else 0

    def current(self) -> OpenScope:
        """Return the innermost open scope."""
        return self.scopes[self.stack[-1]]

    def push(self, scope: OpenScope) -> int:
        """Open a scope and return its index."""
        self.scopes.append(scope)
        self.stack.append(len(self.scopes) - 1)
        self.scope_of.setdefault(scope.symbol, self.stack[-1])
        if self.templates and scope.kind in ("class", "function"):
            for name, binding, end in self.templates:
                if scope.end <= end:
                    self.bind(self.stack[-1], name, binding)
            self.templates.clear()
        return len(self.scopes) - 1

    def bind(self, index: int, name: str, binding: Binding) -> None:
        """Bind a name in a scope."""
        scope = self.scopes[index]
        scope.names.setdefault(name, []).append(binding)
        if binding.value is not None:
            self.depends.setdefault(scope.symbol, []).append(binding.value)
        if binding.type is not None:
            self.depends.setdefault(scope.symbol, []).append(binding.type)

    def enclosing(self, *kinds: str) -> int:
        """Return the nearest open scope of one of these kinds, or the module's."""
        index = self.stack[-1]
        while index > 0 and self.scopes[index].kind not in kinds:
            index = self.scopes[index].parent
        return index

    def expr(self, captures: Captures, name: str) -> Expr | None:
        """Return the lowered expression of a capture, if present."""
        nodes = captures.get(name)
        return self.lower.expr(nodes[0]) if nodes else None

    def import_name(self, found: Import, at: int) -> None:
        """Record an import and bind its local name."""
        scope = self.enclosing("function", "namespace", "class")
        self.imports.append(found._replace(scope=scope))
        self.lower.names.update((found.name, found.source.rpartition("/")[2].partition(".")[0]))
        if found.local and found.source in self.language.test_frameworks:
            self.runners[found.local] = "test" if found.name == "default" else found.name
        if found.local:
            self.bind(scope, found.local, Binding("import", at, scope=len(self.imports) - 1))
