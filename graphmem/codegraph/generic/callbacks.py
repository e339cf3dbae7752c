"""Reads what functions get that are written as an argument, or as the value of something with a declared type. The linker
finds in `handed` what that is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import contexts, targets
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.summary import Binding, Expr

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.reader import Reader

_LISTS_OF_PARAMETERS = ("formal_parameters", "inferred_parameters", "parameter_list", "required_parameter", "lambda_parameters",
                        "closure_parameters", "lambda_function_type_parameters")  # fmt: skip
ARGUMENTS = frozenset({"argument_list", "arguments", "value_arguments"})
AROUND = frozenset({"argument", "value_argument", "annotated_lambda", "call_suffix", "constructor_suffix"})
_PARAMETERS = frozenset({"lambda_parameters", "lambda_function_type"})
TASK: Expr = ("name", "Task")  # what a function literal of C# gives
NOTHING: Expr = ("name", "void")
_RETURNS = re.compile(r"\breturn\b\s*[^\s;]")
_DECLARED = frozenset({"variable_declarator", "property_declaration", "assignment", "let_declaration"})
_OF_THE_WHOLE = frozenset(
    {"reduce", "reduceRight", "Aggregate", "then", "catch", "finally", "fold"}
)  # not of one element


def handed(reader: Reader, name_node: Node) -> Expr | None:
    """Return what a parameter is of a function that is written as an argument."""
    function, place = name_node.parent, 0
    if function is not None and function.type == "variable_declaration":  # Kotlin: `{ x -> ... }`
        name_node, function = function, function.parent
    if function is not None and function.type in (
        "lambda_parameter",
        "parameter",
    ):  # Swift: `{ x in ... }`; C#: `(x, y) => ...`
        name_node, function = function, function.parent
    if function is not None and function.type in _LISTS_OF_PARAMETERS:
        place = [child.id for child in function.named_children].index(name_node.id)
        if function.type == "required_parameter" and function.parent is not None:  # TypeScript: within a list
            place, function = [child.id for child in function.parent.named_children].index(function.id), function.parent
        function = function.parent
    if function is not None and function.type == "lambda_function_type":
        function = function.parent
    if function is not None and reader.language.contextual:
        return _by_context(reader, function, place, name_node)
    if function is None or function.type not in reader.language.lower.get("function", ()):
        return None
    return _given(reader, function, place, _count(name_node))


def _by_context(reader: Reader, function: Node, place: int, name_node: Node) -> Expr | None:
    """TypeScript: return what a parameter is by the declared type of the place of its function."""
    if not contexts.is_literal(function):
        return None
    declared = contexts.parameter(reader.lower, function, place)
    if function.parent is None or function.parent.type != "arguments" or not declared:
        return declared
    given = [child.id for child in function.parent.named_children if not child.is_extra]
    by_library = _passed_by_library(declared[1][1][1], given.index(function.id), place)
    return ("or", declared, by_library) if by_library else declared


def bind_implicit(reader: Reader, function: Node) -> None:
    """Bind the name that a function without parameters has for the only one: `it` in Kotlin."""
    if reader.language.partial:
        _describe_result(reader, function)
    name = reader.language.implicit_parameter
    if not name:
        return
    receiver = _receiver(reader, function)
    if receiver is not None:
        reader.current().bases.append(("receiver", receiver))
    elif not any(child.type in _PARAMETERS for child in function.named_children):
        value = _given(reader, function, 0, 1)
        if value is not None:
            reader.bind(reader.stack[-1], name, Binding("param", function.start_byte, value=value))


def _receiver(reader: Reader, function: Node) -> Expr | None:
    """Return whose members the bare names in a function are: `x.apply { ... }`, `with(x) { ... }`."""
    around = function.parent
    call = reader.lower.expr(around.parent) if around is not None and around.type == "annotated_lambda" else None
    callee = call[1] if call and call[0] == "call" else None
    if not call or not callee:
        return None
    if callee == ("name", "with"):
        return call[2][0] if len(call[2]) > 1 else None
    return callee[1] if callee[0] == "attr" and callee[2] in ("apply", "run") else None


def _count(parameter: Node) -> int:
    """Return how many parameters are written beside it, itself included."""
    around = parameter.parent
    return around.named_child_count if around is not None and around.type in _LISTS_OF_PARAMETERS else 1


def _given(reader: Reader, function: Node, place: int, count: int) -> Expr | None:
    around = function.parent
    if around is not None and around.type in _DECLARED and not reader.language.value_flow:
        return _declared(reader, around, place)
    argument = function
    while around is not None and around.type in AROUND:
        argument, around = around, around.parent
    if around is None:
        return None
    if "implied" in reader.language.lower and around.type not in ARGUMENTS:
        type_ = targets.expected(reader.lower, function, 0)
        return ("accepts", type_, place) if type_ else None
    behind = around.type not in ARGUMENTS
    call = around if behind else around.parent
    if call is not None and call.type in AROUND:
        call = call.parent
    expr = reader.lower.expr(call) if call is not None else None
    callee = expr[1] if expr and expr[0] in ("call", "new") else None
    if not expr or not callee:
        return None
    given = [child.id for child in around.named_children if not child.is_extra]
    number = len(expr[2]) - 1 if behind else given.index(argument.id) if argument.id in given else 0
    declared = ("handed", (expr[0], callee, ()), max(number, 0), place, count)
    if reader.language.value_flow:
        by_library = _passed_by_library(callee, number, place)
        return ("or", declared, by_library) if by_library else declared
    if callee[0] == "attr" and callee[2] in _OF_THE_WHOLE:
        return None
    return declared


def _passed_by_library(callee: Expr, number: int, place: int) -> Expr | None:
    """Return what a method of JavaScript passes to the function that is its argument of that number: an element, or the value
    of a promise."""
    if callee[0] != "attr" or place:
        return None
    if callee[2] == "then":
        return None if number else callee[1]
    return ("index", callee[1]) if callee[2] not in _OF_THE_WHOLE else None


def _declared(reader: Reader, around: Node, place: int) -> Expr | None:
    """Return a parameter of a function by the type of the variable that it is the value of."""
    owner = around if around.type == "let_declaration" else around.parent
    type_ = reader.lower.expr(owner.child_by_field_name("type")) if owner is not None else None
    return ("accepts", type_, place) if type_ else None


def _describe_result(reader: Reader, node: Node) -> None:
    """C#: note of a function literal that it is asynchronous or gives nothing back, as far as its text says so."""
    body = node.child_by_field_name("body")
    if any(child.type == "modifier" and text_of(child) == "async" for child in node.children):
        reader.current().returns = TASK
    elif body is not None and body.type == "block" and not _RETURNS.search(text_of(body)):
        reader.current().returns = NOTHING
