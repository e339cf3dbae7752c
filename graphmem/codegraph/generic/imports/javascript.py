"""JavaScript and TypeScript: maps a module specifier to a file like Node and TypeScript: relative paths, index files,
tsconfig `paths` and `baseUrl`, workspace package.json, `#imports`. Everything else is an external package."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graphmem.codegraph.generic.entities import External, Found, Module
from graphmem.codegraph.generic.program import Program
from graphmem.codegraph.generic.summary import Import

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_SUFFIXES = ("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", "/index.ts", "/index.tsx",
             "/index.d.ts", "/index.js", "/index.jsx", "/index.mjs", "/index.cjs")  # fmt: skip
_COMPILED = {".js": (".ts", ".tsx", ".d.ts"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}


def resolve(resolver: Resolver, path: str, item: Import) -> Found | None:
    """Return the file, name or external package of an import."""
    target = _file(resolver, path, item.source)
    if target is None:
        if item.source.startswith("."):
            return None  # a file of this tree that is not there: not the outside world
        package = item.source.removeprefix("node:").replace("/", ".")
        outside = package if item.name in ("", "default", "*") else f"{package}.{item.name}"
        return Found(entity=External(outside), how="import", sure=0.98)
    if item.name in ("", "*"):
        return Found(entity=Module(target), how="import")
    found = resolver.member(Module(target), item.name)
    if found is None and item.name == "default":
        return Found(entity=Module(target), how="import", sure=0.9)
    return found.via("import", 1.0) if found is not None else None


def _file(resolver: Resolver, path: str, source: str) -> str | None:
    mark = ("file", path.rpartition("/")[0], source)
    return resolver.once(mark, lambda: next(_candidates(resolver.program, path, source), None))


def _candidates(program: Program, path: str, source: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    if source.startswith("."):
        yield from _at(program, posixpath.normpath(posixpath.join(folder, source)))
        return
    yield from _configured(program, path, source)
    yield from _workspace(program, path, source)


def _at(program: Program, base: str) -> Iterator[str]:
    """Yield the files that a path without suffix may refer to."""
    base = base.removeprefix("./")
    if base.startswith("../"):
        return
    base = "" if base == "." else base
    stem, dot, suffix = base.rpartition(".")
    for compiled in _COMPILED.get(dot + suffix, ()):
        if not program.has(base) and program.has(stem + compiled):
            yield stem + compiled
    for suffix in _SUFFIXES:
        candidate = (base + suffix).removeprefix("/") if base else suffix.removeprefix("/")
        if candidate and program.has(candidate) and program.facts[candidate].language != "manifest":
            yield candidate
    said = program.manifests.get("package.json", {}).get(base)
    if said and said["main"]:
        main = posixpath.normpath(posixpath.join(base, said["main"]))
        if main != base:
            yield from _at(program, main)


def _configured(program: Program, path: str, source: str) -> Iterator[str]:
    for kind in ("tsconfig.json", "jsconfig.json"):
        near = program.nearest(kind, path)
        if near is None:
            continue
        folder, said = near
        folder, base, paths = _options(program, kind, folder, said, 0)
        root = posixpath.normpath(posixpath.join(folder, base or "."))
        for pattern in sorted(paths, key=lambda p: (-len(p.partition("*")[0]), p)):
            before, star, after = pattern.partition("*")
            fits = source == pattern if not star else source.startswith(before) and source.endswith(after)
            if fits:
                middle = source[len(before) : len(source) - len(after)] if star else ""
                for target in paths[pattern]:
                    yield from _at(program, posixpath.normpath(posixpath.join(root, target.replace("*", middle, 1))))
        if base is not None:
            yield from _at(program, posixpath.normpath(posixpath.join(root, source)))


def _options(
    program: Program, kind: str, folder: str, said: dict[str, Any], depth: int
) -> tuple[str, str | None, dict[str, list[str]]]:
    """Return (folder, baseUrl, paths), inherited from the extended configuration if missing."""
    base, paths, extends = said.get("base"), said.get("paths") or {}, said.get("extends")
    if (base is None and not paths) and isinstance(extends, str) and extends.startswith(".") and depth < 5:
        parent = posixpath.normpath(posixpath.join(folder, extends))
        where, name = posixpath.split(parent if parent.endswith(".json") else parent + "/" + kind)
        above = program.manifests.get(name, {}).get(where)
        if above is not None:
            return _options(program, kind, where, above, depth + 1)
    return folder, base, paths


def _workspace(program: Program, path: str, source: str) -> Iterator[str]:
    packages = program.manifests.get("package.json", {})
    if source.startswith("#"):
        near = program.nearest("package.json", path)
        if near:
            yield from _mapped(program, near[0], near[1]["imports"], source)
        return
    for folder in sorted(packages):
        said = packages[folder]
        name = said["name"]
        if not name or not (source == name or source.startswith(name + "/")):
            continue
        rest = source[len(name) :].lstrip("/")
        yield from _mapped(program, folder, said["exports"], "./" + rest if rest else ".")
        if rest:
            yield from _at(program, posixpath.join(folder, rest))
            yield from _at(program, posixpath.join(folder, "src", rest))
            continue
        for entry in (said["source"], said["types"], said["main"], "src/index", "index", "lib/index", "src/main"):
            if entry:
                yield from _at(program, posixpath.normpath(posixpath.join(folder, entry)))


def _mapped(program: Program, folder: str, table: dict[str, list[str]], key: str) -> Iterator[str]:
    for pattern, targets in table.items():
        before, star, after = pattern.partition("*")
        if not (key == pattern or (star and key.startswith(before) and key.endswith(after))):
            continue
        middle = key[len(before) : len(key) - len(after)] if star else ""
        for target in targets:
            place = posixpath.normpath(posixpath.join(folder, target.replace("*", middle)))
            yield from _at(program, place)
            for built in ("/dist/", "/lib/", "/build/", "/out/"):  # the source of what a build would put there
                if built in "/" + place:
                    stem = ("/" + place).replace(built, "/src/", 1).lstrip("/")
                    yield from _at(program, stem.removesuffix(".js").removesuffix(".mjs").removesuffix(".d.ts"))
