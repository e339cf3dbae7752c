"""C, C++, Ruby, shell: an include brings in everything of a file, which is searched next to the includer, in the usual
folders, and then by the end of its path. C++ `using` names a member of a namespace."""

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
    if language.using and (item.name not in ("", "*") or "/" not in item.source):
        found = _using(resolver, language.family, item)
        if found is not None or item.name not in ("", "*"):
            return found
    mark = ("include", path.rpartition("/")[0], item.source)
    target = resolver.once(mark, _file, resolver.program, path, item.source, language.extensions)
    if target == path:
        return None
    if target is not None:
        return Found(entity=Module(str(target)), how="import")
    if language.family == "c" or item.source.startswith((".", "$")):
        outside = item.source.rpartition(".")[0] or item.source
    else:
        outside = item.source
    return Found(entity=External(outside.strip("./").replace("/", ".")), how="import", sure=0.9)


def _using(resolver: Resolver, family: str, item: Import) -> Found | None:
    program = resolver.program
    if item.name in ("", "*"):
        if (family, item.source) in program.by_namespace or (family, item.source) in program.namespace_parents:
            return Found(entity=Namespace(family, item.source), how="import")
        return None
    return names.in_namespace(resolver, family, item.source, item.name) or Found(
        entity=External(f"{item.source}.{item.name}"), how="import", sure=0.9
    )


def _file(program: Program, path: str, source: str, extensions: tuple[str, ...]) -> str | None:
    """Return the only file that the path can refer to."""
    source = source.strip("\"'").rpartition("$")[2].partition("/")[2] if "$" in source else source.strip("\"'")
    source = source.rpartition("}/")[2].rpartition(")/")[2].lstrip("/")
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
