"""Names bound by a pattern: `a`, `a, b`, `{ a, b: c }`, `[a, b]`, `Some(x)`, each with its type and value. Works for any
grammar: unknown pattern nodes are searched for identifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARATORS = frozenset({"init_declarator", "pointer_declarator", "reference_declarator", "array_declarator",
                          "function_declarator", "parenthesized_declarator", "attributed_declarator",
                          "structured_binding_declarator"})  # fmt: skip
Bound = tuple[str, "Node", Expr | None, Expr | None]
Lower = Callable[["Node | None"], Expr | None] | None  # reads default values

_SINGLE = frozenset(
    {
        "identifier",
        "type_identifier",
        "simple_identifier",
        "variable_name",
        "constant",
        "instance_variable",
        "class_variable",
        "global_variable",
        "field_identifier",
        "property_identifier",
        "self",
        "private_property_identifier",
        "word",
        "name",
        "package_identifier",
        "implicit_parameter",
    }
)
_SEQUENCE = frozenset(
    {
        "expression_list",
        "tuple_pattern",
        "array_pattern",
        "left_assignment_list",
        "variable_list",
        "multi_variable_declaration",
        "pattern_list",
    }
)
_WRAPPERS = frozenset({"Some", "Ok", "Err"})
_VALUES = frozenset({"type_identifier", "qualified_identifier"})  # what a variable's name is read as among parameters
_KEYED = frozenset({"object_pattern"})
_WRAPPING = frozenset(
    {
        "mut_pattern",
        "ref_pattern",
        "reference_pattern",
        "captured_pattern",
        "assignment_pattern",
        "rest_pattern",
        "parenthesized_expression",
        "variable_declaration",
        "object_assignment_pattern",
        "tuple_struct_pattern",
        "slice_pattern",
        "or_pattern",
        "spread_parameter",
        "pattern",
    }
)


def bound(node: Node, type_: Expr | None, value: Expr | None, lower: Lower = None, depth: int = 0) -> Iterator[Bound]:
    """Yield each (name, its node, type, value) that the pattern binds; with `lower` a default is one of its values."""
    kind = node.type
    if kind in _SINGLE:
        yield text_of(node), node, type_, value
    elif kind == "simple_symbol":  # Ruby: `let(:name) { value }`
        yield text_of(node).lstrip(":"), node, type_, value
    elif kind == "member_expression" and depth:  # JavaScript: `[o.first] = list`
        yield text_of(node), node, type_, value
    elif depth > 8:
        return
    elif kind in _SEQUENCE or (kind == "pattern" and node.named_child_count > 1):
        yield from _sequence(node, type_, value, lower, depth)
    elif kind in _KEYED:
        yield from _keyed(node, type_, value, lower, depth)
    elif kind == "tuple_struct_pattern":
        # Some(x), Ok(x): the value of a wrapper; of any other constructor its fields by their place
        parts = [child for child in node.named_children[1:] if not child.is_extra]
        name = text_of(node.named_children[0]).rpartition("::")[2]
        for place, part in enumerate(parts):
            inner: Expr | None = ("attr", value, f"{name}.{place}") if value else None
            if name in _WRAPPERS:
                inner = value if len(parts) == 1 and name != "Err" else None
            yield from bound(part, None, inner, lower, depth + 1)
    elif kind in ("assignment_pattern", "object_assignment_pattern"):
        if node.named_child_count:
            if lower is not None and type_ is None and depth:
                value = _or_default(value, lower(node.child_by_field_name("right")))
            yield from bound(node.named_children[0], type_, value, lower, depth + 1)
    elif kind == "struct_pattern":
        yield from _fields(node, value, depth)
    elif kind in _DECLARATORS:
        yield from _declared(node, type_, value, depth)
    elif kind in _WRAPPING:
        for child in node.named_children:
            yield from bound(child, type_, value, lower, depth + 1)
    elif kind == "shorthand_property_identifier_pattern":
        yield text_of(node), node, None, value


def declared_name(node: Node) -> Node | None:
    """C and C++: return the name node within a declarator."""
    at: Node | None = node
    for _ in range(12):
        if at is None or at.type not in _DECLARATORS:
            return at
        inner = at.child_by_field_name("declarator")
        at = inner if inner is not None else at.named_child(at.named_child_count - 1) if at.named_child_count else None
    return at


def is_function(node: Node) -> bool:
    """Return whether a declarator of C or C++ declares a function rather than a pointer to one."""
    at: Node | None = node
    while at is not None and at.type in ("pointer_declarator", "reference_declarator"):
        at = at.child_by_field_name("declarator") or at.named_child(at.named_child_count - 1)
    if at is None or at.type != "function_declarator":
        return False
    inner = at.child_by_field_name("declarator")
    return inner is not None and inner.type != "parenthesized_declarator"


def _declared(node: Node, type_: Expr | None, value: Expr | None, depth: int) -> Iterator[Bound]:
    if node.type == "structured_binding_declarator":
        for i, child in enumerate(node.named_children):
            yield from bound(child, None, ("item", value, i) if value else None, depth=depth + 1)
        return
    name = declared_name(node)
    if name is None or name.type not in _SINGLE:
        return
    if is_function(node) and not _is_initialised(node):
        yield text_of(name), node if node.type == "function_declarator" else _function(node), type_, None
        return
    array = node.type == "array_declarator" or any(c.type == "array_declarator" for c in node.children)
    yield text_of(name), name, ("list", type_) if array and type_ else type_, value


def _is_initialised(node: Node) -> bool:
    """Return whether a declarator that reads like a function's is a local variable with the argument of its constructor
    (`Sound copy(original);`): a function is not declared within another one without naming its parameters."""
    declaration = node.parent
    if node.type != "function_declarator" or declaration is None or declaration.type != "declaration":
        return False
    around = declaration.parent
    parameters = node.child_by_field_name("parameters")
    if around is None or around.type != "compound_statement" or parameters is None or not parameters.named_child_count:
        return False
    return all(
        child.type == "parameter_declaration"
        and child.named_child_count == 1
        and child.named_children[0].type in _VALUES
        for child in parameters.named_children
    )


def _function(node: Node) -> Node:
    at = node
    while at.type != "function_declarator":
        at = at.child_by_field_name("declarator") or at.named_children[-1]
    return at


def _or_default(value: Expr | None, default: Expr | None) -> Expr | None:
    return ("default", value, default) if value and default else value or default


def _sequence(node: Node, type_: Expr | None, value: Expr | None, lower: Lower, depth: int) -> Iterator[Bound]:
    types = type_[1] if type_ and type_[0] == "tuple" else None
    values = value[1] if value and value[0] == "tuple" else None
    parts = [c for c in node.named_children if not c.is_extra]
    if node.type == "array_pattern":
        yield from _places(node, type_, value, lower, depth)
        return
    if len(parts) == 1 and values is None:
        yield from bound(parts[0], type_, value, lower, depth + 1)
        return
    for i, part in enumerate(parts):
        part_type = types[i] if types and i < len(types) else (type_ if types is None and type_ else None)
        if values is not None:
            part_value = values[i] if i < len(values) else None
        else:
            part_value = ("item", value, i) if value else None
        yield from bound(part, part_type, part_value, lower, depth + 1)


def _places(node: Node, type_: Expr | None, value: Expr | None, lower: Lower, depth: int) -> Iterator[Bound]:
    """JavaScript: handle `[a, , b = 1, ...rest]`; an element that is left out has a place, too."""
    types = type_[1] if type_ and type_[0] == "tuple" else None
    values = value[1] if value and value[0] in ("tuple", "array") else None
    if values is not None and any(v and v[0] == "spread" for v in values):
        values = None
    place = 0
    for part in node.children:
        if part.type == ",":
            place += 1
        elif part.is_named and not part.is_extra:
            part_type = types[place] if types and place < len(types) else (type_ if types is None and type_ else None)
            part_value: Expr | None = ("item", value, place) if value else None
            if part.type == "rest_pattern":
                part_value = ("slice", value, place) if value else None
            elif values is not None:
                part_value = values[place] if place < len(values) else None
            yield from bound(part, part_type, part_value, lower, depth + 1)


def _fields(node: Node, value: Expr | None, depth: int) -> Iterator[Bound]:
    """Rust: handle `Point { x, y: other }`."""
    for part in node.named_children:
        if part.type != "field_pattern":
            continue
        name, inner = part.child_by_field_name("name"), part.child_by_field_name("pattern")
        if name is None:
            continue
        held: Expr | None = ("attr", value, text_of(name)) if value else None
        if inner is None:
            yield text_of(name), name, None, held
        else:
            yield from bound(inner, None, held, depth=depth + 1)


def _keyed(node: Node, type_: Expr | None, value: Expr | None, lower: Lower, depth: int) -> Iterator[Bound]:
    owner = value or (("cast", type_) if type_ else None)
    for part in node.named_children:
        if part.type == "shorthand_property_identifier_pattern":
            name = text_of(part)
            yield name, part, None, ("attr", owner, name) if owner else None
        elif part.type == "pair_pattern":
            key, target = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key is not None and target is not None:
                yield from bound(target, None, ("attr", owner, text_of(key)) if owner else None, lower, depth + 1)
        elif part.type == "object_assignment_pattern" and part.named_child_count:
            name = text_of(part.named_children[0])
            held = ("attr", owner, name) if owner else None
            default = lower(part.child_by_field_name("right")) if lower is not None else None
            yield name, part, None, _or_default(held, default)
        elif part.type == "rest_pattern":
            yield from bound(part, None, owner, depth=depth + 1)


def has_default(parameter: Node) -> bool:
    """Return whether a parameter is optional."""
    behind = parameter.next_sibling
    return any(child.type == "=" for child in parameter.children) or (behind is not None and behind.type == "=")


def intersected_types(node: Node) -> Iterator[Node]:
    """Yield the types of an intersection (`A & B`), otherwise the node itself."""
    if node.type != "intersection_type":
        yield node
        return
    for part in node.named_children:
        yield from intersected_types(part)
