"""Object literals of TypeScript that implement an interface without a class: those whose place has the type, by an annotation
(`const pool: Pool = { … }`), `satisfies`, `as`, or what the function around returns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from graphmem.codegraph import languages
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.view import View
from graphmem.model.code import Symbol
from graphmem.patterns import compile_later

if TYPE_CHECKING:
    from tree_sitter import Node

LANGUAGES = frozenset({"typescript", "tsx"})
_KINDS = frozenset({"interface", "type"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function_declaration", "method_definition"})
_TYPED = frozenset({"variable_declarator", "public_field_definition", "required_parameter", "optional_parameter"})
_SAID = frozenset({"satisfies_expression", "as_expression"})
_SAME = frozenset({"parenthesized_expression", "ternary_expression", "await_expression", "binary_expression"})
_MEMBERS = frozenset({"pair", "method_definition", "shorthand_property_identifier"})
_PROMISE = compile_later(r"^Promise<(.*)>$")
_OF_TYPE = compile_later(r"^(?:readonly )?(?:\w+\.)*([A-Za-z_$][\w$]*)(?:<.*>)?((?:\[\])*)$")
_ARRAY = compile_later(r"^(?:Readonly)?Array<(.*)>$")
_DEPTH = 12  # literals within literals


class TypedObject(NamedTuple):
    """An object literal with the type of an interface: its name, or that of the function which returns it; its file and lines, and
    the members of the interface that it has, with their lines."""

    name: str
    file: str
    line: int
    end_line: int
    members: tuple[tuple[str, int], ...]


def find_typed_objects(view: View, symbol: Symbol, read: Callable[[str], str]) -> list[TypedObject]:
    """Return the object literals that are written with an interface as their type, in the files that refer to it. `read` returns
    the text of a file and may raise OSError."""
    if symbol.language not in LANGUAGES or symbol.kind not in _KINDS or symbol.external:
        return []
    asked = {view.symbols[edge.target].name for edge in view.outgoing.get(symbol.key, ()) if edge.type == "DEFINES"}
    users = {view.symbols[edge.source].file for edge in view.incoming.get(symbol.key, ())}
    found = list[TypedObject]()
    for file in sorted({symbol.file, *users}):
        record = view.index.records.get(file)
        if record is None or record.language not in LANGUAGES:
            continue
        try:
            source = read(file).encode()
        except OSError:
            continue  # deleted since it was indexed
        if symbol.name.encode() in source:
            root = languages.make_parser(record.language).parse(source).root_node
            found += [each for each in _objects(root, file, symbol.name) if not asked or each.members]
    return [
        each._replace(members=tuple(one for one in each.members if not asked or one[0] in asked))
        for each in found
        if not asked or any(name in asked for name, _ in each.members)
    ]


def _objects(root: Node, file: str, type_name: str) -> Iterator[TypedObject]:
    """Yield the object literals of a file whose place has a type of this name."""
    rest = [root]
    while rest:
        node = rest.pop()
        rest += reversed(node.named_children)
        if node.type == "object" and _names(_type_of(node, 0), type_name):
            name = _name_of(node)
            members = (*_members(node), *_given_later(name, root))
            yield TypedObject(name, file, node.start_point[0] + 1, node.end_point[0] + 1, members)


def _members(node: Node) -> Iterator[tuple[str, int]]:
    for child in node.named_children:
        if child.type in _MEMBERS:
            key = child.child_by_field_name("key") or child.child_by_field_name("name") or child
            yield text_of(key).strip("\"'"), child.start_point[0] + 1


def _given_later(name: str, root: Node) -> Iterator[tuple[str, int]]:
    """Yield the members that are assigned to a variable of the file: `db.listen = …`."""
    assigned = re.compile(rf"(?<![\w.$]){re.escape(name)}\.(\w+)\s{{0,4}}=(?![=>])")
    for number, line in enumerate(text_of(root).split("\n"), 1):
        yield from ((found[1], number) for found in assigned.finditer(line))


def _names(written: str, type_name: str) -> bool:
    """Return whether one of the types of a union is of this name, also in a promise."""
    for one in written.split("|"):
        one = one.strip()
        promised = _PROMISE.match(one)
        found = _OF_TYPE.match(promised[1].strip() if promised else one)
        if found and found[1] == type_name and not found[2]:
            return True
    return False


def _type_of(node: Node, depth: int) -> str:
    """Return the type that is written for the place of an expression, "" if none is."""
    around = node.parent
    if around is None or depth > _DEPTH:
        return ""
    kind = around.type
    if kind in _TYPED:
        return _written(around.child_by_field_name("type"))
    if kind in _SAID:
        return _written(around.named_children[1]) if len(around.named_children) > 1 else ""  # not `as const`
    if kind in _SAME:
        return _type_of(around, depth + 1)
    if kind == "array":
        whole = _type_of(around, depth + 1)
        listed = _ARRAY.match(whole)
        return listed[1] if listed else whole.removesuffix("[]") if whole.endswith("[]") else ""
    if kind == "return_statement":
        function: Node | None = around
        while function is not None and function.type not in _FUNCTIONS:
            function = function.parent
        return _written(function.child_by_field_name("return_type")) if function is not None else ""
    if kind == "arrow_function" and node == around.child_by_field_name("body"):
        return _written(around.child_by_field_name("return_type"))
    if kind == "arguments" and around.parent is not None and around.parent.type == "call_expression":
        called = around.parent.child_by_field_name("function")
        is_kept = called is not None and text_of(called) in ("Object.freeze", "Object.seal", "structuredClone")
        return _type_of(around.parent, depth + 1) if is_kept else ""
    return ""


def _written(type_: Node | None) -> str:
    return " ".join(text_of(type_).lstrip(":").split()) if type_ is not None else ""


def _name_of(node: Node) -> str:
    """Return the name of what an object is assigned to, or of the function that returns it."""
    around = node.parent
    while around is not None:
        if around.type in (*_TYPED, "function_declaration", "method_definition", "pair"):
            named = around.child_by_field_name("name") or around.child_by_field_name("key")
            if named is not None:
                return text_of(named).strip("\"'")
        around = around.parent
    return "object"
