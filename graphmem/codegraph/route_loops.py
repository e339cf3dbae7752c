"""Python routes registered in a loop: each element of a literal table gives values to the loop variables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

Bindings = dict[str, "Node"]
Match = dict[str, list["Node"]]
_SERIES = frozenset({"tuple", "list", "set"})
_MOST = 200  # routes of one loop
_OPENING = re.compile(r"[rRbBfFuU]{0,2}(\"\"\"|'''|\"|')")
_TAKEN_IN = re.compile(r"\{(\w+)\}")


def expand_loops(found: Match) -> list[tuple[Match, str]]:
    """Return the matches that a match inside loops over literal tables stands for, each with its path; parts known only
    at run time are in braces."""
    place = found["path"][0] if "path" in found else found["handler"][0]
    each = []
    for bound in _bindings(place):
        inner: Match = {name: [_value(found[name][0], bound)] for name in ("path", "handler") if name in found}
        each.append(({**found, **inner}, _path(inner["path"][0], bound) if "path" in inner else ""))
    return each


def _path(node: Node, bound: Bindings) -> str:
    text = _text(node)
    opening = _OPENING.match(text)
    if node.type != "string" or opening is None:
        return f"{{{text}}}"
    inner = text[opening.end() : -len(opening[1])]
    return _TAKEN_IN.sub(lambda m: _path(bound[m[1]], {}) if m[1] in bound else m[0], inner)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _value(node: Node, bound: Bindings) -> Node:
    return bound.get(_text(node), node)


def _bindings(node: Node) -> list[Bindings]:
    """Return the values of the loop variables around a node, per iteration."""
    rounds: list[Bindings] = [{}]
    around = node.parent
    while around is not None:
        if around.type == "for_statement":
            rounds = [{**inner, **outer} for outer in _rounds(around) for inner in rounds][:_MOST]
        around = around.parent
    return rounds


def _rounds(loop: Node) -> list[Bindings]:
    left, right = loop.child_by_field_name("left"), loop.child_by_field_name("right")
    series = _series(right) if right is not None else None
    if left is None or series is None:
        return [{}]
    names = [left] if left.type == "identifier" else left.named_children
    found = []
    for element in series:
        values = [element] if left.type == "identifier" else element.named_children
        if len(values) != len(names):
            return [{}]
        found.append({_text(name): value for name, value in zip(names, values, strict=True)})
    return found or [{}]


def _series(node: Node) -> list[Node] | None:
    """Return the elements of a literal table, in place or assigned once at the top of the file; for a dict, its pairs."""
    if node.type == "call":
        function = node.child_by_field_name("function")
        owner = function.child_by_field_name("object") if function is not None else None
        is_items = function is not None and _text(function).endswith(".items")
        return _series(owner) if is_items and owner is not None else None
    if node.type == "identifier":
        assigned = _assigned(node)
        return _series(assigned) if assigned is not None and assigned.type != "identifier" else None
    if node.type == "dictionary":
        return [child for child in node.named_children if child.type == "pair"]
    return node.named_children if node.type in _SERIES else None


def _assigned(name: Node) -> Node | None:
    """Return the value of the only assignment to a name at the top of the file."""
    top = name
    while top.parent is not None:
        top = top.parent
    statements = [
        s.named_children[0] for s in top.named_children if s.type == "expression_statement" and s.named_children
    ]
    values = [
        s.child_by_field_name("right")
        for s in statements
        if s.type == "assignment" and (left := s.child_by_field_name("left")) is not None and left.text == name.text
    ]
    return values[0] if len(values) == 1 else None
