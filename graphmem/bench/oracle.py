"""Compares the calls of the code graph with those that a compiler or type checker resolved: `graphmem bench oracle --data
INDEX.scip`, run in the tree that the index was made of.

An edge is (caller's file, outermost function around the call, called name, file of the definition); a constructor counts as its
class. Recall is the share of the oracle's edges within the tree that the graph has. Precision is judged where the oracle resolves
every call of a name in a function: the share of the graph's edges there that the oracle has. Calls that lead to a variable are not
judged."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from graphmem.codegraph.build import Index, build
from graphmem.codegraph.scip.definitions import DefinedAt, Definitions, parse
from graphmem.codegraph.scip.overlay import is_constructor
from graphmem.codegraph.scip.reading import Document, ScipIndex, read_scip
from graphmem.codegraph.scip.symbols import METHOD, TYPE
from graphmem.codegraph.view import CLASSES, FUNCTIONS
from graphmem.errors import SourceError
from graphmem.foreignfiles import read_file
from graphmem.model.code import Symbol

TITLES = ["language", "edges", "judged", "precision", "recall", "between files", "their precision", "their recall"]
_SECONDS = 3_600.0  # to read an index: nobody else waits
Edge = tuple[
    str, int, str, str
]  # caller's file, line of the outermost function (0: module), called name, callee's file
Group = tuple[str, int, str]


class Score(NamedTuple):
    """Figures of one language, or of all ("all"); shares in [0, 1]."""

    language: str
    edges: int
    judged: int
    precision: float
    recall: float
    cross_edges: int
    cross_precision: float
    cross_recall: float


class Difference(NamedTuple):
    """An edge that only the graph has ("wrong") or only the oracle ("missing"), as FILE:LINE of a call or its caller."""

    what: str
    place: str
    name: str
    definition: str


def run(data: Path, tree: Path | None = None, count: int = 0) -> tuple[list[Score], list[Difference]]:
    """Compare the code graph of `tree` (default: the working directory) with an index. Return the scores, and `count` random
    differences of each kind. Raises SourceError if the file is no index of SCIP, or of another tree."""
    root = (tree or Path()).resolve()
    index = build(root)
    oracle = read_scip(data, root, _sources(root, index), seconds=_SECONDS)
    if not oracle.documents:
        where = f", which was made in {oracle.root}" if oracle.root else ""
        raise SourceError(f"{root} has no file of {data}{where}: run this in that tree", path=str(data))
    comparison = _Comparison(index, oracle)
    return comparison.scores(), comparison.differences(count)


def _sources(root: Path, index: Index) -> Callable[[str], tuple[str, bytes] | None]:
    def read(path: str) -> tuple[str, bytes] | None:
        return (index.facts[path].language, read_file(root / path)) if path in index.facts else None

    return read


class _Functions:
    """The outermost functions of a file."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self.kinds = {(s.line, s.name): s.kind for s in symbols}
        found = sorted(
            (s for s in symbols if s.kind in FUNCTIONS and not s.name.startswith("<")),
            key=lambda s: (s.line, -s.end_line),
        )
        self._outermost: list[Symbol] = []
        for symbol in found:
            if (
                not self._outermost
                or symbol.line > self._outermost[-1].end_line
                or symbol.line == self._outermost[-1].line
            ):
                self._outermost.append(symbol)

    def around(self, line: int) -> int:
        """Return the line of the outermost function around a line; 0 if there is none."""
        return next((s.line for s in self._outermost if s.line <= line <= s.end_line), 0)


class _Comparison:
    def __init__(self, index: Index, oracle: ScipIndex) -> None:
        self._index = index
        self._functions = {path: _Functions(facts.symbols) for path, facts in index.facts.items()}
        self._symbols = {s.key: s for facts in index.facts.values() for s in facts.symbols}
        self.expected: dict[Edge, int] = {}  # with the line of a call
        self.judgeable: set[Group] = set()
        definitions = Definitions(oracle.documents)
        for document in oracle.documents:
            self._read(document, definitions)
        self.made = self._made({document.path for document in oracle.documents})

    def _read(self, document: Document, definitions: Definitions) -> None:
        groups: dict[Group, bool] = defaultdict(lambda: True)
        functions = self._functions[document.path]
        for line, column, name in document.callees:
            group = document.path, functions.around(line), name
            symbols = [each for each in document.references.get((line, column), ()) if _is_named(each, name)]
            groups[group] &= bool(symbols)
            for found in map(definitions.find, symbols):
                groups[group] &= found is None or bool(found)
                for place in found or ():
                    if self._is_called(place):
                        self.expected.setdefault((*group, place.path), line)
                    else:
                        groups[group] = False
        self.judgeable |= {group for group, whole in groups.items() if whole}

    def _is_called(self, place: DefinedAt) -> bool:
        """Return whether a definition is a function or class, or a variable that holds a function."""
        return (
            place.suffix in (METHOD, TYPE)
            or self._functions[place.path].kinds.get((place.line, place.name)) in FUNCTIONS
        )

    def _made(self, paths: set[str]) -> set[Edge]:
        """Return the edges of the graph, from all files that the oracle knows."""
        out, classes, constructors = set[Edge](), set[tuple[str, str]](), []
        for path in paths:
            for edge in self._index.links[path].edges:
                target, source = self._symbols.get(edge.target), self._symbols[edge.source]
                if edge.type != "CALLS" or target is None:
                    continue
                caller = path, self._functions[path].around(source.line)
                owner = self._symbols.get(edge.target.rpartition(".")[0])
                if owner is not None and owner.kind in CLASSES and is_constructor(target):
                    constructors.append((edge.source, owner, caller))
                    continue
                classes.add((edge.source, target.name))
                out.add((*caller, target.name, target.file))
        return out | {
            (*caller, o.name, o.file) for source, o, caller in constructors if (source, o.name) not in classes
        }

    def scores(self) -> list[Score]:
        """Return the scores of each language, and of all."""
        languages = sorted({self._language(edge[0]) for edge in self.expected})
        each = [self._score(name, lambda edge, name=name: self._language(edge[0]) == name) for name in languages]  # type: ignore[misc]
        return [*each, self._score("all", lambda edge: True)] if len(each) != 1 else each

    def _language(self, path: str) -> str:
        return self._index.facts[path].language

    def _score(self, language: str, wanted: Callable[[Edge], bool]) -> Score:
        expected, made = set(filter(wanted, self.expected)), set(filter(wanted, self.made))
        judged = {edge for edge in made if edge[:3] in self.judgeable}
        cross, cross_judged = set(filter(_is_cross, expected)), set(filter(_is_cross, judged))
        shares = _share(judged, expected), _share(expected, made), _share(cross_judged, cross), _share(cross, made)
        return Score(language, len(expected), len(judged), shares[0], shares[1], len(cross), shares[2], shares[3])

    def differences(self, count: int) -> list[Difference]:
        """Return at most `count` random differences of each kind, always the same."""
        wrong = sorted(edge for edge in self.made if edge[:3] in self.judgeable and edge not in self.expected)
        missing = sorted(self.expected.keys() - self.made)
        out = []
        for what, edges in (("wrong", wrong), ("missing", missing)):
            for edge in sorted(random.Random(1).sample(edges, min(count, len(edges)))):
                place = f"{edge[0]}:{self.expected.get(edge, edge[1])}"
                out.append(Difference(what, place, edge[2], edge[3]))
        return out


def _share(part: set[Edge], whole: set[Edge]) -> float:
    """Return the share of edges that others contain."""
    return round(len(part & whole) / max(1, len(part)), 4)


def _is_named(symbol: str, name: str) -> bool:
    """Return whether a symbol of the index has the name that is called."""
    parsed = parse(symbol)
    return parsed is not None and parsed.descriptors[-1].name.lstrip("#") == name.lstrip("#")


def _is_cross(edge: Edge) -> bool:
    return edge[0] != edge[3]
