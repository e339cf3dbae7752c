"""Python routes registered in a loop: each element of a literal table gives values to the loop variables."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from graphmem.codegraph.route_tables import Bindings, Statements, Tables, Value, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

Match = dict[str, list["Node"]]
_MOST = 200  # routes of one loop


class Registration(NamedTuple):
    """One round of a loop that registers a route: its path, its methods if they are known, and the definition of its
    handler if the loop gives one."""

    path: str
    methods: tuple[str, ...] = ()
    handler: Value | None = None


def expand_loops(found: Match, file: str, statements: Statements, tables: Tables) -> list[Registration]:
    """Return the routes that a match inside loops over literal tables stands for; parts of a path known only at run time
    are in braces."""
    place = found["path"][0] if "path" in found else found["handler"][0]
    each = []
    for bound in _bindings(place, file, statements, tables):
        path = tables.string(Value(found["path"][0], file), bound) if "path" in found else ""
        handler = tables.function(Value(found["handler"][0], file), bound) if bound and "handler" in found else None
        each.append(Registration(path, _methods(found, file, tables, bound), handler))
    return each


def _methods(found: Match, file: str, tables: Tables, bound: Bindings) -> tuple[str, ...]:
    """Return the methods of a route in a loop, if all are known."""
    for given in found["options"][0].named_children if bound and "options" in found else ():
        value = given.child_by_field_name("value")
        if given.type == "keyword_argument" and text_of(given.child_by_field_name("name")) == "methods" and value:
            named = [tables.evaluate(each, bound) for each in tables.series(Value(value, file), bound) or ()]
            if all(isinstance(each, str) for each in named):
                return tuple(str(each).upper() for each in named)
    return ()


def _bindings(node: Node, file: str, statements: Statements, tables: Tables) -> list[Bindings]:
    """Return the values of the loop variables around a node, per round that runs it."""
    loops, conditions = list[Value](), list[tuple[Value, bool]]()
    for outer in statements.around(node.start_byte):
        if outer.type in ("function_definition", "class_definition"):
            break
        if outer.type == "for_statement":
            loops.append(Value(outer, file))
        condition, then = outer.child_by_field_name("condition"), outer.child_by_field_name("consequence")
        if loops == [] and condition is not None and then is not None and not _contains(condition, node):
            conditions.append((Value(condition, file), _contains(then, node)))
    rounds: list[Bindings] = [{}]
    for loop in reversed(loops):
        together = ({**before, **each} for before in rounds for each in _rounds(loop, before, tables))
        rounds = list(islice(together, _MOST))
    return [bound for bound in rounds if all(tables.evaluate(c, bound) in (holds, None) for c, holds in conditions)]


def _contains(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _rounds(loop: Value, bound: Bindings, tables: Tables) -> list[Bindings]:
    left, right = loop.node.child_by_field_name("left"), loop.node.child_by_field_name("right")
    series = tables.series(Value(right, loop.file), bound) if right is not None else None
    if left is None or series is None:
        return [{}]
    names = [left] if left.type == "identifier" else left.named_children
    found = []
    for element in series[:_MOST]:
        values = [element.node] if left.type == "identifier" else element.node.named_children
        if len(values) != len(names) or not tables.spend(len(names)):
            return [{}]
        found.append({text_of(name): Value(value, element.file) for name, value in zip(names, values, strict=True)})
    return found or [{}]
