"""Lua: `require("a.b")` is a/b.lua or a/b/init.lua below one of the usual folders, or any file with that path suffix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import External, Found, Module
from graphmem.codegraph.generic.summary import Import

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_FOLDERS = ("", "lua/", "src/", "lib/")


def resolve(resolver: Resolver, path: str, item: Import) -> Found | None:
    """Return the file of a required name."""
    program = resolver.program
    wanted = item.source.replace(".", "/")
    for ending in (".lua", "/init.lua"):
        for folder in _FOLDERS:
            if program.has(folder + wanted + ending):
                return Found(entity=Module(folder + wanted + ending), how="import")
    for ending in (".lua", "/init.lua"):
        tail = f"/{wanted}{ending}"
        name = tail.rpartition("/")[2]
        found = [p for p in program.by_basename.get(name, ()) if p.endswith(tail)]
        if len(found) == 1:
            return Found(entity=Module(found[0]), how="import", sure=0.9)
    return Found(entity=External(item.source), how="import", sure=0.9)
