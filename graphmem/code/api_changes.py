"""Compares the public surface of two states of the code: which names other programs can no longer use, which take or give
something else, which moved, and which are new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from graphmem.code.filters import is_of_tests
from graphmem.code.text_search import path_filter
from graphmem.codegraph.view import CLASSES, FUNCTIONS, View, of_type
from graphmem.model.answers import Place
from graphmem.model.code import Symbol
from graphmem.model.code_answers import ApiChange

CHANGES = ("removed", "changed", "moved", "added")  # those that break other programs first
# Programs for those who develop the package itself, by their folder.
_OF_DEVELOPERS = re.compile(r"(?:tools?|scripts?|ci|hack|benches|e2e[\w-]*|[\w-]+[-_]tests?)/")
Surface = dict[str, list[Symbol]]  # by qualified name; several of overloads and of properties


def public_surface(view: View, path: str | None = None) -> Surface:
    """Return what other programs may use: exported symbols of sources, within nothing that is private, and in no function.
    `path`: only those of a folder, a file or a glob."""
    is_wanted = path_filter(path, None)
    own = [symbol for symbol in view.graph.symbols if not symbol.external]
    private = {symbol.qualified_name for symbol in own if not _is_public(view, symbol)}
    closed = private | {symbol.qualified_name for symbol in own if symbol.kind in FUNCTIONS}
    out: Surface = {}
    for symbol in own:
        if symbol.kind == "parameter" or symbol.qualified_name in private or not is_wanted(symbol.file):
            continue
        if path is None and _OF_DEVELOPERS.match(symbol.file):
            continue
        if closed.isdisjoint(_containers(symbol.qualified_name)) and not is_of_tests(view, symbol):
            out.setdefault(symbol.qualified_name, []).append(symbol)
    return out


def _is_public(view: View, symbol: Symbol) -> bool:
    is_private_module = symbol.kind == "module" and symbol.name.startswith("_") and not symbol.name.endswith("__")
    is_offered = symbol.exported or _is_passed_on(view, symbol)
    return is_offered and symbol.visibility == "public" and not is_private_module


def _is_passed_on(view: View, symbol: Symbol) -> bool:
    """Return whether a package of Python offers a name that `__all__` of its module leaves out. A member is as public as its
    class."""
    if symbol.language != "python" or symbol.name.startswith("_"):
        return False
    if view.symbols[view.parent.get(symbol.key, symbol.key)].kind in CLASSES:
        return True
    imports = of_type(view.incoming.get(symbol.key, []), "IMPORTS")
    return any(view.symbols[edge.source].file.endswith("__init__.py") for edge in imports)


def compare_surfaces(before: Surface, after: Surface) -> list[ApiChange]:
    """Return what differs: "removed", "changed" (another signature or value), "moved" (to another module, else as it was)
    and "added", in this order, each by file and line. Members of what was removed, moved or added are only counted."""
    gone = {name: symbols for name, symbols in before.items() if name not in after}
    new = {name: symbols for name, symbols in after.items() if name not in before}
    moved = _find_moved(gone, new, before, after)
    out = [
        ApiChange("changed", Place.of(after[name][0]), _signatures(symbols), _signatures(after[name]))
        for name, symbols in before.items()
        if name in after and not _agree(symbols, after[name])
    ]
    members = _members(gone)
    out += [ApiChange("moved", Place.of(new[to][0]), name, to, members[name]) for name, to in moved.items()]
    left = _without(gone, moved)
    come = _without(new, moved.values())
    out += [
        ApiChange("removed", Place.of(left[name][0]), _signatures(left[name]), "", count)
        for name, count in _outermost(left)
        if count or left[name][0].kind != "module"
    ]
    out += [
        ApiChange("added", Place.of(come[name][0]), "", _signatures(come[name]), count)
        for name, count in _outermost(come)
        if count or come[name][0].kind != "module"
    ]
    return sorted(out, key=lambda row: (CHANGES.index(row.change), row.symbol.file, row.symbol.line))


def _signatures(symbols: Iterable[Symbol]) -> str:
    return " | ".join(dict.fromkeys(" ".join(symbol.signature.split()) for symbol in symbols))


def _agree(before: list[Symbol], after: list[Symbol]) -> bool:
    """Return whether two states of a name are the same to other programs. Of a field the type counts, if both state it, and
    not what a constructor assigns to it."""
    if all(symbol.kind == "field" for symbol in (*before, *after)):
        old, new = ({_type_of(symbol) for symbol in symbols} for symbols in (before, after))
        return old == new or "" in old | new
    return _signatures(before) == _signatures(after)


def _type_of(field: Symbol) -> str:
    declared = " ".join(field.signature.split()).partition(" = ")[0].removeprefix("self.")
    return declared.removeprefix(field.name).strip(": ")


def _find_moved(gone: Surface, new: Surface, before: Surface, after: Surface) -> dict[str, str]:
    """Return the new name of what a module no longer has: the only new one that has its last part and its signature."""
    places: dict[tuple[str, str], list[str]] = {}
    for name in _of_modules(new, after):
        places.setdefault((new[name][0].name, _signatures(new[name])), []).append(name)
    out: dict[str, str] = {}
    for name in _of_modules(gone, before):
        found = places.get((gone[name][0].name, _signatures(gone[name])), [])
        if len(found) == 1:
            out[name] = found.pop()
    return out


def _of_modules(names: Surface, whole: Surface) -> Iterator[str]:
    """Yield the names that a module has, rather than a class or an object."""
    for name, symbols in names.items():
        container = whole.get(name.rpartition(".")[0], [])
        if symbols[0].kind != "module" and all(each.kind == "module" for each in container):
            yield name


def _without(surface: Surface, moved: Iterable[str]) -> Surface:
    names = set(moved)
    return {name: s for name, s in surface.items() if name not in names and names.isdisjoint(_containers(name))}


def _outermost(surface: Surface) -> list[tuple[str, int]]:
    """Return the names that are in none of the others, with the number of names in them."""
    counts = _members(surface)
    return [(name, counts[name]) for name in surface if surface.keys().isdisjoint(_containers(name))]


def _members(surface: Surface) -> Counter[str]:
    return Counter(container for name in surface for container in _containers(name))


def _containers(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name
