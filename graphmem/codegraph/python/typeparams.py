"""The type parameters of `class Box[T]`, `def first[T: Item](...)` and `type Rows[T] = ...`, read from the source itself, so
that every version of the interpreter says the same; and type expressions in which their names stand for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from graphmem.codegraph.python.annotations import type_expression
from graphmem.codegraph.python.ir import TypeExpr

_MOST_LINES = 20
_ANY = re.compile(r"^[ \t]*(?:async[ \t]+def|def|class|type)[ \t]+\w+[ \t]*\[", re.M)
_ONE = re.compile(rb"\s*(?:async\s+def|def|class|type)\s+\w+\s*\[")
_TOKEN = re.compile(r"\[|\]|,|[^\[\],]+")

TypeParams = Mapping[str, TypeExpr]
NONE: TypeParams = {}


def has_type_params(text: str) -> bool:
    """Return whether a text has any type parameters."""
    return _ANY.search(text) is not None


def type_params_at(lines: Sequence[bytes], line: int) -> TypeParams:
    """Return the type parameters of the statement that begins on a line, in order: name -> type variable."""
    head = _ONE.match(lines[line - 1])
    if head is None:
        return NONE
    text = b"\n".join([lines[line - 1][head.end() :], *lines[line : line + _MOST_LINES]]).decode("utf-8", "replace")
    parts, depth = [""], 0
    for token in _TOKEN.findall(text):
        depth += (token == "[") - (token == "]")
        if depth < 0:
            break
        if token == "," and not depth:
            parts.append("")
        else:
            parts[-1] += token
    found = {}
    for part in parts:
        name, _, bound = part.partition("=")[0].partition(":")
        if name := name.strip().lstrip("*"):
            found[name] = ("typevar", name, _bound_type(bound.strip()))
    return found


def _bound_type(text: str) -> TypeExpr | None:
    try:
        return type_expression(ast.parse(text, mode="eval").body) if text else None
    except (SyntaxError, ValueError):
        return None


def annotation_type(node: ast.expr | None, params: TypeParams) -> TypeExpr | None:
    """Return the type expression of an annotation in the scope of these type parameters."""
    found = type_expression(node)
    return substitute_params(found, params) if found and params else found


def substitute_params(expression: TypeExpr, params: TypeParams) -> TypeExpr:
    """Return the expression with names replaced by their type variables."""
    kind = expression[0]
    if kind == "name":
        return params.get(expression[1], expression)
    if kind == "union":
        return ("union", tuple([substitute_params(part, params) for part in expression[1]]))
    if kind == "index":
        items = tuple([substitute_params(part, params) for part in expression[2]])
        return ("index", substitute_params(expression[1], params), items)
    return expression
