"""Go: maps an import path to the folder of the package, using the nearest go.mod, its `replace` lines and other modules
of the tree. Everything else is an external package."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import External, Found, Namespace
from graphmem.codegraph.generic.summary import Import

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


def resolve(resolver: Resolver, path: str, item: Import) -> Found | None:
    """Return the package of an import."""
    program = resolver.program
    near = program.nearest("go.mod", path)
    modules = [near] if near else []
    modules += sorted(program.manifests.get("go.mod", {}).items(), key=lambda m: -len(m[1].get("module", "")))
    for folder, said in modules:
        module = said.get("module", "")
        inside = _below(item.source, module)
        if inside is not None:
            package = posixpath.normpath(posixpath.join(folder, inside)) if folder or inside else ""
            package = "" if package == "." else package
            if ("go", package) in program.by_namespace:
                return Found(entity=Namespace("go", package), how="import")
        for old, new in said.get("replace", {}).items():
            inside = _below(item.source, old)
            if inside is not None:
                package = posixpath.normpath(posixpath.join(folder, new, inside))
                if ("go", package) in program.by_namespace:
                    return Found(entity=Namespace("go", package), how="import")
    return Found(entity=External(item.source.replace("/", ".")), how="import", sure=0.98)


def _below(source: str, module: str) -> str | None:
    if not module or not (source == module or source.startswith(module + "/")):
        return None
    return source[len(module) :].lstrip("/")
