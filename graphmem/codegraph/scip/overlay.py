"""Lays what a compiler resolved over the links of a file. Its edges are certain and name the indexer as their strategy; where it
contradicts an edge of ours at the same call, ours is dropped; what it does not say stays as we resolved it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from graphmem.codegraph.languages import all_languages
from graphmem.codegraph.records import FileFacts, FileLinks
from graphmem.codegraph.scip.records import CompiledCall, CompiledFile
from graphmem.codegraph.scip.symbols import CONSTRUCTORS
from graphmem.codegraph.tests_of import tests_edges
from graphmem.model.code import CodeEdge, Symbol

CompiledFiles = Callable[[Iterable[str]], Mapping[str, CompiledFile]]  # those of some paths that were indexed
_NUMBER = re.compile(r"[~#]\d+$")  # of an overload, at the end of its key
_MENTIONS = frozenset({"REFERS_TO", "USES", "TESTS"})
_CLASSES = frozenset({"class", "struct", "enum", "interface", "trait", "type"})


def is_compiled(edge: CodeEdge) -> bool:
    """Return whether a call is one that a compiler's index contains."""
    return edge.type == "CALLS" and edge.strategy.startswith("scip-")


def nothing_compiled(paths: Iterable[str]) -> Mapping[str, CompiledFile]:
    """Return nothing: the default of `CompiledFiles`."""
    return {}


def lay_over(
    links: dict[str, FileLinks],
    facts: Mapping[str, FileFacts],
    hashes: Callable[[str], str],
    relinked: Iterable[str],
    compiled: CompiledFiles,
) -> None:
    """Lay the indexes over the links of the files that were linked again. `hashes` returns the SHA-256 of a file: what was
    indexed with other content is stale and ignored."""
    files = {path: file for path, file in compiled(relinked).items() if path in facts and hashes(path) == file.sha256}
    if not files:
        return
    graph = _Symbols(facts, links)
    for path in sorted(files):
        links[path] = _laid(links[path], files[path], graph, path)
    tested = tests_edges({path: links[path].edges for path in files}, facts)
    for path, edges in tested.items():
        links[path] = links[path]._replace(edges=tuple(sorted((*links[path].edges, *edges))))


def is_constructor(symbol: Symbol) -> bool:
    """Return whether a symbol is a method that runs when its class is called."""
    language = all_languages().get(symbol.language)
    return symbol.kind == "method" and (
        symbol.name in CONSTRUCTORS or (language is not None and symbol.name in language.constructors)
    )


class _Symbols:
    """Lookups over the symbols of a tree, and what a method overrides."""

    def __init__(self, facts: Mapping[str, FileFacts], links: Mapping[str, FileLinks]) -> None:
        self._facts, self._links = facts, links
        self._files: dict[str, dict[str, Symbol]] = {}

    def of_file(self, path: str) -> dict[str, Symbol]:
        """Return the symbols of a file by key."""
        if path not in self._files:
            self._files[path] = {s.key: s for s in self._facts[path].symbols} if path in self._facts else {}
        return self._files[path]

    def get(self, key: str) -> Symbol | None:
        """Return a symbol of the tree."""
        return self.of_file(key.partition(":")[0]).get(key)

    def called(self, key: str) -> str:
        """Return what a call of a symbol calls: for a constructor its class, for an overload the first of them."""
        symbol, owner = self.get(key), key.rpartition(".")[0]
        above = self.get(owner) if symbol is not None and is_constructor(symbol) else None
        return owner if above is not None and above.kind in _CLASSES else _NUMBER.sub("", key)

    def last_overload(self, key: str) -> str:
        """Return the last of the overloads of a symbol: it has the body."""
        own = self.of_file(key.partition(":")[0]).values()
        return max((s.line, s.key) for s in own if s.key == key or _NUMBER.sub("", s.key) == key)[1]

    def constructors(self, key: str) -> list[str]:
        """Return the own constructors of a class."""
        return [
            symbol.key
            for symbol in self.of_file(key.partition(":")[0]).values()
            if symbol.key.rpartition(".")[0] == key and is_constructor(symbol)
        ]

    def overrides(self, key: str, targets: set[str]) -> bool:
        """Return whether a method overrides one of others: then it is what runs there, and no contradiction."""
        seen, rest = set(), [key]
        while rest:
            each = rest.pop()
            seen.add(each)
            own = self._links.get(each.partition(":")[0], FileLinks()).edges
            rest += [e.target for e in own if e.type == "OVERRIDES" and e.source == each and e.target not in seen]
        return bool(seen & targets)


def _laid(links: FileLinks, file: CompiledFile, graph: _Symbols, path: str) -> FileLinks:
    edges = [edge for edge in links.edges if edge.type != "TESTS"]
    calls = _Calls(edges, links, file, graph, path)
    edges = [*calls.corrected(), *calls.added]
    edges = _with_inheritance(edges, file, graph)
    sites = tuple(site for site in links.call_sites if not calls.is_settled(site.scope, site.name, site.line))
    return FileLinks(tuple(sorted(set(edges))), sites)


class _Calls:
    """The calls of one file, by the function that makes them and the name that is called."""

    def __init__(self, edges: list[CodeEdge], links: FileLinks, file: CompiledFile, graph: _Symbols, path: str) -> None:
        self._edges, self._links, self._file, self._graph = edges, links, file, graph
        self._symbols = [
            s for s in graph.of_file(path).values() if s.kind not in ("field", "variable", "constant", "parameter")
        ]
        self.added: list[CodeEdge] = []
        self._groups: dict[tuple[str, str], list[CompiledCall]] = defaultdict(list)
        for call in file.calls:
            scope = self._scope(call)
            if scope:
                self._groups[scope, call.name].append(self._standing(call))

    @cached_property
    def _own(self) -> dict[tuple[str, str], list[CodeEdge]]:
        """Our calls by caller and what is called."""
        found: dict[tuple[str, str], list[CodeEdge]] = defaultdict(list)
        for edge in self._edges:
            if edge.type == "CALLS":
                found[edge.source, self._graph.called(edge.target)].append(edge)
        return found

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[str]]:
        """What a caller calls within the tree, by name."""
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for source, called in self._own:
            symbol = self._graph.get(called)
            if symbol is not None:
                found[source, symbol.name].append(called)
        return found

    @cached_property
    def _seen(self) -> dict[tuple[int, str], set[str]]:
        """The callers that we know at a line, by the name that is called."""
        found: dict[tuple[int, str], set[str]] = defaultdict(set)
        for source, called in self._own:
            name = called.rpartition(":")[2].rpartition(".")[2]
            for edge in self._own[source, called]:
                found[edge.line, name].add(source)
        for site in self._links.call_sites:
            found[site.line, site.name].add(site.scope)
        return found

    def _standing(self, call: CompiledCall) -> CompiledCall:
        """Return a call with what its targets stand for; without them if one is gone: its file has changed since."""
        if not all(map(self._graph.get, call.targets)):
            return CompiledCall(call.line, call.name)
        return call._replace(targets=tuple(dict.fromkeys(map(self._graph.called, call.targets))))

    def _scope(self, call: CompiledCall) -> str:
        """Return the symbol that makes a call. Lines do not tell apart what shares one: first it is the caller that we know
        there, then the innermost symbol of several lines, none where two are possible."""
        around = {s.key: s.end_line - s.line for s in self._symbols if s.line <= call.line <= s.end_line}
        known = self._seen.get((call.line, call.name), set()).intersection(around)
        if known:
            return known.pop() if len(known) == 1 else ""
        long = {key: extent for key, extent in around.items() if extent} or around
        inner = [key for key, extent in long.items() if extent == min(long.values())]
        return inner[0] if len(inner) == 1 else ""

    def corrected(self) -> Iterator[CodeEdge]:
        """Yield our edges with those that the compiler confirms, without those that it contradicts; fill `added`."""
        confirmed: set[tuple[str, str]] = set()
        dropped: set[tuple[str, str]] = set()
        for (source, name), calls in self._groups.items():
            targets = {target for call in calls for target in call.targets}
            for call in calls:
                known = [target for target in call.targets if (source, target) in self._own]
                confirmed.update((source, target) for target in known)
                if call.targets and not known:
                    self._add(source, call)
            if all(call.known for call in calls):
                ours = (called for called in self._by_name.get((source, name), ()) if called not in targets)
                dropped.update((source, called) for called in ours if not self._graph.overrides(called, targets))
        for edge in self._edges:
            pair = edge.source, self._graph.called(edge.target)
            if pair in dropped and (edge.type == "CALLS" or edge.type in _MENTIONS):
                continue
            yield self._certain(edge) if pair in confirmed and edge.type == "CALLS" else edge

    def _certain(self, edge: CodeEdge) -> CodeEdge:
        if self._file.confidence < 1 and edge.confidence >= self._file.confidence:
            return edge
        return edge._replace(strategy=self._file.tool, confidence=self._file.confidence)

    def _add(self, source: str, call: CompiledCall) -> None:
        """Add a call that we do not have."""
        for target in map(self._graph.last_overload, call.targets):
            for key in (target, *self._graph.constructors(target)):
                self.added.append(CodeEdge("CALLS", source, key, call.line, self._file.tool, self._file.confidence))

    def is_settled(self, scope: str, name: str, line: int) -> bool:
        """Return whether the compiler says what an unresolved call of ours calls."""
        calls = self._groups.get((scope, name), ())
        at_line = [call for call in calls if call.line == line] or calls
        return bool(at_line) and all(call.known for call in at_line)


def _with_inheritance(edges: list[CodeEdge], file: CompiledFile, graph: _Symbols) -> list[CodeEdge]:
    """Return the edges with what the compiler says about who implements what."""
    pairs = set(file.implements)
    kinds = {"EXTENDS", "IMPLEMENTS", "OVERRIDES"}
    known = {(edge.source, edge.target) for edge in edges if edge.type in kinds}
    edges = [
        edge._replace(strategy=file.tool, confidence=file.confidence)
        if edge.type in kinds and (edge.source, edge.target) in pairs and edge.confidence <= file.confidence
        else edge
        for edge in edges
    ]
    for source, target in sorted(pairs - known):
        below, above = graph.get(source), graph.get(target)
        if below is None or above is None:
            continue
        kind = (
            "OVERRIDES"
            if below.kind == "method"
            else "IMPLEMENTS"
            if above.kind in ("interface", "trait")
            else "EXTENDS"
        )
        edges.append(CodeEdge(kind, source, target, below.line, file.tool, file.confidence))
    return edges
