"""Reads the path of a request where it is no plain text: formatted, the name of a route (`reverse("orders")`), or a variable that
the file assigns: `self.url = "/orders/"` in the set-up of a test, `url = f"/orders/{id}/"` in the test itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES = frozenset({"reverse", "reverse_lazy", "resolve_url", "url_for"})  # Django and Flask
_VARIABLES = frozenset({"identifier", "attribute", "member_expression", "instance_variable"})
UNWRITTEN = _VARIABLES | {"call"}  # expressions that may be anything but a path
_CLASSES = frozenset({"class_definition", "class_declaration", "class"})
_FUNCTIONS = re.compile(r"function|method|lambda|closure|do_block")
_OF_OBJECT = re.compile(r"self\.|this\.|@")
_DEPTH = 4  # variables of variables
_MOST = 3  # paths that one variable may keep


class Written(NamedTuple):
    """An expression that may be a path: its source text, the type of its node, where it begins, and the name of the route that
    it asks for, "" if none."""

    text: str
    kind: str
    at: int
    name: str


def written_paths(node: Node, assigned: Assignments) -> Iterator[Written]:
    """Yield the texts that a path may be; of a variable what is assigned to it."""
    yield from _written(node, assigned, _DEPTH)


def _route_name(node: Node) -> str:
    """Return the name of the route of which a call makes the path, without its namespace; "" if it is no such call."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if node.type != "call" or function is None or arguments is None or not arguments.named_child_count:
        return ""
    first = arguments.named_children[0]
    is_name = _text(function).rpartition(".")[2] in _NAMES and first.type == "string"
    return re.split(r"[:.]", _text(first).strip("\"'"))[-1] if is_name else ""


class Assignments:
    """What the variables of one file are assigned that may keep a path."""

    def __init__(self) -> None:
        self._values: dict[str, list[Node]] = {}

    def add(self, variable: Node, value: Node) -> None:
        """Record an assignment; they come in the order of the file."""
        self._values.setdefault(_text(variable), []).append(value)

    def values(self, use: Node) -> list[Node]:
        """Return what a variable may be where it is used: the last assignment before in the innermost function around that has
        one; a member what a method of the class assigns."""
        name = _text(use)
        values = self._values.get(name, [])
        if _OF_OBJECT.match(name):
            owner = _around(use, _is_class)
            own = [value for value in values if _around(value, _is_class) == owner]
            here = [value for value in own if _around(value) == _around(use) and value.start_byte < use.start_byte]
            return here[-1:] or own[:_MOST]
        scope: Node | None = use
        while scope is not None and values:
            scope = _around(scope)
            inside = [value for value in values if _around(value) == scope]
            before = [value for value in inside if scope is None or value.start_byte < use.start_byte]
            if before:
                return before[-1:]
        return []


def _written(node: Node, assigned: Assignments, depth: int) -> Iterator[Written]:
    if node.type in _VARIABLES:
        for value in assigned.values(node) if depth else ():
            yield from _written(value, assigned, depth - 1)
        return
    operator, left = node.child_by_field_name("operator"), node.child_by_field_name("left")
    if left is not None and operator is not None and operator.type == "%":  # "/orders/%s/" % code
        node = left
    elif left is not None and left.type in _VARIABLES and depth:  # self.url + "/items"
        rest = node.text[left.end_byte - node.start_byte :].decode("utf-8", "replace") if node.text else ""
        starts = list(_written(left, assigned, depth - 1))
        yield from (one._replace(text=one.text + rest, kind=node.type) for one in starts)
        if starts:
            return
    function = node.child_by_field_name("function") if node.type == "call" else None
    if function is not None and _text(function).endswith(".format"):  # "/orders/{}/".format(code)
        node = function.child_by_field_name("object") or node
    yield Written(_text(node), node.type, node.start_byte, _route_name(node))


def _is_class(node: Node) -> bool:
    return node.type in _CLASSES


def _is_function(node: Node) -> bool:
    return _FUNCTIONS.search(node.type) is not None


def _around(node: Node, wanted: Callable[[Node], bool] = _is_function) -> Node | None:
    """Return the innermost function, or what else is wanted, around a node."""
    around = node.parent
    while around is not None and not wanted(around):
        around = around.parent
    return around


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
