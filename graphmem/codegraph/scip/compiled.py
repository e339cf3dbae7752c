"""Converts an index of SCIP to what is kept of it: call sites and inheritance by the keys of our symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graphmem.codegraph.records import FileFacts
from graphmem.codegraph.scip.definitions import DefinedAt, Definitions, parse
from graphmem.codegraph.scip.reading import Document, ScipIndex
from graphmem.codegraph.scip.records import CompiledCall, CompiledFile
from graphmem.model.code import FileRecord, Symbol

TOOL = "scip-graphmem"  # our own indexes
_CERTAIN, _OWN = 1.0, 0.9  # confidence of a compiler's edges, and of those that graphmem exported: they were guesses
CALLABLE = frozenset({"function", "method", "macro", "class", "struct", "enum", "interface", "trait", "type"})


def compiled_files(
    index: ScipIndex, facts: Mapping[str, FileFacts], records: Mapping[str, FileRecord]
) -> dict[str, CompiledFile]:
    """Return what an index says, by path. What leads to a variable, or to a definition that we do not have, is unknown."""
    converter = _Converter(index, facts)
    sure = _OWN if index.tool == TOOL else _CERTAIN
    return {
        document.path: CompiledFile(
            records[document.path].sha256,
            index.tool,
            sure,
            tuple(converter.calls(document)),
            tuple(sorted(converter.implemented.get(document.path, ()))),
        )
        for document in index.documents
    }


class _Converter:
    def __init__(self, index: ScipIndex, facts: Mapping[str, FileFacts]) -> None:
        self._facts = facts
        self._definitions = Definitions(index.documents)
        self._named: dict[str, dict[str, list[Symbol]]] = {}
        self._targets: dict[str, tuple[tuple[str, ...], bool]] = {}
        self.implemented: dict[str, set[tuple[str, str]]] = {}
        for path, pair in _direct({pair for document in index.documents for pair in self._pairs(document)}):
            self.implemented.setdefault(path, set()).add(pair)

    def calls(self, document: Document) -> Iterator[CompiledCall]:
        """Yield the call sites of a document."""
        for line, column, name in document.callees:
            found = [self._called(text, name) for text in document.references.get((line, column), ())]
            known = bool(found) and all(targets or outside for targets, outside in found)
            targets = sorted({target for each, _ in found for target in each}) if known else ()
            yield CompiledCall(line, name, tuple(targets), known and not targets)

    def _called(self, text: str, name: str) -> tuple[tuple[str, ...], bool]:
        symbol = parse(text)
        if symbol is None or symbol.descriptors[-1].name.lstrip("#") != name.lstrip("#"):
            return (), False
        if text not in self._targets:
            self._targets[text] = self._resolved(text)
        return self._targets[text]

    def _resolved(self, text: str) -> tuple[tuple[str, ...], bool]:
        """Return the keys of our symbols for a symbol of the index, and whether it is outside of the tree."""
        places = self._definitions.find(text)
        if places is None:
            return (), True
        symbols = [self._symbol(place) for place in places]
        if any(symbol is None or symbol.kind not in CALLABLE for symbol in symbols):
            return (), False
        return tuple(sorted({symbol.key for symbol in symbols if symbol is not None})), False

    def _symbol(self, place: DefinedAt) -> Symbol | None:
        """Return our symbol that is defined at a place: on the line of its name, or from an annotation above on."""
        if place.path not in self._named:
            named = self._named[place.path] = {}
            for symbol in self._facts[place.path].symbols:
                named.setdefault(symbol.name.lstrip("#"), []).append(symbol)
        same = self._named[place.path].get(place.name.lstrip("#"), ())
        around = [symbol for symbol in same if symbol.line <= place.line <= symbol.end_line]
        exact = [symbol for symbol in around if symbol.line == place.line]
        # `interface X` and `const X` can be one symbol of an index, and share a line in ours
        return min(exact or around, key=lambda s: (s.kind not in CALLABLE, s.end_line - s.line, s.key), default=None)

    def _pairs(self, document: Document) -> Iterator[tuple[str, str]]:
        for below, above in document.implements:
            for source in self._keys(below):
                yield from ((source, target) for target in self._keys(above) if target != source)

    def _keys(self, text: str) -> tuple[str, ...]:
        return self._resolved(text)[0]


def _direct(pairs: set[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the pairs that are not implied by two others, with the path of their first symbol: indexers list the ancestors of a
    type at all distances."""
    above: dict[str, set[str]] = {}
    for source, target in pairs:
        above.setdefault(source, set()).add(target)
    for source, target in pairs:
        if not any(target in above.get(middle, ()) for middle in above[source] - {target}):
            yield source.partition(":")[0], (source, target)
