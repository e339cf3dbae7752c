"""Reads where a function literal stands, so that the linker can find what its parameters are: TypeScript types them by the
declared type of that place. `contextual` evaluates what this returns.

    ("said", type)                 a type that is written
    ("argument", call, n)          what a call takes for its argument n
    ("member", place, name)        a member of an object literal
    ("element", place)             an element of a list
    ("result", place)              what a function returns that stands at a place itself
    ("declared", expr)             what is assigned to
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.lower import Lowerer

_DEPTH = 12  # literals within literals
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function_declaration",
                        "generator_function_declaration", "method_definition"})  # fmt: skip
_TYPED = frozenset({"variable_declarator", "public_field_definition", "required_parameter", "optional_parameter"})
_SAID = frozenset({"satisfies_expression", "as_expression"})
_SAME = frozenset({"parenthesized_expression", "ternary_expression", "await_expression"})
_ONE_OF = frozenset({"||", "??", "&&"})


def parameter(low: Lowerer, function: Node, n: int) -> Expr | None:
    """Return what parameter n of a function literal is: ("context", place, n). None where its place says nothing."""
    place = _place(low, function, 0)
    return ("context", place, n) if place else None


def written_type(low: Lowerer, literal: Node) -> Expr | None:
    """Return the type that is written for an object literal: of its variable, otherwise behind `as` or `satisfies`."""
    around, said = literal.parent, None
    while around is not None and around.type in (*_SAID, "parenthesized_expression"):
        said = said or _said_behind(around)
        around = around.parent
    declared = around.child_by_field_name("type") if around is not None and around.type in _TYPED else None
    return low.expr(declared or said)


def is_literal(function: Node) -> bool:
    """Return whether a function is an expression, or a method of an object literal."""
    if function.type == "method_definition":
        return function.parent is not None and function.parent.type == "object"
    return function.type in _FUNCTIONS and not function.type.endswith("_declaration")


def _place(low: Lowerer, node: Node, depth: int) -> Expr | None:
    around = node.parent
    if around is None or depth > _DEPTH:
        return None
    kind = around.type
    if kind == "arguments":
        return _argument(low, node, around)
    if kind in _TYPED:
        return _said(low, around.child_by_field_name("type"))
    if kind in _SAID:
        return _said(low, _said_behind(around))
    if kind in _SAME:
        return _place(low, around, depth + 1)
    if kind == "binary_expression":
        operator = around.child_by_field_name("operator")
        return _place(low, around, depth + 1) if operator is not None and operator.type in _ONE_OF else None
    if kind == "assignment_expression":
        left = low.expr(around.child_by_field_name("left"))
        return ("declared", left) if left and node == around.child_by_field_name("right") else None
    if kind == "pair":
        return _member(low, around.child_by_field_name("key"), around.parent, depth)
    if kind == "object" and node.type == "method_definition":
        return _member(low, node.child_by_field_name("name"), around, depth)
    if kind == "array":
        whole = _place(low, around, depth + 1)
        return ("element", whole) if whole else None
    if kind == "return_statement":
        return _returned(low, around, depth)
    if kind == "arrow_function":
        return _result(low, around, depth) if node == around.child_by_field_name("body") else None
    if kind == "jsx_expression":
        return _property(low, around)
    return None


def _said(low: Lowerer, type_: Node | None) -> Expr | None:
    said = low.expr(type_)
    return ("said", said) if said else None


def _said_behind(expression: Node) -> Node | None:
    """Return the type behind `as` or `satisfies`; None for `as const`."""
    is_typed = expression.type in _SAID and expression.named_child_count > 1
    return expression.named_child(1) if is_typed else None


def _argument(low: Lowerer, node: Node, arguments: Node) -> Expr | None:
    call = low.expr(arguments.parent)
    if not call or call[0] not in ("call", "new") or not call[1]:
        return None
    given = [child.id for child in arguments.named_children if not child.is_extra]
    return ("argument", call, given.index(node.id)) if node.id in given else None


def _member(low: Lowerer, key: Node | None, literal: Node | None, depth: int) -> Expr | None:
    if key is None or literal is None or key.type not in ("property_identifier", "string"):
        return None
    whole = _place(low, literal, depth + 1)
    name = text_of(key).strip("\"'")
    low.names.add(name)
    return ("member", whole, name) if whole else None


def _returned(low: Lowerer, statement: Node, depth: int) -> Expr | None:
    function = statement.parent
    while function is not None and function.type not in _FUNCTIONS:
        function = function.parent
    return _result(low, function, depth) if function is not None else None


def _result(low: Lowerer, function: Node, depth: int) -> Expr | None:
    declared = function.child_by_field_name("return_type")
    if declared is not None:
        return _said(low, declared)
    place = _place(low, function, depth + 1) if is_literal(function) else None
    return ("result", place) if place else None


def _property(low: Lowerer, value: Node) -> Expr | None:
    """Return the place of a property of a component: `<Button onPress={...}>`."""
    attribute = value.parent
    element = attribute.parent if attribute is not None and attribute.type == "jsx_attribute" else None
    named = attribute.named_child(0) if attribute is not None else None
    if element is None or named is None:
        return None
    component = low.expr(element.child_by_field_name("name"))
    if not component or (component[0] == "name" and component[1][:1].islower()):
        return None
    name = text_of(named)
    low.names.add(name)
    return ("member", ("argument", ("call", component, ()), 0), name)
