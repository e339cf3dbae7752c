"""Parser of the generic front end: one file's source to its facts. Depends only on the file, so it runs in any process
and its result is cached by content hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph import languages
from graphmem.codegraph.generic import facts as made
from graphmem.codegraph.generic import manifests
from graphmem.codegraph.generic.dialects import header_language
from graphmem.codegraph.generic.prepare import ended_members, first_branches, prepare
from graphmem.codegraph.generic.reader import Reader
from graphmem.codegraph.generic.signatures import separate
from graphmem.codegraph.generic.sweep import ordered, sweep
from graphmem.codegraph.records import FileFacts

if TYPE_CHECKING:
    from tree_sitter import Node, QueryCursor

_DEEPEST = 2_000  # levels of a syntax tree
_AROUND_FUNCTIONS = frozenset(
    {"translation_unit", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "linkage_specification", "declaration_list",
     "namespace_definition"}
)  # fmt: skip
_LEAST_FUNCTION = 40  # unreadable bytes that one function more or less makes up for
_LONG = 8_000  # bytes; a shorter file cannot be deep enough to take long
_primaries: dict[str, dict[int, str]] = {}
_cursors: dict[str, QueryCursor] = {}


def parse(path: str, source: bytes) -> FileFacts:
    """Return the facts of one file; syntax errors are counted and the rest of the file is read. Raises RecursionError for
    excessive nesting."""
    name = languages.for_path(path, source.partition(b"\n")[0])
    if name == languages.MANIFEST:
        return manifests.parse(path, source)
    name = header_language(name, path, source)
    source, root = _parsed(name, prepare(name, source))
    reader = Reader(path, source, languages.get_language(name))
    sweep(reader, ordered(_matches(name, root), _primaries.setdefault(name, {})))
    return made.facts(reader)


def _parsed(name: str, source: bytes) -> tuple[bytes, Node]:
    """Return the most readable form of the source, and its syntax tree."""
    root = languages.make_parser(name).parse(source).root_node
    if len(source) > _LONG and _is_too_deep(root):
        raise RecursionError(f"nested deeper than {_DEEPEST:,}")
    other = source
    if root.has_error and languages.get_language(name).directives and b"#" in source:
        other = first_branches(source)
    elif root.has_error and languages.get_language(name).ends_members:
        other = ended_members(source)
    elif root.has_error and languages.get_language(name).unwraps == "signatures":
        other = separate(source)
    if other != source:
        again = languages.make_parser(name).parse(other).root_node
        lost = max(0, _functions(root) - _functions(again))  # what is left out has no errors either
        if (not again.has_error and not lost) or _errors(root) - _errors(again) > lost * _LEAST_FUNCTION:
            return other, again
    return source, root


def _is_too_deep(root: Node) -> bool:
    """Return whether a syntax tree is deeper than hand-written code: processing is quadratic in the depth."""
    cursor, depth = root.walk(), 0
    while True:
        if cursor.goto_first_child():
            depth += 1
            if depth > _DEEPEST:
                return True
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            depth -= 1


def _errors(node: Node) -> int:
    """Return the number of unreadable bytes in a tree, plus one for each missing node."""
    if not node.has_error:
        return 0
    if node.is_error or node.is_missing:
        return node.end_byte - node.start_byte + 1
    return sum(map(_errors, node.children))


def _matches(name: str, root: Node) -> list[tuple[int, dict[str, list[Node]]]]:
    from tree_sitter import QueryCursor

    cursor = _cursors.get(name)
    if cursor is None:
        cursor = _cursors[name] = QueryCursor(languages.compile_query(name))
    return cursor.matches(root)


def _functions(root: Node) -> int:
    """Return the number of functions outside of others that C's grammar found."""
    todo, count = [root], 0
    while todo:
        node = todo.pop()
        if node.type == "function_definition":
            count += 1
        elif node.type in _AROUND_FUNCTIONS:
            todo.extend(node.named_children)
    return count
