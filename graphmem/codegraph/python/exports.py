"""`__all__`, as far as it is written out in the source."""

from __future__ import annotations

import ast


def written_exports(tree: ast.AST) -> tuple[str, ...] | None:
    """Return the names that a module exports by `__all__`; None if it has none or computes it."""
    names: list[str] | None = None
    for node in getattr(tree, "body", ()):
        value = _assigned_exports(node)
        if value is None:
            continue
        written = _strings(value)
        if written is None:
            return None
        fresh = isinstance(node, ast.Assign | ast.AnnAssign)
        names = written if fresh or names is None else names + written
    return None if names is None else tuple(dict.fromkeys(names))


def _assigned_exports(node: ast.stmt) -> ast.expr | None:
    """Return the value that a statement assigns or adds to `__all__`."""
    if isinstance(node, ast.Assign) and any(_is_all(t) for t in node.targets):
        return node.value
    if isinstance(node, ast.AnnAssign | ast.AugAssign) and _is_all(node.target):
        return node.value
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        call = node.value
        if _is_all(node.value.func.value) and len(call.args) == 1:
            return ast.List([call.args[0]]) if node.value.func.attr == "append" else call.args[0]
    return None


def _is_all(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "__all__"


def _strings(node: ast.expr) -> list[str] | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _strings(node.left), _strings(node.right)
        return None if left is None or right is None else left + right
    if not isinstance(node, ast.List | ast.Tuple | ast.Set):
        return None
    written = [e.value for e in node.elts if isinstance(e, ast.Constant)]
    strings = [v for v in written if isinstance(v, str)]
    return strings if len(strings) == len(node.elts) else None
