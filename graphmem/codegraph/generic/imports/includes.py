"""Resolves includes of C, C++, Ruby and shell, which import all names of a file, and `using` of C++. A file is looked up
beside the includer, in the usual folders, then by path suffix."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import names
from graphmem.codegraph.generic.entities import External, Found, Module, Namespace
from graphmem.codegraph.generic.program import Program
from graphmem.codegraph.generic.summary import Import

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_FOLDERS = ("", "include", "src", "lib", "inc")


def resolve(resolver: Resolver, path: str, item: Import) -> Found | None:
    """Return the file of an include, or the target of a `using`."""
    language = resolver.language(path)
    names_member = item.name not in ("", "*")
    if language.using and names_member:
        return _resolve_member(resolver, language.family, item)
    if language.using and "/" not in item.source and (found := _find_namespace(resolver, language.family, item.source)):
        return found
    return _resolve_include(resolver, path, item.source)


def _resolve_member(resolver: Resolver, family: str, item: Import) -> Found:
    """Return the member of a namespace that `using a::b` names."""
    return names.in_namespace(resolver, family, item.source, item.name) or Found(
        entity=External(f"{item.source}.{item.name}"), how="import", sure=0.9
    )


def _find_namespace(resolver: Resolver, family: str, name: str) -> Found | None:
    """Return the namespace of the program that `using namespace a` names, or None."""
    key = family, name
    if key in resolver.program.by_namespace or key in resolver.program.namespace_parents:
        return Found(entity=Namespace(*key), how="import")
    return None


def _resolve_include(resolver: Resolver, path: str, source: str) -> Found | None:
    """Return the file that an include names; outside the program, an external module. None for the includer itself."""
    language = resolver.language(path)
    key = ("include", path.rpartition("/")[0], source)
    target = resolver.once(key, _find_file, resolver.program, path, source, language.extensions)
    if target == path:
        return None
    if target is not None:
        return Found(entity=Module(str(target)), how="import")
    if language.family == "c" or source.startswith((".", "$")):
        source = source.rpartition(".")[0] or source
    return Found(entity=External(source.strip("./").replace("/", ".")), how="import", sure=0.9)


def _find_file(program: Program, path: str, source: str, extensions: tuple[str, ...]) -> str | None:
    """Return the file that an include most probably means: beside the includer, then in the usual folders, then the
    closest file whose path ends with it; None if there is none."""
    source = _without_variables(source)
    if not source:
        return None
    endings = ["", *(f".{e}" for e in extensions)] if "." not in source.rpartition("/")[2] else [""]
    folder = path.rpartition("/")[0]
    for ending in endings:
        for base in (folder, *_FOLDERS):
            candidate = posixpath.normpath(posixpath.join(base, source + ending))
            if program.has(candidate):
                return candidate
    for ending in endings:
        name = source.rpartition("/")[2] + ending
        tail = "/" + source.lstrip("./") + ending
        found = [p for p in program.by_basename.get(name, ()) if ("/" + p).endswith(tail)]
        if found:
            return min(
                found, key=lambda p: (-len(posixpath.commonpath([folder or ".", p]) if folder else ""), len(p), p)
            )
    return None


def _without_variables(source: str) -> str:
    """Return a path without quotes and leading shell variables: "$DIR/a.sh", "${DIR}/a.sh" and "$(dirname $0)/a.sh" are
    "a.sh"."""
    source = source.strip("\"'")
    if "$" in source:
        source = source.rpartition("$")[2].partition("/")[2]
    return source.rpartition("}/")[2].rpartition(")/")[2].lstrip("/")
