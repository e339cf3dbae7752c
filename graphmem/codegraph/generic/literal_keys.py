"""Finds the object whose field a key of a literal or a named argument sets: `Session{ID: x}` in Go, `Point { x }` in Rust,
`{.x = 1}` in C, `new Point { X = 1 }` in C#, `const p: Point = {x: 1}` in TypeScript, `Point(x = 1)` in Kotlin and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from graphmem.codegraph.generic.lower import Lowerer, text_of
from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from tree_sitter import Node

_DEPTH = 40  # a literal nested deeper than this is generated code
_CALLS = frozenset({"call_expression", "instance_expression", "object_creation_expression"})
_COPIES = frozenset({"copy", "with"})  # methods that make an object with some fields changed
_RETURNING = frozenset({"function_declaration", "function_expression", "arrow_function", "method_definition",
                        "generator_function_declaration"})  # fmt: skip
_AROUND = frozenset({"parenthesized_expression", "ternary_expression", "return_statement", "statement_block",
                     "if_statement", "else_clause", "try_statement", "for_statement", "for_in_statement",
                     "while_statement", "switch_statement", "switch_body", "switch_case", "switch_default",
                     "catch_clause"})  # fmt: skip


def field_of_key(low: Lowerer, key: Node) -> Expr | None:
    """Return the field that a key stands for, as an attribute of what the literal makes; None if the type of that is not
    written, or if the keys of the literal are values, as in a map."""
    owner = _owner(low, key)
    if owner is None or _element(owner)[0] == "cast":
        return None
    name = text_of(key)
    low.names.add(name)
    return ("attr", owner, name)


def _owner(low: Lowerer, key: Node) -> Expr | None:
    at = key.parent
    handler = _HOLDERS.get(at.type) if at is not None else None
    return handler(low, at) if handler is not None and at is not None else None


def _made(type_: Expr | None) -> Expr | None:
    """Return an object of a type."""
    return ("cast", type_) if type_ else None


def _element(owner: Expr) -> Expr:
    """Return an element of a container; of one whose type is written that is ("cast", type)."""
    if owner[0] == "cast" and owner[1][0] == "list":
        return ("cast", owner[1][1])
    return ("index", owner)


def _element_of(owner: Expr | None) -> Expr | None:
    return _element(owner) if owner is not None else None


def _of_go(low: Lowerer, element: Node, depth: int = 0) -> Expr | None:
    """Return what the composite literal around an element makes; its type may be left out within another literal."""
    literal = element.parent
    while literal is not None and literal.type in ("literal_element", "keyed_element"):
        literal = literal.parent
    at = literal.parent if literal is not None else None
    if at is None or depth > _DEPTH:
        return None
    if at.type == "composite_literal":
        return _made(low.expr(at.child_by_field_name("type")))
    return _element_of(_of_go(low, at, depth + 1)) if at.type == "literal_element" else None


def _of_rust(low: Lowerer, initializer: Node) -> Expr | None:
    struct = initializer.parent.parent if initializer.parent is not None else None
    return _made(low.expr(struct.child_by_field_name("name"))) if struct is not None else None


def _of_designator(low: Lowerer, designator: Node) -> Expr | None:
    """C and C++: return what has the field of a designator (`.x = 1`, `.in.x = 1`, `[2].x = 1`)."""
    pair = designator.parent
    return _designated(low, pair, designator, 0) if pair is not None and pair.type == "initializer_pair" else None


def _designated(low: Lowerer, pair: Node, until: Node | None, depth: int) -> Expr | None:
    """Return what the designators of a pair lead to, all of them or those before one."""
    owner = _of_list(low, pair.parent, depth + 1) if pair.parent is not None else None
    for each in pair.children_by_field_name("designator"):
        if owner is None or each == until:
            break
        inner = _first(each)
        is_field = each.type == "field_designator" and inner is not None
        owner = ("attr", owner, text_of(inner)) if is_field and inner is not None else _element(owner)
    return owner


def _of_list(low: Lowerer, values: Node, depth: int) -> Expr | None:
    at = values.parent
    if at is None or depth > _DEPTH:
        return None
    if at.type == "initializer_list":
        return _element_of(_of_list(low, at, depth + 1))
    if at.type == "initializer_pair":
        return _designated(low, at, None, depth)
    declarator = at.child_by_field_name("declarator")
    holder = at.parent if at.type == "init_declarator" else at
    type_ = low.expr(holder.child_by_field_name("type")) if holder is not None else None
    if declarator is not None and declarator.type == "array_declarator":
        return _made(("list", type_)) if type_ else None
    return _made(type_) if at.type in ("init_declarator", "compound_literal_expression") else None


def _of_assignment(low: Lowerer, assignment: Node) -> Expr | None:
    """C#: return what an object initialiser fills; Scala: what a call with a named argument makes."""
    around = assignment.parent
    if around is None or around.type == "arguments":
        return _of_argument(low, assignment)
    at = around.parent if around.type == "initializer_expression" else None
    if at is None:
        return None
    if at.type == "assignment_expression":  # `In = { X = 1 }`
        left = at.child_by_field_name("left")
        return field_of_key(low, left) if left is not None and left.type == "identifier" else None
    made = low.expr(at) if at.type in ("object_creation_expression", "implicit_object_creation_expression") else None
    return _made(made[1]) if made is not None and made[0] == "new" else None


def _of_with(low: Lowerer, initializer: Node) -> Expr | None:
    """C#: return what `record with { X = 1 }` copies."""
    at = initializer.parent
    return low.expr(_first(at)) if at is not None else None


def _of_argument(low: Lowerer, argument: Node) -> Expr | None:
    """Return what a call makes whose argument has a name: an object of the class that is called, or a copy of the receiver."""
    call = argument.parent
    while call is not None and call.type not in _CALLS:
        call = call.parent if call.type in ("arguments", "value_arguments", "call_suffix") else None
    callee = low.expr(_first(call)) if call is not None else None
    if callee is None or callee[0] not in ("name", "attr", "gen"):
        return None
    named = callee[1] if callee[0] == "gen" else callee
    last = named[2] if named[0] == "attr" else named[1]
    if named[0] == "attr" and last in _COPIES:
        return named[1] if named[1] else None
    return _made(callee) if isinstance(last, str) and last[:1].isupper() else None  # a function has other parameters


def _first(node: Node) -> Node | None:
    """Return the first named child of a node, which may have none where the source is broken."""
    return node.named_child(0) if node.named_child_count else None


def _of_label(low: Lowerer, label: Node) -> Expr | None:
    return _of_argument(low, label.parent) if label.parent is not None else None


def _of_pair(low: Lowerer, pair: Node) -> Expr | None:
    return _of_object(low, pair.parent, 0) if pair.parent is not None else None


def _of_object(low: Lowerer, value: Node, depth: int) -> Expr | None:
    """TypeScript: return what the place of a literal expects: a variable, a field, a parameter or a result with a type."""
    at, returned = value.parent, False
    while at is not None and at.type in _AROUND:
        if at.type == "statement_block" and not returned:
            return None
        returned = returned or at.type == "return_statement"
        value, at = at, at.parent
    if at is None or depth > _DEPTH:
        return None
    if at.type in ("as_expression", "satisfies_expression"):
        types = at.named_children[1:]  # none in `as const`
        return _made(low.expr(types[0])) if types else _of_object(low, at, depth + 1)
    if at.type == "array":
        return _element_of(_of_object(low, at, depth + 1))
    if at.type == "pair":
        key, outer = at.child_by_field_name("key"), _of_object(low, at.parent, depth + 1) if at.parent else None
        is_plain = key is not None and key.type == "property_identifier"
        return ("attr", outer, text_of(key)) if outer is not None and key is not None and is_plain else None
    if at.type in _RETURNING:
        return _made(_awaited(low.expr(at.child_by_field_name("return_type"))))
    if at.type == "assignment_expression":
        return low.expr(at.child_by_field_name("left"))
    if at.type == "arguments" and at.parent is not None:
        return _of_parameter(low, at, value)
    return _made(low.expr(at.child_by_field_name("type")))


def _of_parameter(low: Lowerer, arguments: Node, value: Node) -> Expr | None:
    """Return what the parameter takes for which a value is given."""
    call = arguments.parent
    is_call = call is not None and call.type == "call_expression"
    callee = low.expr(call.child_by_field_name("function")) if call is not None and is_call else None
    if callee is None or callee[0] not in ("name", "attr"):
        return None
    given = [child.id for child in arguments.named_children if not child.is_extra]
    return ("expected", ("call", callee, ()), given.index(value.id), "", len(given)) if value.id in given else None


def _awaited(type_: Expr | None) -> Expr | None:
    """Return what a promise holds."""
    waits = type_ is not None and type_[0] == "gen" and type_[1][:2] == ("name", "Promise")
    return type_[2][0] if type_ is not None and waits and type_[2] else type_


_HOLDERS: dict[str, Callable[[Lowerer, Node], Expr | None]] = {
    "literal_element": _of_go,
    "field_initializer": _of_rust,
    "shorthand_field_initializer": _of_rust,
    "field_designator": _of_designator,
    "assignment_expression": _of_assignment,
    "with_initializer": _of_with,
    "value_argument": _of_argument,
    "value_argument_label": _of_label,
    "argument": _of_argument,
    "pair": _of_pair,
    "object": lambda low, held: _of_object(low, held, 0),
}
