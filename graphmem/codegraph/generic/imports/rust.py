"""Rust: parses `use` trees, finds the file of a module path, and reads calls in macro arguments."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from graphmem.codegraph.generic.entities import Def, Entity, External, Found, Module
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.program import Program
from graphmem.codegraph.generic.summary import Expr, Import

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.reader import Reader
    from graphmem.codegraph.generic.resolver import Resolver

_KEYWORDS = frozenset({"if", "while", "for", "match", "return", "in", "as", "let", "mut", "move", "else", "loop", "ref",
                       "all", "any", "not", "cfg", "cfg_attr", "doc", "feature"})  # fmt: skip


def use_tree(node: Node) -> Iterator[Import]:
    """Record every name that a `use` declaration brings in; `source` keeps `::`."""
    argument = node.child_by_field_name("argument")
    exported = any(c.type == "visibility_modifier" for c in node.children)
    if argument is not None:
        yield from _tree(argument, "", node.start_point[0] + 1, exported)


def _tree(node: Node, prefix: str, line: int, exported: bool) -> Iterator[Import]:
    kind = node.type
    if kind == "scoped_use_list":
        path, items = node.child_by_field_name("path"), node.child_by_field_name("list")
        inner = _join(prefix, text_of(path)) if path is not None else prefix
        if items is not None:
            yield from _tree(items, inner, line, exported)
    elif kind == "use_list":
        for child in node.named_children:
            yield from _tree(child, prefix, line, exported)
    elif kind == "use_as_clause":
        path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
        if path is not None and alias is not None:
            source, _, name = _join(prefix, text_of(path)).rpartition("::")
            if name == "self":
                source, _, name = source.rpartition("::")
            yield Import(line, source, name, text_of(alias).replace("_", "", text_of(alias) == "_"), exported)
    elif kind == "use_wildcard":
        inner = text_of(node).removesuffix("*").removesuffix("::")
        yield Import(line, _join(prefix, inner), "*", "", exported)
    elif kind == "self":
        source, _, name = prefix.rpartition("::")
        yield Import(line, source, name, name, exported)
    elif kind in ("scoped_identifier", "identifier", "crate", "super"):
        source, _, name = _join(prefix, text_of(node)).rpartition("::")
        yield Import(line, source, name, name, exported)


def declare_module(reader: Reader, node: Node, name: str, line: int) -> None:
    """Handle `mod x;`: the module's file is a name in this module."""
    exported = any(c.type == "visibility_modifier" for c in node.children)
    reader.import_name(Import(line, "self", name, name, exported), node.start_byte)


def token_path(node: Node) -> Expr | None:
    """Handle `a::b(...)`, `self.c(...)` or `x.d(...)` among the tokens of a macro; `node` is the last name."""
    arguments = node.next_sibling
    if arguments is None or arguments.type != "token_tree" or not text_of(arguments).startswith("("):
        return None
    name = text_of(node)
    if name in _KEYWORDS:
        return None
    parts: list[tuple[str, str]] = [("", name)]
    at = node.prev_sibling
    while at is not None and at.type in ("::", ".") and len(parts) < 8:
        operator, owner = at.type, at.prev_sibling
        if owner is None or owner.type not in ("identifier", "self", "super", "crate", "primitive_type"):
            return ("call", ("attr", None, name), ())  # a.b().c(): the receiver is a call of its own
        parts[-1] = (operator, parts[-1][1])
        parts.append(("", text_of(owner)))
        at = owner.prev_sibling
    expr: Expr | None = None
    for _, part in reversed(parts):
        if expr is None:
            expr = ("this",) if part == "self" and len(parts) > 1 else ("super",) if part == "super" else ("name", part)
        else:
            expr = ("attr", expr, part)
    return ("call", expr, ())


def _join(prefix: str, path: str) -> str:
    path = "".join(path.split())
    return f"{prefix}::{path}" if prefix and path else prefix or path


def resolve(resolver: Resolver, path: str, item: Import) -> Found | None:
    """Return the item of a `use` path or `mod` declaration."""
    if item.source == "self" and item.local and item.local == item.name:
        file = _child(resolver.program, path, item.name)
        if file is not None:
            return Found(entity=Module(file), how="import")
    segments = [s for s in item.source.split("::") if s]
    found = _root(resolver, path, item, segments)
    if not item.source:
        return found
    for segment in segments:
        if found is None:
            return None
        if segment == "super":
            entity = resolver.entity(found)
            found = Found(entity=_above(resolver.program, entity.path)) if isinstance(entity, Module) else None
        elif segment != "self":
            found = resolver.member(resolver.entity(found), segment)
    if found is None or item.name in ("", "*"):
        return found
    return resolver.member(resolver.entity(found), item.name)


def _root(resolver: Resolver, path: str, item: Import, segments: list[str]) -> Found | None:
    """Return the start of a path, and the path without its first segment."""
    program = resolver.program
    if not segments:  # `use name;` or `use name as other;`
        outside = _dependency(resolver, path, item.name)
        if outside is not None:
            return Found(entity=outside, how="import")
        return Found(entity=External(item.name), how="import", sure=0.95)
    first = segments.pop(0)
    if first == "crate":
        return Found(entity=crate(program, path), how="import")
    if first == "self":
        return Found(entity=here(resolver, path, item.scope), how="import")
    if first == "super":
        return Found(entity=parent(resolver, path, item.scope), how="import")
    local = resolver.member(here(resolver, path, item.scope), first)
    if local is not None and not isinstance(local.entity, External):
        return local
    inside = _dependency(resolver, path, first)
    if inside is not None:
        return Found(entity=inside, how="import")
    return Found(entity=External(first), how="import", sure=0.95)


def outside(resolver: Resolver, path: str, name: str) -> Found | None:
    """Return another crate by name: of this tree, or a dependency in Cargo.toml."""
    inside = _dependency(resolver, path, name)
    if inside is not None:
        return Found(entity=inside, how="import")
    near = resolver.program.nearest("Cargo.toml", path)
    if near and name in near[1].get("dependencies", {}):
        return Found(entity=External(name), how="import", sure=0.95)
    return None


def crate(program: Program, path: str) -> Entity | None:
    """Return the root module of a file's crate."""
    near = program.nearest("Cargo.toml", path)
    folder = near[0] if near else ""
    inside = path[len(folder) :].lstrip("/")
    if near and inside.startswith(("tests/", "examples/", "benches/")):
        if inside.count("/") == 1:
            return Module(path)  # each of these files is a crate of its own
        root = posixpath.join(folder, *inside.split("/")[:2], "main.rs")
        if program.has(root):
            return Module(root)
    candidates = [posixpath.join(folder, near[1].get("lib", "src/lib.rs"))] if near else []
    candidates += [posixpath.join(folder, f) for f in ("src/lib.rs", "src/main.rs", "lib.rs", "main.rs")]
    if inside.startswith("src/bin/") and inside.count("/") == 2:
        candidates.insert(0, path)
    if inside == "src/main.rs":
        candidates.insert(0, path)
    for candidate in candidates:
        if program.has(candidate):
            return Module(candidate)
    return Module(path)


def here(resolver: Resolver, path: str, scope: int) -> Entity:
    """Return the module of a scope: the file, or a `mod` block in it."""
    index = scope
    while index > 0:
        s = resolver.program.scope(path, index)
        if s.kind == "namespace":
            return Def(path, s.symbol, index)
        index = s.parent
    return Module(path)


def parent(resolver: Resolver, path: str, scope: int) -> Entity | None:
    """Return the module around the module of a scope."""
    inner = here(resolver, path, scope)
    if isinstance(inner, Def):
        return here(resolver, path, resolver.program.scope(path, inner.scope).parent)
    return _above(resolver.program, path)


def _above(program: Program, path: str) -> Entity | None:
    folder, _, name = path.rpartition("/")
    if name in ("lib.rs", "main.rs"):
        return None
    if name == "mod.rs":
        folder = folder.rpartition("/")[0]
    for candidate in (f"{folder}/mod.rs", f"{folder}.rs", f"{folder}/lib.rs", f"{folder}/main.rs"):
        if program.has(candidate.lstrip("/")):
            return Module(candidate.lstrip("/"))
    return None


def _child(program: Program, path: str, name: str) -> str | None:
    """Return the file of `mod name;`."""
    folder, _, file = path.rpartition("/")
    stem = file.removesuffix(".rs")
    inside = folder if stem in ("lib", "main", "mod") else posixpath.join(folder, stem)
    for base in (inside, folder):
        for candidate in (posixpath.join(base, f"{name}.rs"), posixpath.join(base, name, "mod.rs")):
            if program.has(candidate) and candidate != path:
                return candidate
    return None


def _dependency(resolver: Resolver, path: str, name: str) -> Entity | None:
    """Return the root module of another crate of the tree, by the name that this crate uses."""
    near = resolver.program.nearest("Cargo.toml", path)
    mark = ("dependency", near[0] if near else "", name)
    return cast("Entity | None", resolver.settled(mark, _find_dependency, resolver, path, name))


def _find_dependency(resolver: Resolver, path: str, name: str) -> Entity | None:
    program = resolver.program
    near = program.nearest("Cargo.toml", path)
    known = near[1].get("dependencies", {}) if near else {}
    wanted = known.get(name, name).replace("-", "_")
    for folder, said in sorted(program.manifests.get("Cargo.toml", {}).items()):
        names = {said.get("name", "").replace("-", "_"), said.get("crate", "")}
        if wanted in names:
            root = posixpath.join(folder, said.get("lib", "src/lib.rs"))
            if program.has(root):
                return Module(root)
    return None
