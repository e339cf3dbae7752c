"""Rust: which implementation of a trait a file sees. Several crates of a tree may implement traits of their own for one type."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from graphmem.codegraph.generic import members
from graphmem.codegraph.generic.entities import Def, Entity, Found, Instance
from graphmem.codegraph.generic.imports import rust

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


def seen_by(resolver: Resolver, path: str, owner: Entity | None, found: Found, name: str) -> Found:
    """Rust: return the method that a file sees where several crates implement a trait with it for a type: of its own crate,
    otherwise of the type itself."""
    scope = resolver.program.scope(found.path, found.scope) if found.scope >= 0 else None
    of = owner.of if isinstance(owner, Instance) else owner
    if scope is None or scope.kind != "extension" or not scope.bases or not isinstance(of, Def):
        return found
    here, home = _crate(resolver, path), _crate(resolver, of.path)
    if _crate(resolver, found.path) in (here, home):
        return found
    others = [(p, i) for p, i in members.extensions(resolver, of) if resolver.program.scope(p, i).names.get(name)]
    near = [each for each in others if _crate(resolver, each[0]) == here]
    for where, index in near or [each for each in others if not resolver.program.scope(*each).bases]:
        bindings = resolver.program.scope(where, index).names[name]
        return Found(where, index, bindings[-1], how="type")
    return found


def _crate(resolver: Resolver, path: str) -> Entity | None:
    return cast("Entity | None", resolver.settled(("crate", path), rust.crate, resolver.program, path))
