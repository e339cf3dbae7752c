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
from graphmem.codegraph.languages import MANIFEST
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


class Call(NamedTuple):
    """A resolved call of another program's index. Paths are relative to the tree; lines start at 1. `line` is that of the call,
    or with a `caller` that of the caller's definition, from its first decorator on; `callee_line` that of the definition."""

    path: str
    line: int
    caller: str
    callee_path: str
    callee_line: int
    callee: str


class Difference(NamedTuple):
    """An edge that only the graph has ("wrong") or only the oracle ("missing"), as FILE:LINE of a call or its caller."""

    what: str
    place: str
    name: str
    definition: str


def run(data: Path, tree: Path | None = None, count: int = 0) -> tuple[list[Score], list[Difference]]:
    """Compare the code graph of `tree` (default: the working directory) with an index. Return the scores, and `count` random
    differences of each kind. Raises SourceError if the file is no index of SCIP, of another tree, or has no call within it."""
    comparison = load_comparison(data, tree)
    return comparison.scores(), comparison.differences(count)


def load_comparison(data: Path, tree: Path | None = None) -> Comparison:
    """Return the code graph of `tree` (default: the working directory) beside an index of it. Raises SourceError as `run`."""
    root = (tree or Path()).resolve()
    index = build(root)
    oracle = read_scip(data, root, _sources(root, index), seconds=_SECONDS)
    if not oracle.documents:
        where = f", which was made in {oracle.root}" if oracle.root else ""
        raise SourceError(f"{root} has no file of {data}{where}: run this in that tree", path=str(data))
    comparison = Comparison(index, oracle)
    if not comparison.expected:
        files = f"{len(oracle.documents)} of {sum(f.language != MANIFEST for f in index.facts.values())} files"
        raise SourceError(
            f"{data} has no call that leads into the tree; it covers {files}: let the indexer's project file include them",
            path=str(data),
        )
    return comparison


def _sources(root: Path, index: Index) -> Callable[[str], tuple[str, bytes] | None]:
    def read(path: str) -> tuple[str, bytes] | None:
        return (index.facts[path].language, read_file(root / path)) if path in index.facts else None

    return read


class _Functions:
    """The definitions of a file, and its outermost functions."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self.kinds = {(s.line, s.name): s.kind for s in symbols}
        self._definitions = defaultdict[tuple[int, str], list[Symbol]](list)
        for symbol in symbols:
            self._definitions[symbol.line, symbol.name].append(symbol)
        found = sorted(
            (s for s in symbols if s.kind in FUNCTIONS and not s.has_title and not s.name.startswith("<")),
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

    def named(self, name: str, line: int) -> list[Symbol]:
        """Return the definitions of a name in a line."""
        return self._definitions.get((line, name), [])

    def nearest(self, name: str, line: int) -> int:
        """Return the line of the definition of a name that is nearest to a line; without one, the line itself."""
        return min(
            (own for own, known in self._definitions if known == name), key=lambda own: abs(own - line), default=line
        )

    def around(self, line: int) -> int:
        """Return the line of the outermost function around a line; 0 if there is none."""
        return next((s.line for s in self._outermost if s.line <= line <= s.end_line), 0)


class Comparison:
    """The calls of a tree as its code graph and as an index of SCIP have them."""

    def __init__(self, index: Index, oracle: ScipIndex) -> None:
        self._index = index
        self._functions = {path: _Functions(facts.symbols) for path, facts in index.facts.items()}
        self._symbols = {s.key: s for facts in index.facts.values() for s in facts.symbols}
        self.expected: dict[Edge, int] = {}  # with the line of a call
        self.judgeable: set[Group] = set()
        definitions = Definitions(oracle.documents)
        for document in oracle.documents:
            self._read(document, definitions)
        self._paths = {document.path for document in oracle.documents}
        self.made = self._made()

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

    def _made(self) -> set[Edge]:
        """Return the edges of the graph, from all files that the oracle knows."""
        out, classes, constructors = set[Edge](), set[tuple[str, str]](), []
        for path in self._paths:
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

    def edges_of(self, calls: Iterable[Call]) -> set[Edge]:
        """Return the edges of another program's calls, from all files that the oracle knows."""
        out = set[Edge]()
        for call in calls:
            if call.path not in self._paths:
                continue
            functions = self._functions[call.path]
            caller = functions.around(functions.nearest(call.caller, call.line) if call.caller else call.line)
            out.add((call.path, caller, *self._called(call)))
        return out

    def _called(self, call: Call) -> tuple[str, str]:
        """Return name and file of what is called: of a constructor, those of its class."""
        functions = self._functions.get(call.callee_path)
        line = functions.nearest(call.callee, call.callee_line) if functions else 0
        for symbol in functions.named(call.callee, line) if functions else ():
            owner = self._symbols.get(symbol.key.rpartition(".")[0])
            if is_constructor(symbol) and owner is not None and owner.kind in CLASSES:
                return owner.name, owner.file
        return call.callee, call.callee_path

    def score_calls(self, calls: Iterable[Call]) -> Score:
        """Return the score of another program's calls, in all languages of the oracle."""
        return self._score("all", lambda edge: True, self.edges_of(calls))

    def scores(self) -> list[Score]:
        """Return the scores of each language, and of all."""
        languages = sorted({self._language(edge[0]) for edge in self.expected})
        each = [self._score(name, lambda edge, name=name: self._language(edge[0]) == name) for name in languages]  # type: ignore[misc]
        return [*each, self._score("all", lambda edge: True)] if len(each) != 1 else each

    def _language(self, path: str) -> str:
        return self._index.facts[path].language

    def _score(self, language: str, wanted: Callable[[Edge], bool], found: set[Edge] | None = None) -> Score:
        """Score these edges, by default those of the code graph."""
        expected, made = set(filter(wanted, self.expected)), set(filter(wanted, self.made if found is None else found))
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
