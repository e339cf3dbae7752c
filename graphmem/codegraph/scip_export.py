"""Writes the code graph as an index of SCIP: definitions and references with ranges, documentation, and who implements what.

A reference needs a name in the source. Calls without one, such as those of operators and of properties, are left out. SCIP has no
confidence: what graphmem resolved with any is written."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from graphmem.codegraph.build import Index
from graphmem.codegraph.scip.callees import callees_in
from graphmem.codegraph.scip.messages import load_messages
from graphmem.codegraph.scip.overlay import is_constructor
from graphmem.codegraph.scip.symbols import MACRO, METHOD, NAMESPACE, TERM, TYPE, format_descriptor, format_symbol
from graphmem.codegraph.tests_of import FROM_TESTS
from graphmem.errors import UsageError
from graphmem.foreignfiles import read_file
from graphmem.model.code import CodeEdge, Symbol
from graphmem.resources import VERSION

if TYPE_CHECKING:
    from graphmem.codegraph.scip import scip_pb2

_SUFFIXES = {
    **dict.fromkeys(("module", "namespace"), NAMESPACE),
    **dict.fromkeys(("class", "interface", "struct", "trait", "enum", "type"), TYPE),
    **dict.fromkeys(("function", "method"), METHOD),
    "macro": MACRO,
}  # all others are terms
_LANGUAGES = {"javascript": "JavaScript", "typescript": "TypeScript", "tsx": "TypeScriptReact", "cpp": "CPP", "csharp": "CSharp",
              "php": "PHP", "bash": "ShellScript"}  # fmt: skip
_REFERENCES = frozenset({"CALLS", "REFERS_TO", "USES", "IMPORTS", "EXTENDS", "IMPLEMENTS"})
_INHERITANCE = frozenset({"EXTENDS", "IMPLEMENTS", "OVERRIDES"})
_POSSIBLE = frozenset(
    {"override", "candidate", "unique name", FROM_TESTS}
)  # of references: nothing there names the target
_DEFINITION, _IMPORT, _UTF8 = 1, 2, 1  # roles of an occurrence, and the unit of columns: bytes
_DEFINES = "DEFINES"
Place = tuple[int, int, int]  # line from 0, first and last column in bytes


def write_scip(index: Index, project: str, file: IO[bytes]) -> int:
    """Write an index of SCIP document by document; return the number of symbols and occurrences. Raises UsageError if files
    have changed since they were indexed, NotInstalled without the extra `scip`."""
    messages = load_messages()
    root = Path(index.root)
    tool = messages.ToolInfo(name="graphmem", version=VERSION)
    uri = root.as_uri()
    metadata = messages.Metadata(tool_info=tool, project_root=uri, text_document_encoding=messages.TextEncoding.UTF8)
    file.write(messages.Index(metadata=metadata).SerializeToString())
    sources = {path: _source(index, path) for path in sorted(index.facts)}
    names, count = _Names(index, project), 0
    for path, source in sources.items():
        document = _Document(index, names, path, source).message(messages)
        count += len(document.symbols) + len(document.occurrences)
        file.write(messages.Index(documents=[document]).SerializeToString())
    return count


def _source(index: Index, path: str) -> bytes:
    try:
        source = read_file(Path(index.root) / path)
    except OSError:
        source = b""
    if hashlib.sha256(source).hexdigest() != index.records[path].sha256:
        raise UsageError(f"{path} has changed since it was indexed: run `graphmem index` first", path=path)
    return source


class _Names:
    """The symbols of SCIP for ours: the file as a namespace, then what encloses the definition."""

    def __init__(self, index: Index, project: str) -> None:
        self.symbols = {s.key: s for facts in index.facts.values() for s in facts.symbols}
        edges = (edge for links in index.links.values() for edge in links.edges if edge.type == _DEFINES)
        self._parents = {edge.target: edge.source for edge in edges}
        self._package = ("", project, "")
        self._paths: dict[str, str] = {}
        self._taken: set[str] = set()
        for key in sorted(self.symbols, key=lambda key: (self.symbols[key].file, self.symbols[key].line, key)):
            self._path(key)

    def get(self, key: str) -> str:
        """Return the symbol of SCIP for a key of the tree."""
        return format_symbol("graphmem", self._package, self._path(key))

    def _path(self, key: str) -> str:
        """Return the descriptors of a symbol. Several of one name, such as overloads, are numbered."""
        if key not in self._paths:
            symbol = self.symbols[key]
            if symbol.kind == "module":
                self._paths[key] = format_descriptor(symbol.file, NAMESPACE)
                return self._paths[key]
            parent = self._parents.get(key, "")
            outer = self._path(parent) if parent in self.symbols else format_descriptor(symbol.file, NAMESPACE)
            suffix, number = _SUFFIXES.get(symbol.kind, TERM), 0
            path = outer + format_descriptor(symbol.name, suffix)
            while path in self._taken:
                number += 1
                several = (
                    (symbol.name, suffix, f"+{number}") if suffix == METHOD else (f"{symbol.name}~{number}", suffix)
                )
                path = outer + format_descriptor(*several)
            self._taken.add(path)
            self._paths[key] = path
        return self._paths[key]


class _Document:
    """One file of the index."""

    def __init__(self, index: Index, names: _Names, path: str, source: bytes) -> None:
        self._names, self._path = names, path
        self._facts, self._links = index.facts[path], index.links[path]
        self._lines = source.split(b"\n")
        self._callees: dict[str, list[Place]] = defaultdict(list)
        for line, column, name in callees_in(self._facts.language, source):
            self._callees[name].append((line - 1, column, column + len(name.encode())))

    def message(self, messages: Any) -> scip_pb2.Document:
        """Return the document, occurrences in order."""
        found: dict[tuple[Place, str], int] = {}
        for symbol in self._facts.symbols:
            found[self._definition(symbol), self._names.get(symbol.key)] = _DEFINITION
        for place, key, role in self._references():
            found.setdefault((place, self._names.get(key)), role)
        language = _LANGUAGES.get(self._facts.language, self._facts.language.capitalize())
        return messages.Document(  # type: ignore[no-any-return]
            relative_path=self._path,
            language=language,
            position_encoding=_UTF8,
            occurrences=[
                messages.Occurrence(range=place, symbol=symbol, symbol_roles=role)
                for (place, symbol), role in sorted(found.items())
            ],
            symbols=[self._information(symbol, messages) for symbol in self._facts.symbols],
        )

    def _definition(self, symbol: Symbol) -> Place:
        """Return the range of a symbol's name; an empty one at the start of its line if the name is not there."""
        if symbol.kind == "module":
            return 0, 0, 0
        return next(self._named(symbol.line - 1, symbol.name), (symbol.line - 1, 0, 0))

    def _named(self, line: int, name: str) -> Iterator[Place]:
        """Yield the ranges of a name in a line."""
        if 0 <= line < len(self._lines):
            word = re.compile(rb"(?<![\w$])" + re.escape(name.encode("utf-8", "replace")) + rb"(?![\w$])")
            yield from ((line, found.start(), found.end()) for found in word.finditer(self._lines[line]))

    def _information(self, symbol: Symbol, messages: Any) -> scip_pb2.SymbolInformation:
        """Return what hovers show of a symbol, and what it implements."""
        above = {e.target for e in self._links.edges if e.source == symbol.key and e.type in _INHERITANCE}
        kinds = messages.SymbolInformation.Kind
        kind = "TypeAlias" if symbol.kind == "type" else symbol.kind.capitalize()
        return messages.SymbolInformation(  # type: ignore[no-any-return]
            symbol=self._names.get(symbol.key),
            display_name=symbol.name,
            kind=kinds.Value(kind) if kind in kinds.keys() else kinds.UnspecifiedKind,  # noqa: SIM118
            documentation=[text for text in (symbol.doc,) if text],
            signature_documentation=messages.Document(language=symbol.language, text=symbol.signature),
            relationships=[
                messages.Relationship(symbol=self._names.get(key), is_implementation=True)
                for key in sorted(above & self._names.symbols.keys())
            ],
        )

    def _references(self) -> Iterator[tuple[Place, str, int]]:
        """Yield range, key and role of the names that lead to symbols of the tree."""
        calls: dict[tuple[str, str], list[CodeEdge]] = defaultdict(list)
        for edge in self._links.edges:
            target = self._names.symbols.get(edge.target)
            if target is None or edge.type not in _REFERENCES or edge.strategy in _POSSIBLE:
                continue
            if edge.type == "CALLS":
                if not is_constructor(target):  # the class has the name that is written there
                    calls[edge.source, target.name].append(edge)
                continue
            role = _IMPORT if edge.type == "IMPORTS" else 0
            called = set(self._callees.get(target.name, ()))
            places = (place for place in self._named(edge.line - 1, target.name) if place not in called)
            yield from ((place, edge.target, role) for place in places)
        for (source, name), edges in calls.items():
            yield from ((place, key, 0) for place, key in self._called(source, name, edges))

    def _called(self, source: str, name: str, edges: Iterable[CodeEdge]) -> Iterator[tuple[Place, str]]:
        """Yield the ranges where a symbol calls others of one name. The line of an edge may be that where the expression
        begins: the name is the next one below."""
        caller = self._names.symbols[source]
        inside = [place for place in self._callees.get(name, ()) if caller.line - 1 <= place[0] <= caller.end_line - 1]
        for edge in edges:
            here = [place for place in inside if place[0] == edge.line - 1]
            below = [place for place in inside if place[0] >= edge.line][:1]
            yield from ((place, edge.target) for place in here or below)
