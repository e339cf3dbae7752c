"""Object literals that implement an interface, as answers show them, and their functions as symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from graphmem.code.source_text import read_source
from graphmem.codegraph.typed_objects import TypedObject, find_typed_objects
from graphmem.codegraph.view import CALLED, View, symbol_at
from graphmem.model.answers import Place
from graphmem.model.code import Symbol
from graphmem.model.code_answers import Implementation

_STRATEGY, _SURE = "object literal", 0.95


def implementing_objects(view: View, found: Iterable[Symbol]) -> list[tuple[Symbol, Implementation]]:
    """Return the object literals that implement interfaces, or methods of these, each with the symbol around it; those of tests
    last."""
    rows = []
    for symbol, each in _objects(view, found):
        around = symbol_at(view, each.file, each.line) or view.by_file[each.file][0]
        members = [(name, line) for name, line in each.members if symbol.kind != "method" or name == symbol.name]
        methods = tuple(
            (Place(f"{each.name}.{name}", "method", each.file, line, line), name)
            for name, line in dict(members).items()
        )
        place = Place(each.name, "object", each.file, each.line, each.end_line)
        if members:
            rows.append((around, Implementation(place, _STRATEGY, _SURE, methods)))
    return sorted(rows, key=lambda row: (row[0].key in view.tests, row[1].symbol.file, row[1].symbol.line))


def functions_in_objects(view: View, found: Iterable[Symbol]) -> set[str]:
    """Return the functions in object literals that implement these members of interfaces."""
    return {
        other.key
        for symbol, each in _objects(view, (one for one in found if one.kind == "method" or one.kind == "field"))
        for other in view.named.get(symbol.name, ())
        if other.kind in CALLED and other.file == each.file and each.line <= other.line <= each.end_line
    }


def _objects(view: View, found: Iterable[Symbol]) -> Iterator[tuple[Symbol, TypedObject]]:
    for symbol in found:
        owner = symbol if symbol.kind not in ("method", "field") else view.symbols.get(view.parent.get(symbol.key, ""))
        if owner is not None and owner.kind in ("interface", "type"):
            yield from ((symbol, each) for each in find_typed_objects(view, owner, partial(read_source, view.index)))
