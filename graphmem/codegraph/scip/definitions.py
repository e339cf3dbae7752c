"""Finds the definitions of symbols in an index of SCIP, in spite of the ways in which indexers name one thing twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from graphmem.codegraph.scip.reading import Document, stem_of
from graphmem.codegraph.scip.symbols import (
    CONSTRUCTORS,
    METHOD,
    NAMESPACE,
    TYPE,
    ScipSymbol,
    format_descriptor,
    parse_symbol,
)

_PYTHON = "scip-python"
_Key = tuple[str, str, str]  # scheme, package, descriptors


class DefinedAt(NamedTuple):
    """A place where a symbol is defined. `line` counts from 1."""

    path: str
    line: int
    name: str
    suffix: str


class Definitions:
    """Definitions by symbol. A constructor counts as its class. The version of a package is ignored: an indexer may not know
    its own. scip-python names a module of a `src` folder in two ways, and one package in several."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._places: dict[_Key, list[DefinedAt]] = {}
        self._packages: set[tuple[str, str]] = set()
        documents = list(documents)
        paths = {document.path for document in documents}
        for document in documents:
            other = _shorter_module(document.path, paths)
            for definition in document.definitions:
                symbol = parse(definition.symbol)
                if symbol is None:
                    continue
                name, suffix = symbol.descriptors[-1]
                place = DefinedAt(document.path, definition.line, name, suffix)
                self._packages.add(_package(symbol))
                for key in _keys(symbol, other):
                    self._places.setdefault(key, []).append(place)

    def find(self, text: str) -> list[DefinedAt] | None:
        """Return where a symbol is defined; nothing if the index does not say, None if outside of the indexed packages."""
        symbol = parse(text)
        if symbol is None:
            return []
        found = self._places.get(_key(symbol, symbol.path))
        if found is None and _package(symbol) not in self._packages:
            return None
        return found or []


@lru_cache(maxsize=100_000)
def parse(text: str) -> ScipSymbol | None:
    """Return a symbol, constructors as their class; None if it is local or malformed."""
    symbol = parse_symbol(text)
    if symbol is None:
        return None
    name, suffix = symbol.descriptors[-1]
    if suffix != METHOD or name not in CONSTRUCTORS or len(symbol.descriptors) < 2:
        return symbol
    owner = symbol.descriptors[-2]
    if owner.suffix != TYPE:
        return symbol
    return symbol._replace(path=_joined(symbol.descriptors[:-1]), descriptors=symbol.descriptors[:-1])


def _joined(descriptors: Iterable[tuple[str, str]]) -> str:
    return "".join(format_descriptor(*each) for each in descriptors)


def _package(symbol: ScipSymbol) -> tuple[str, str]:
    return symbol.scheme, symbol.package


def _key(symbol: ScipSymbol, path: str) -> _Key:
    return symbol.scheme, "" if symbol.scheme == _PYTHON else symbol.package, path


def _keys(symbol: ScipSymbol, other: tuple[str, str]) -> Iterator[_Key]:
    yield _key(symbol, symbol.path)
    module, *rest = symbol.descriptors
    if symbol.scheme == _PYTHON and other[1] and module == (other[0], NAMESPACE):
        yield _key(symbol, _joined(((other[1], NAMESPACE), *rest)))


def _shorter_module(path: str, paths: set[str]) -> tuple[str, str]:
    """Return the dotted name of a Python file, and that without the folders around its outermost package ("" if equal)."""
    whole = stem_of(path).removesuffix(".__init__")
    parts = path.split("/")[:-1]
    outer = 0
    while outer < len(parts) and "/".join((*parts[: outer + 1], "__init__.py")) not in paths:
        outer += 1
    return whole, ".".join(whole.split(".")[outer:]) if outer > 0 else ""
