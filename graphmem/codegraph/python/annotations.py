"""Annotations as type expressions: ("name", n), ("attribute", base, n), ("index", base, items), ("union", items),
("literal", ((type, value), ...)), ("typevar", n, bound or None) and ("none",). Pure syntax; `types` gives them meaning once
the whole program is known."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from graphmem.codegraph.python.ir import TypeExpr

_NONE: TypeExpr = ("none",)


def type_expression(node: ast.expr | None) -> TypeExpr | None:
    """Return the type expression of an annotation, base class or alias; None if it cannot be a type."""
    if isinstance(node, ast.Name):
        return ("name", node.id)
    if isinstance(node, ast.Attribute):
        base = type_expression(node.value)
        return base and ("attribute", base, node.attr)
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if isinstance(node, ast.Subscript):
        if _last_name(node.value) == "Literal":
            return _literal(node.slice)
        base = type_expression(node.value)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return base and ("index", base, tuple(type_expression(i) or _NONE for i in inner))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return ("union", tuple(type_expression(i) or _NONE for i in (node.left, node.right)))
    if isinstance(node, ast.List | ast.Tuple):
        return ("union", tuple(type_expression(i) or _NONE for i in node.elts))
    return None


def alias_expression(value: ast.expr, annotation: ast.expr | None) -> TypeExpr | None:
    """Return what a variable means as a type: another type, or a type variable."""
    if isinstance(value, ast.Constant):
        return type_expression(value) if annotation is not None and _last_name(annotation) == "TypeAlias" else None
    if not isinstance(value, ast.Call):
        return type_expression(value)
    maker, args = _last_name(value.func), value.args
    if maker == "NewType" and len(args) == 2:
        return type_expression(args[1])
    if maker not in ("TypeVar", "ParamSpec", "TypeVarTuple") or not args or not isinstance(args[0], ast.Constant):
        return None
    bounds = [type_expression(a) for a in (*args[1:], *(k.value for k in value.keywords if k.arg == "bound"))]
    known = tuple(b for b in bounds if b is not None)
    return ("typevar", str(args[0].value), ("union", known) if known else None)


def _last_name(node: ast.expr) -> str:
    """Return the last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _literal(node: ast.expr) -> TypeExpr:
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    constants = [i.value for i in items if isinstance(i, ast.Constant)]
    return ("literal", tuple((type(c).__name__, c) for c in constants if isinstance(c, str | int | bytes)))


def _constant(value: object) -> TypeExpr | None:
    if value is None:
        return _NONE
    if isinstance(value, str) and len(value) < 300:
        try:
            return type_expression(ast.parse(value.strip(), mode="eval").body)
        except (SyntaxError, ValueError):
            return None
    return None


def names_in(node: ast.expr) -> Iterator[tuple[ast.expr, int]]:
    """Yield the names and dotted names in an annotation, including quoted ones, with their lines."""
    stack = [(node, 0)]
    while stack:
        at, line = stack.pop()
        if isinstance(at, ast.Name | ast.Attribute):
            yield at, line or at.lineno
        elif isinstance(at, ast.Constant):
            if isinstance(at.value, str) and 0 < len(at.value) < 300:
                try:
                    quoted = ast.parse(at.value.strip(), mode="eval").body
                except (SyntaxError, ValueError):
                    continue
                stack.append((quoted, line or at.lineno))
        elif isinstance(at, ast.Subscript) and isinstance(at.value, ast.Name) and at.value.id == "Literal":
            yield at.value, line or at.lineno
        elif isinstance(at, ast.expr):
            stack.extend((child, line) for child in ast.iter_child_nodes(at) if isinstance(child, ast.expr))
