"""Prefixes of HTTP routes: a router may have one of its own, be a group of another, and be mounted under further ones, in the
same file or another. What a router is called is told from the text; where its name leads, from the graph."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.codegraph.view import View

WHOLE = "*"  # stands for every router of a file
_MOST = 4  # places at which one router is mounted
_DEPTH = 6
_ENDINGS = ("", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", "/index.js", "/index.ts")


class Mounted(NamedTuple):
    """A router, or a module of them, that is put under a prefix: by which router; `instead` of its own prefix."""

    router: str
    name: str
    base: str
    module: bool = False
    instead: bool = False


@dataclass(slots=True)
class Routers:
    """What one file says of its routers: those it made, by the router that they are a group of and their own prefix; and
    what it mounts."""

    made: dict[str, tuple[str, str]] = field(default_factory=dict)
    mounted: list[Mounted] = field(default_factory=list)
    source: str = ""


class Prefixes:
    """The prefixes of all routers of a tree."""

    def __init__(self, view: View, files: Mapping[str, Routers]) -> None:
        self._view = view
        self._files = files
        self._outer: dict[tuple[str, str], list[tuple[str, Mounted]]] = {}
        for path, said in files.items():
            for mounted in said.mounted:
                for target in self._targets(path, said, mounted):
                    self._outer.setdefault(target, []).append((path, mounted))

    def of(self, path: str, router: str, depth: int = _DEPTH) -> list[str]:
        """All prefixes under which the routes of a router can be reached; [""] where it has none."""
        if depth == 0 or path not in self._files:
            return [""]
        parent, own = self._files[path].made.get(router, ("", ""))
        inner = [join_mounts(prefix, own) for prefix in self.of(path, parent, depth - 1)] if parent else [own]
        places = self._outer.get((path, router)) or ([] if parent else self._outer.get((path, WHOLE), []))
        outer = [
            (join_mounts(prefix, mounted.base), mounted.instead)
            for place, mounted in places[:_MOST]
            for prefix in self.of(place, mounted.router, depth - 1)
        ]
        return [
            join_mounts(prefix, "" if instead else own) for prefix, instead in outer or [("", False)] for own in inner
        ]

    def _targets(self, path: str, said: Routers, mounted: Mounted) -> Iterator[tuple[str, str]]:
        """The router that a name of this file means, by its file and its name there."""
        owner, _, name = mounted.name.rpartition(".")
        if mounted.module:
            file = f"{mounted.name.replace('.', '/')}.py"
            yield from ((p, WHOLE) for p in self._files if p == file or p.endswith(f"/{file}"))
            return
        if not owner and name in said.made:
            yield path, name
            return
        view = self._view
        for symbol in view.by_file.get(path, ()):
            for edge in view.outgoing.get(symbol.key, ()):
                target = view.symbols[edge.target]
                if target.name == name and target.file not in ("", path) and _is_in(target.file, owner):
                    yield target.file, name
                    return
        bound = rf"(?:const|let|var|import)\s+{re.escape(name)}\b[^\n]*?['\"](\.[^'\"]+)['\"]"
        found = re.search(bound, said.source)
        if found:
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), found[1]))
            yield from ((place + end, WHOLE) for end in _ENDINGS if place + end in self._files)
        else:
            yield path, name


def _is_in(file: str, owner: str) -> bool:
    """Whether a file is the module of which a name's owner tells the last part."""
    stem = owner.rpartition(".")[2]
    return not stem or stem in (
        posixpath.splitext(posixpath.basename(file))[0],
        posixpath.basename(posixpath.dirname(file)),
    )


def join_mounts(prefix: str, path: str) -> str:
    """Both with one slash between them."""
    if not prefix or not path:
        return prefix or path
    return f"{prefix.rstrip('/')}/{path.lstrip('/^')}"
