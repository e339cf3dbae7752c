"""Finds what a user names: a symbol by name, key or place, a file by its path or the end of one. A method and those that override
it are one family; of a name that several families have, each has to be asked about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from graphmem.code.filters import path_candidates
from graphmem.code.names import is_class_with_constructors, prefer_one
from graphmem.code.route_handlers import find_handlers
from graphmem.code.source_text import line_of, read_source
from graphmem.codegraph import languages
from graphmem.codegraph.view import FUNCTIONS, View, near, of_type, overridden, symbol_at
from graphmem.errors import AmbiguousName, NotFound
from graphmem.model.code import Symbol

_FEW = 5  # names in a sentence
_PROTOTYPE = re.compile(r"\s*\w[\w\s*]*[\s*](\w+)\s*\(")
PLACE = re.compile(r"(.+?):(\d+)(?:[:-]\d+)?")  # nothing depends on a column or last line beyond this


def find_target(view: View, root: Path, name: str) -> list[Symbol]:
    """Return the symbol that a name, a position (FILE:LINE) or a file refers to, or its overloads. Symbols outside of
    tests are preferred; modules are excluded. Raises AmbiguousName if several symbols have the name, NotFound."""
    found = find_family(view, root, name)
    if len({symbol.qualified_name for symbol in found}) > 1 and not is_class_with_constructors(found):
        raise _ambiguous(view, name, found)
    return found


def find_family(view: View, root: Path, name: str) -> list[Symbol]:
    """Return what `find_target` does; of methods that override each other all, what they override first. Raises AmbiguousName
    only for symbols that have nothing but the name in common."""
    found = view.find(name)
    if len(found) == 1:
        return found
    if not found and (place := PLACE.fullmatch(name)):
        return _symbols_at(view, root, place[1], int(place[2]))
    if not found and (module := _module_of(view, root, name)):
        return [module]
    if not found and (handlers := find_handlers(view, name)):
        return handlers
    if not found:
        like = near(view, name)
        hint = f"; similar names: {', '.join(like)}" if like else "; use `graphmem search` for a wider search"
        raise NotFound(f"no symbol named `{name}`{hint}", name=name, candidates=like)
    nearer = [s for s in found if not s.file.endswith(languages.DECLARING)] or found
    nearer = [s for s in nearer if s.key not in view.tests and s.kind != "module"] or nearer
    nearer = prefer_one(nearer)
    nearer.sort(key=is_declaration)  # definitions before mere declarations
    if len({symbol.qualified_name for symbol in nearer}) > 1 and not is_class_with_constructors(nearer):
        if not _is_family(view, nearer):
            raise _ambiguous(view, name, nearer)
        nearer.sort(key=lambda symbol: (len(overridden(view, [symbol.key])), is_declaration(symbol), symbol.key))
    return nearer


def _is_family(view: View, found: Sequence[Symbol]) -> bool:
    """Return whether these are methods of which one overrides the other, or both override the same one of the tree."""
    if any(symbol.kind not in FUNCTIONS for symbol in found):
        return False
    above = {s.key: {s.key} | {k for k in overridden(view, [s.key]) if not view.symbols[k].external} for s in found}
    joined, *rest = above.values()
    while nearer := [keys for keys in rest if not joined.isdisjoint(keys)]:
        joined = joined.union(*nearer)
        rest = [keys for keys in rest if joined.isdisjoint(keys)]
    return not rest


def _ambiguous(view: View, name: str, found: Iterable[Symbol]) -> AmbiguousName:
    """Return the error for a name of several symbols: the most used ones first, and one of each family."""
    first: dict[str, Symbol] = {}
    for symbol in found:
        first.setdefault(symbol.qualified_name, symbol)
    some = sorted(first.values(), key=lambda symbol: (-_uses(view, symbol), symbol.key))
    some = [s for s in some if not any(o is not s and o.key in overridden(view, [s.key]) for o in some)] or some
    named = [f"{symbol.file}:{symbol.line}" if symbol.has_title else symbol.key for symbol in some]
    rest = f" and {len(named) - _FEW} more" if len(named) > _FEW else ""
    return AmbiguousName(
        f"`{name}` is ambiguous; choose one: {', '.join(named[:_FEW])}{rest}", name=name, candidates=named
    )


def _uses(view: View, symbol: Symbol) -> int:
    """Return how many relations end at a symbol, or at what overrides it."""
    below = (edge.source for edge in of_type(view.incoming.get(symbol.key, []), "OVERRIDES"))
    return sum(len(view.incoming.get(key, ())) for key in (symbol.key, *below))


def _module_of(view: View, root: Path, path: str) -> Symbol | None:
    """Return the module of a file, if the path matches one."""
    try:
        file = find_file(view, root, path)
    except NotFound:
        return None
    _insist_on_symbols(view, file)
    return next((s for s in view.by_file.get(file, ()) if s.kind == "module"), None)


def find_file(view: View, root: Path, path: str) -> str:
    """Return the indexed file, relative to the root, that a path or its end matches. Raises NotFound."""
    for name in path_candidates(root, path):
        if name in view.index.records:
            return name
    ending = [name for name in view.index.records if name.endswith(f"/{path}")]
    if len(ending) == 1:
        return ending[0]
    if ending:
        some = ", ".join(sorted(ending)[:_FEW])
        raise NotFound(f"`{path}` matches several files; choose one: {some}", file=path, candidates=sorted(ending))
    raise NotFound(f"`{path}` is not indexed: `graphmem code files` lists all indexed files", file=path)


def _symbols_at(view: View, root: Path, path: str, line: int) -> list[Symbol]:
    """Return the innermost symbol at a line of a file, with those of the same signature there (the other branch of an
    `#if`); for a decorator, a comment or a blank line before a definition, that symbol; for a declaration, also the declared
    one. Raises NotFound."""
    file = find_file(view, root, path)
    _insist_on_symbols(view, file)
    with suppress(OSError):
        if line_of(view.index, file, line).lstrip().startswith("@"):
            line = min((s.line for s in view.by_file[file] if s.decorators and s.line >= line), default=line)
    found = symbol_at(view, file, line)
    if found is None or found.kind not in FUNCTIONS:
        found = _documented_at(view, file, line, found) or found
    if found is None:
        lines = view.index.records[file].lines
        why = f"it has {lines} line{'s' * (lines != 1)}" if line > lines else "that line is outside of all symbols"
        raise NotFound(f"no symbol at {file}:{line}: {why}", file=file, line=line)
    declared = _declared_at(view, file, line) if found.kind == "module" else None
    if declared:
        return find_target(view, root, declared)
    meant = [s for s in view.by_file[file] if s.qualified_name == found.qualified_name]
    if is_declaration(found):
        return sorted(meant, key=is_declaration)
    return [found, *(s for s in meant if s.signature == found.signature and s is not found)]


def _documented_at(view: View, file: str, line: int, around: Symbol | None) -> Symbol | None:
    """Return the definition before which a comment or blank line stands, with only such lines and decorators between; None for
    any other line."""
    language = languages.all_languages().get(view.index.records[file].language)
    try:
        lines = read_source(view.index, file).split("\n")
    except OSError:
        return None
    skipped = (*language.comments, "*", "@", "#[") if language is not None else ()
    below = line
    while below <= len(lines) and (not lines[below - 1].strip() or lines[below - 1].lstrip().startswith(skipped)):
        below += 1
    outer = around.end_line if around is not None else below
    starting = [s for s in view.by_file[file] if s.line == below <= outer and s.kind != "module" and s is not around]
    return starting[0] if below > line and starting else None


def _declared_at(view: View, file: str, line: int) -> str | None:
    """Return the function whose prototype is at a line of C or C++ outside of all functions; it is defined elsewhere."""
    with suppress(OSError):
        found = _PROTOTYPE.match(line_of(view.index, file, line))
        if found and view.index.records[file].language in ("c", "cpp"):
            return found[1] if any(s.kind == "function" for s in view.find(found[1])) else None
    return None


def _insist_on_symbols(view: View, file: str) -> None:
    """Raise NotFound with the reason if a file was not parsed."""
    why = view.index.records[file].skipped
    if why and not view.by_file.get(file):
        raise NotFound(f"the definitions in {file} are unknown: it was not indexed ({why})", file=file, skipped=why)


def is_declaration(symbol: Symbol) -> bool:
    """Return whether a symbol only declares an overload."""
    return any(decorator.rpartition(".")[2] == "overload" for decorator in symbol.decorators)
