"""Prefixes of HTTP routes: a router may have its own prefix, be a group of another one, and be mounted below further
ones, in the same file or another. Router names come from the text, their targets from the graph."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from graphmem.codegraph.view import View

WHOLE = "*"  # represents every router of a file
_MOST = 4  # maximum mount points of a router
_PREFIXES = 16  # maximum prefixes of a router
_DEPTH = 6
# `import name from "./path"`, `const name = require("./path")`; bounded, because a line may be very long
_IMPORTED = re.compile(
    r"\b(?:const|let|var|import)\s{1,20}([\w$]+)(?![\w$])(?=[^\n]{0,300}?['\"](\.[^'\"\n]{1,300})['\"])"
)
_ENDINGS = ("", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", "/index.js", "/index.ts")


class Mounted(NamedTuple):
    """A router, or a module of routers, mounted below a prefix by another router; `instead`: replaces its own prefix."""

    router: str
    name: str
    base: str
    module: bool = False
    instead: bool = False


@dataclass(slots=True)
class Routers:
    """The routers of a file: those created, with their parent router and own prefix, and those mounted."""

    made: dict[str, tuple[str, str]] = field(default_factory=dict)
    mounted: list[Mounted] = field(default_factory=list)
    source: str = ""


class Prefixes:
    """The prefixes of all routers of a tree."""

    def __init__(self, view: View, files: Mapping[str, Routers]) -> None:
        self._view = view
        self._files = files
        self._outer: dict[tuple[str, str], list[tuple[str, Mounted]]] = {}
        self._found: dict[tuple[str, str, int], list[str]] = {}
        self._imported: dict[str, dict[str, str]] = {}
        for path, said in files.items():
            for mounted in said.mounted:
                for target in self._targets(path, said, mounted):
                    self._outer.setdefault(target, []).append((path, mounted))

    def of(self, path: str, router: str, depth: int = _DEPTH) -> list[str]:
        """Return the prefixes of a router's routes, at most 16; [""] if there are none."""
        if depth == 0 or path not in self._files:
            return [""]
        key = (path, router, depth)
        if key not in self._found:
            self._found[key] = list(islice(self._prefixes(path, router, depth), _PREFIXES))
        return self._found[key]

    def _prefixes(self, path: str, router: str, depth: int) -> Iterator[str]:
        parent, own = self._files[path].made.get(router, ("", ""))
        inner = [join_mounts(prefix, own) for prefix in self.of(path, parent, depth - 1)] if parent else [own]
        places = self._outer.get((path, router)) or ([] if parent else self._outer.get((path, WHOLE), []))
        outer = [
            (join_mounts(prefix, mounted.base), mounted.instead)
            for place, mounted in places[:_MOST]
            for prefix in self.of(place, mounted.router, depth - 1)
        ]
        for prefix, instead in outer or [("", False)]:
            for base in inner:
                yield join_mounts(prefix, "" if instead else base)

    def _targets(self, path: str, said: Routers, mounted: Mounted) -> Iterator[tuple[str, str]]:
        """Yield the router that a name in this file refers to, by its file and name there."""
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
                    yield target.file, WHOLE if target.kind == "module" else name
                    return
        if path not in self._imported:
            self._imported[path] = {match[1]: match[2] for match in reversed(list(_IMPORTED.finditer(said.source)))}
        imported = self._imported[path].get(name)
        if imported:
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), imported))
            yield from ((place + end, WHOLE) for end in _ENDINGS if place + end in self._files)
        else:
            yield path, name


def _is_in(file: str, owner: str) -> bool:
    """Return whether a file is the module named by the last part of a name's owner."""
    stem = owner.rpartition(".")[2]
    return not stem or stem in (
        posixpath.splitext(posixpath.basename(file))[0],
        posixpath.basename(posixpath.dirname(file)),
    )


def join_mounts(prefix: str, path: str) -> str:
    """Join two paths with one slash."""
    if not prefix or not path:
        return prefix or path
    return f"{prefix.rstrip('/')}/{path.lstrip('/^')}"
