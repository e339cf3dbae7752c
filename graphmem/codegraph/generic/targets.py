"""C#: the types that a place expects, where the source leaves them out: `Store kept = new(1);`, `Find(out var found)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from tree_sitter import Node


class Lowers(Protocol):
    """Reads an expression, or a type."""

    def expr(self, node: Node | None, depth: int = 0) -> Expr | None:
        """Return the expression of a node."""


_PASSED = frozenset({"parenthesized_expression", "conditional_expression", "switch_expression_arm", "switch_expression",
                     "arrow_expression_clause", "return_statement", "block", "if_statement", "else_clause", "try_statement",
                     "using_statement", "lock_statement", "foreach_statement", "for_statement", "while_statement",
                     "switch_statement", "switch_body", "switch_section", "catch_clause", "checked_statement"})  # fmt: skip
_STATEMENTS = frozenset({"return_statement", "arrow_expression_clause"})  # what the function around them gives back
_FUNCTIONS = frozenset({"method_declaration", "local_function_statement"})
_TYPED = frozenset(
    {"property_declaration", "indexer_declaration", "operator_declaration", "conversion_operator_declaration"}
)
_COALESCE = frozenset({"??", "??="})


def expected(low: Lowers, node: Node, depth: int) -> Expr | None:
    """Return the type of the place where an expression stands: of the variable or member that it is assigned to, of the
    function that returns it, or of the parameter that it is given for. None if that is not written."""
    inner, at, returned = node, node.parent, False
    while at is not None and at.type in _PASSED:
        if at.type == "block" and not returned:
            return None  # a statement of its own has no value
        returned = returned or at.type in _STATEMENTS
        inner, at = at, at.parent
    if at is None:
        return None
    if returned and at.type in _FUNCTIONS:
        field = "returns" if at.type == "method_declaration" else "type"
        return _awaited(low, low.expr(at.child_by_field_name(field), depth))
    if at.type in _TYPED:
        return low.expr(at.child_by_field_name("type"), depth)
    if returned:
        return _of_accessor(low, at, depth)
    return _of_value(low, at, inner, depth)


def _of_value(low: Lowers, at: Node, inner: Node, depth: int) -> Expr | None:
    """Return the type of what an expression is the value of."""
    if at.type == "variable_declarator" and at.parent is not None:
        type_ = at.parent.child_by_field_name("type")
        return low.expr(type_, depth) if type_ is not None and type_.type != "implicit_type" else None
    if at.type == "assignment_expression":
        return None if inner == at.child_by_field_name("left") else low.expr(at.child_by_field_name("left"), depth)
    if at.type == "binary_expression":
        operator = at.child_by_field_name("operator")
        left = at.child_by_field_name("left")
        return low.expr(left, depth) if operator is not None and operator.type in _COALESCE and inner != left else None
    if at.type == "argument":
        return of_argument(low, at, depth)
    if at.type == "initializer_expression" and at.parent is not None:
        made = low.expr(at.parent.child_by_field_name("type"), depth)
        return made[1] if made and made[0] == "list" else ("index", ("cast", made)) if made else None
    return None


def of_argument(low: Lowers, argument: Node, depth: int) -> Expr | None:
    """Return the type of the parameter that an argument is given for: ("expected", call, place, its name or "")."""
    given = argument.parent
    call = given.parent if given is not None and given.type == "argument_list" else None
    if given is None or call is None:
        return None
    callee = _called(low, call, depth)
    if callee is None:
        return None
    places = [child.id for child in given.named_children if not child.is_extra]
    label = argument.child_by_field_name("name")
    name = (label.text or b"").decode("utf-8", "replace") if label is not None else ""
    return ("expected", callee, places.index(argument.id), name, len(places))


def _called(low: Lowers, call: Node, depth: int) -> Expr | None:
    """Return a call without its arguments."""
    if call.type == "invocation_expression":
        callee = low.expr(call.child_by_field_name("function"), depth)
        return ("call", callee, ()) if callee else None
    if call.type == "constructor_initializer":
        return ("call", ("super",) if any(child.type == "base" for child in call.children) else ("this",), ())
    type_ = expected(low, call, depth) if call.type == "implicit_object_creation_expression" else None
    type_ = type_ or low.expr(call.child_by_field_name("type"), depth)
    return ("new", type_, ()) if type_ else None


def _of_accessor(low: Lowers, at: Node, depth: int) -> Expr | None:
    """Return the type of the property around a `get`."""
    whole = at.parent.parent if at.type == "accessor_declaration" and at.parent is not None else None
    return low.expr(whole.child_by_field_name("type"), depth) if whole is not None else None


def _awaited(low: Lowers, type_: Expr | None) -> Expr | None:
    """Return what an asynchronous function makes."""
    waits = type_ is not None and type_[0] == "gen" and type_[1] in (("name", "Task"), ("name", "ValueTask"))
    return type_[2][0] if type_ and waits and type_[2] else type_
