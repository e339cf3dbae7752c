"""What syntax alone says about a tree: which functions it defines and where each name is mentioned, and as what. It reads the
syntax trees of the grammars and shares nothing with the code graph, which it serves to judge.

Not for ambiguous names: only a name that is defined once in a tree means the same wherever it is mentioned."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphmem.codegraph import languages

if TYPE_CHECKING:
    from tree_sitter import Node

LANGUAGES = frozenset({"python", "javascript", "typescript", "tsx", "go", "rust", "c", "java"})
_TESTS = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testdata)/|(^|/)(test_|conftest|test\.c$)|[_.-](test|spec|tests)\.\w+$|Tests?\.java$"
)
_EXAMPLES = re.compile(r"(^|/)(examples?|benches|benchmarks?|docs?)/")
_LARGEST = 1_000_000  # bytes of a file that is read
_NAMES = frozenset({
    "identifier", "property_identifier", "field_identifier", "type_identifier", "shorthand_property_identifier",
    "shorthand_property_identifier_pattern", "shorthand_field_identifier", "private_property_identifier",
})  # fmt: skip
_FUNCTIONS = frozenset({
    "function_definition", "function_declaration", "generator_function_declaration", "method_definition", "method_declaration",
    "constructor_declaration", "function_item",
})  # fmt: skip
_SIGNATURES = frozenset({"function_signature_item", "method_signature", "function_signature", "method_spec", "method_elem",
                         "preproc_function_def", "macro_definition"})  # fmt: skip
_LAMBDAS = frozenset({"arrow_function", "function_expression", "function"})
_CLASSES = frozenset({
    "class_definition", "class_declaration", "abstract_class_declaration", "interface_declaration", "struct_item", "trait_item",
    "enum_item", "enum_declaration", "record_declaration", "type_spec", "struct_specifier", "type_alias_declaration",
})  # fmt: skip
_IMPORTS = frozenset({
    "import_statement", "import_from_statement", "future_import_statement", "use_declaration", "import_declaration",
    "export_specifier", "package_clause", "package_declaration",
})  # fmt: skip
_MEMBERS = {  # a node that selects a member -> the field with its name
    "attribute": "attribute",
    "member_expression": "property",
    "selector_expression": "field",
    "field_expression": "field",
    "field_access": "field",
}
_ASSIGNMENTS = frozenset({"assignment"})
_FIELDS = frozenset({"field_declaration", "public_field_definition", "property_signature"})
_BASES = frozenset({"class_heritage", "extends_clause", "implements_clause", "superclass", "super_interfaces",
                    "extends_interfaces", "extends_type_clause"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a name: where its definition begins and ends."""

    name: str
    path: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a name occurs: as a definition, declaration, call, import, field, member (read of a field), base or class, or
    otherwise. `inside` is the enclosing function, for a base the name of its class."""

    path: str
    line: int
    role: str
    inside: Function | None = None
    cls: str = ""


@dataclass(frozen=True, slots=True)
class Syntax:
    """The functions of a tree, the mentions of each name, and the string literals inside of functions."""

    functions: tuple[Function, ...]
    mentions: dict[str, list[Mention]]
    strings: dict[str, list[Mention]]


def is_test_path(path: str) -> bool:
    """Return whether a path is one of tests."""
    return _TESTS.search(path) is not None


def is_source_path(path: str) -> bool:
    """Return whether a path is neither one of tests nor one of examples."""
    return not is_test_path(path) and _EXAMPLES.search(path) is None


def read_syntax(root: Path) -> Syntax:
    """Read the files that git knows below a folder, as far as they are written in one of the languages."""
    said = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=False).stdout
    read = Syntax((), {}, {})
    functions: list[Function] = []
    for path in said.decode("utf-8", "replace").split("\0"):
        language, file = languages.for_path(path), root / path
        if language not in LANGUAGES or file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST:
            continue
        reader = _Reader(path, read)
        reader.visit(languages.make_parser(language).parse(file.read_bytes()).root_node)
        functions += reader.functions
    return Syntax(tuple(functions), read.mentions, read.strings)


class _Reader:
    """Walks through one file."""

    def __init__(self, path: str, read: Syntax) -> None:
        self._path = path
        self._read = read
        self.functions: list[Function] = []

    def visit(self, root: Node) -> None:
        """Note all names and strings below a node."""
        waiting: list[tuple[Node, Function | None]] = [(root, None)]
        while waiting:
            node, inside = waiting.pop()
            if node.type in _NAMES:
                self._note(node, inside)
            elif node.type in ("string_content", "string_fragment", "interpreted_string_literal_content") and inside:
                where = Mention(self._path, node.start_point[0] + 1, "string", inside)
                self._read.strings.setdefault(_text(node), []).append(where)
            name = _defined_name(node)
            if name is not None:
                inside = Function(_text(name), self._path, node.start_point[0] + 1, node.end_point[0] + 1)
                self.functions.append(inside)
            waiting += [(child, inside) for child in reversed(node.children)]

    def _note(self, node: Node, inside: Function | None) -> None:
        role, cls = _role(node)
        mention = Mention(self._path, node.start_point[0] + 1, role, inside, cls)
        self._read.mentions.setdefault(_text(node), []).append(mention)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _defined_name(node: Node) -> Node | None:
    """Return the name that a node defines as that of a function."""
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        return node.child_by_field_name("name") if value is not None and value.type in _LAMBDAS else None
    if node.type not in _FUNCTIONS:
        return None
    name = node.child_by_field_name("name")
    declarator = node.child_by_field_name("declarator")
    while name is None and declarator is not None:  # C: below pointers and the list of parameters
        inner = declarator.child_by_field_name("declarator")
        if inner is None:
            return declarator if declarator.type == "identifier" else None
        declarator = inner
    return name


def _role(node: Node) -> tuple[str, str]:
    """Return what a name is mentioned as, and for a base the name of its class."""
    parent = node.parent
    assert parent is not None  # a name is never a whole file
    if _is_callee(node, parent):
        return "call", ""
    if _is_field(node, "name", parent, _SIGNATURES):
        return "signature", ""
    if _is_field(node, "name", parent, _CLASSES):
        return "class", ""
    if parent.type == "assignment" and _is_class_body(parent) and _is_field(node, "left", parent, _ASSIGNMENTS):
        return "field", ""
    above: Node | None = parent
    for _ in range(6):
        if above is None:
            break
        named = _defined_name(above)
        if named is not None and _is_same(named, node):
            return "definition", ""
        if above.type in _IMPORTS:
            return "import", ""
        if above.type == "scoped_type_identifier" and not _is_same(above.children[-1], node):
            return "other", ""  # `Outer` of `extends Outer.Base`
        if above.type in _BASES or (above.type == "argument_list" and _is_class(above.parent)):
            return "base", _class_name(above)
        if above.type == "impl_item":
            return _of_impl(node, above)
        if above.type == "declaration" and _is_prototype(node, above):
            return "declaration", ""
        if above.type in _FIELDS and parent.type in (*_FIELDS, "variable_declarator"):
            return "field", ""
        if above.type in _FUNCTIONS or above.type in _CLASSES or above.type.endswith(("block", "statement", "body")):
            break
        above = above.parent
    if parent.type in _MEMBERS and _is_field(node, _MEMBERS[parent.type], parent, _MEMBERS):
        return "member", ""
    return "other", ""


def _is_field(node: Node, field: str, parent: Node, types: frozenset[str] | dict[str, str]) -> bool:
    found = parent.child_by_field_name(field) if parent.type in types else None
    return found is not None and _is_same(found, node)


def _is_same(one: Node, other: Node) -> bool:
    return one.start_byte == other.start_byte and one.end_byte == other.end_byte


def _is_callee(node: Node, parent: Node) -> bool:
    if parent.type == "method_invocation":
        return _is_field(node, "name", parent, frozenset({"method_invocation"}))
    called = node
    above: Node | None = parent
    field = _MEMBERS.get(parent.type, "name" if parent.type == "scoped_identifier" else None)
    if field is not None:
        if not _is_field(node, field, parent, frozenset({parent.type})):
            return False
        called, above = parent, parent.parent
    if above is not None and above.type == "generic_function":
        called, above = above, above.parent
    if above is None or above.type not in ("call", "call_expression"):
        return False
    function = above.child_by_field_name("function")
    return function is not None and _is_same(function, called)


def _is_class_body(assignment: Node) -> bool:
    """Return whether Python runs an assignment in the body of a class."""
    block = assignment.parent.parent if assignment.parent is not None else None
    return block is not None and _is_class(block.parent)


def _is_class(node: Node | None) -> bool:
    return node is not None and node.type == "class_definition"


def _class_name(node: Node) -> str:
    above: Node | None = node
    while above is not None and above.type not in _CLASSES:
        above = above.parent
    name = above.child_by_field_name("name") if above is not None else None
    return _text(name) if name is not None else ""


def _of_impl(node: Node, impl: Node) -> tuple[str, str]:
    """Return the role of a name in the head of an `impl TRAIT for TYPE`."""
    trait, type = impl.child_by_field_name("trait"), impl.child_by_field_name("type")
    is_trait = trait is not None and _is_same(trait, node)
    return ("base", _text(type)) if is_trait and type is not None else ("other", "")


def _is_prototype(node: Node, above: Node) -> bool:
    """Return whether a name is that of a function which C declares."""
    declarator = above.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    named = declarator.child_by_field_name("declarator") if declarator is not None else None
    return named is not None and _is_same(named, node)
