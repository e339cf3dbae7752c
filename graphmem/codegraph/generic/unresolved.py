"""Describes calls that are not resolved: their place, how they are written, and why they lead nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Def, External, Found, Instance, Listed, Module, Namespace, Object
from graphmem.codegraph.generic.summary import Expr, Reference, spelled
from graphmem.model.code import CallSite

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


def call_site(source: str, path: str, r: Reference, callee: Expr | None, reason: str) -> CallSite:
    """Return the call site of a reference that leads nowhere."""
    if callee and callee[0] == "new":
        callee = callee[1]
    text = _written(callee)
    name = callee[2] if callee and callee[0] == "attr" else callee[1] if callee and callee[0] == "name" else ""
    return CallSite(source, path, r.line, r.column, str(name), text[:120], reason)


def _written(expr: Expr | None) -> str:
    """Return an expression as readable text."""
    if not expr:
        return "…"
    tag = expr[0]
    if tag == "name":
        return str(expr[1])
    if tag == "attr":
        return f"{_written(expr[1])}.{expr[2]}"
    if tag == "call":
        return f"{_written(expr[1])}()"
    if tag == "index":
        return f"{_written(expr[1])}[]"
    if tag == "new":
        return f"new {spelled(expr[1])}"
    if tag in ("this", "super"):
        return str(tag)
    return "…"


def reason_of(resolver: Resolver, path: str, r: Reference, callee: Expr, found: Found | None) -> str:
    """Return why a call is unresolved."""
    if found is not None and found.binding is not None:
        return "parameter" if found.binding.kind == "param" else "value unknown"
    if callee[0] == "name":
        return "unknown name"
    if callee[0] != "attr":
        return "computed callee"
    owner = resolver.value(path, r.scope, callee[1], r.at) if callee[1] else None
    if owner is None:
        base = resolver.resolve(path, r.scope, callee[1], r.at) if callee[1] else None
        if base is not None and base.binding is not None and base.binding.kind == "param":
            return "untyped parameter"
        return (
            "result of an outside call"
            if _from_outside(resolver, path, r.scope, callee[1], r.at, 0)
            else "unknown receiver"
        )
    if isinstance(owner, (Module, Namespace)):
        return "not in module"
    if isinstance(owner, (Def, Instance, Object)):
        return "no such member"
    return "unknown receiver" if not isinstance(owner, Listed) else "no such member"


def _from_outside(resolver: Resolver, path: str, scope: int, expr: Expr | None, at: int, depth: int) -> bool:
    """Return whether a receiver comes from external code: its type is unknown, and rarely one of the tree."""
    if not expr or depth > 12:
        return False
    found = resolver.resolve(path, scope, expr, at) if expr[0] in ("name", "attr", "new", "cast") else None
    if found is not None:
        entity = resolver.entity(found)
        if isinstance(entity, External) or (isinstance(entity, Instance) and isinstance(entity.of, External)):
            return True
        if found.binding is not None and found.binding.value is not None:
            return _from_outside(
                resolver, found.path, found.scope, found.binding.value, found.binding.at - 1, depth + 1
            )
        return False
    inner = expr[1] if len(expr) > 1 and isinstance(expr[1], tuple) and expr[0] != "tuple" else None
    return _from_outside(resolver, path, scope, inner, at, depth + 1)
