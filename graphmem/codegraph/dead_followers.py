"""Finds what only unused code uses, so that it can go with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from graphmem.codegraph.mentions import find_mentions, is_offering
from graphmem.codegraph.protocols import STRUCTURAL
from graphmem.codegraph.view import CLASSES, FUNCTIONS, View
from graphmem.model.code import Symbol

_USED = frozenset({"CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPLEMENTS", "IMPORTS"})
_STEPS = 5  # steps from the unused code


def find_followers(view: View, dead: Mapping[str, Symbol], texts: Iterable[tuple[str, str]]) -> dict[str, Symbol]:
    """Return by key the functions, methods and classes that nothing but `dead` symbols, each other and tests use, and whose names
    occur nowhere else in `texts`, the files of the tree."""
    gone = set(dead)
    found: dict[str, Symbol] = {}
    for _ in range(_STEPS):
        fresh = {
            key: symbol
            for key, symbol in _used_by(view, gone)
            if gone.isdisjoint(view.within(key))
            and all(_is_gone(view, source, key, gone) for source in _users(view, key))
        }
        if not fresh:
            break
        found |= fresh
        gone |= fresh.keys()
    rest = list(_without(view, texts, {**dead, **found}.values())) if found else []
    named = find_mentions(view, found.values(), rest)
    return {key: symbol for key, symbol in found.items() if named[key].source is None}


def _used_by(view: View, keys: Collection[str]) -> Iterator[tuple[str, Symbol]]:
    """Yield the functions and classes of the tree outside of tests that these symbols or their parts use."""
    parts = [part for key in keys for part in _parts(view, key)]
    for part in parts:
        for edge in view.outgoing.get(part, ()):
            symbol = view.symbols[edge.target]
            is_code = symbol.kind in FUNCTIONS or symbol.kind in CLASSES
            if edge.type in _USED and is_code and not symbol.external and symbol.key not in view.tests:
                yield symbol.key, symbol


def _parts(view: View, key: str) -> Iterator[str]:
    """Yield a symbol and everything that is defined in it."""
    rest = [key]
    while rest:
        each = rest.pop()
        yield each
        rest += [edge.target for edge in view.outgoing.get(each, ()) if edge.type == "DEFINES"]


def _users(view: View, key: str) -> Iterator[str]:
    """Yield who uses a symbol or a part of it."""
    for part in _parts(view, key):
        for edge in view.incoming.get(part, ()):
            source = view.symbols[edge.source]
            passes_on = edge.strategy == "import" and source.kind == "module" and is_offering(source.file)
            if edge.type in _USED and not passes_on and (edge.type, edge.strategy) != ("IMPLEMENTS", STRUCTURAL):
                yield edge.source


def _is_gone(view: View, source: str, key: str, gone: Collection[str]) -> bool:
    """Return whether a user is a test, unused, or a part of the symbol itself."""
    return source in view.tests or any(outer in gone or outer == key for outer in view.within(source))


def _without(view: View, texts: Iterable[tuple[str, str]], symbols: Iterable[Symbol]) -> Iterator[tuple[str, str]]:
    """Yield the texts with the lines of these symbols empty."""
    spans: dict[str, list[Symbol]] = {}
    for symbol in symbols:
        spans.setdefault(symbol.file, []).append(symbol)
    for path, text in texts:
        if path not in spans:
            yield path, text
            continue
        lines = text.split("\n")
        for symbol in spans[path]:
            for number in range(symbol.line - 1, min(symbol.end_line, len(lines))):
                lines[number] = ""
        yield path, "\n".join(lines)
