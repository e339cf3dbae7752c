"""Recognises tests and groups of tests that have a title instead of a name: `it("adds a job", () => ...)`, `test "x" do`,
`t.Run("empty", func(t *testing.T) {...})`. The words that make them are in languages.toml; they count in test files, and where
they are imported from a framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphmem import privacy
from graphmem.codegraph.generic import describe
from graphmem.codegraph.generic.callbacks import ARGUMENTS, AROUND
from graphmem.codegraph.generic.lower import text_of
from graphmem.model.code import TITLED_SUITE, TITLED_TEST

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.reader import Reader

_LONGEST = 160  # characters of a title
_LONGEST_PREFIX = 480  # of titles around it
_PARTS = 12  # of a callee: `test.describe.only.each(...)(...)`
_OF_BLOCKS = ("call_expression", "infix_expression")
_LITERALS = ("string", "literal")
_QUOTES = "\"'`"


class Title(NamedTuple):
    """What a test is called, the decorator that marks its symbol, and the call whose lines are its own, with its callee."""

    text: str
    mark: str
    call: Node
    callee: str


def of_block(reader: Reader, block: Node) -> Title | None:
    """Return the title of a function or block that is given to a call, if the call makes a test or a group of tests."""
    if not reader.has_titles:
        return None
    call, inner = _call_around(block), block
    for _ in range(2):  # `it("x", fakeAsync(() => ...))`
        if call is None:
            return None
        chain = _chain(reader, call)
        mark = _kind(reader, chain)
        if mark:
            title = _first_argument(call, inner)
            text = _text(title) if title is not None and _is_said(reader, title) else ""
            return Title(text, mark, call, ".".join(chain)) if text else None
        inner, call = call, _call_around(call)
    return None


def qualified_name(reader: Reader, owner: int, title: str) -> str:
    """Return the qualified name of a test with a title. A dot at the end is left out: it would end a name without a last part."""
    scope, title = reader.scopes[owner], title.rstrip(" .") or "<untitled>"
    is_within = reader.symbols[scope.symbol].kind in ("function", "method")
    return (
        f"{scope.prefix[:_LONGEST_PREFIX]} > {title}"
        if is_within
        else f"{scope.prefix}.{title}"
        if scope.prefix
        else title
    )


def describe_test(reader: Reader, symbol: int, node: Node, title: Title) -> None:
    """Give a test with a title the lines of its call, and what is written before its body as its signature."""
    call, found = title.call, reader.symbols[symbol]
    written = describe.signature(reader.source, call.start_byte, node, reader.language.fields.get("body", ""))
    reader.symbols[symbol] = found._replace(
        kind="function",
        line=call.start_point[0] + 1,
        end_line=max(call.end_point[0] + 1, found.end_line),
        signature=written if title.text in written else f'{title.callee} "{title.text}"',
        doc=describe.doc_above(reader.lines, call.start_point[0], reader.language),
        exported=False,
        decorators=(title.mark,),
    )


def _call_around(node: Node) -> Node | None:
    """Return the call that a node is an argument or the block of."""
    around = node.parent
    if around is not None and (around.type == "call" or (node.type == "block" and around.type in _OF_BLOCKS)):
        return around  # Ruby, Scala: the block of a call
    if around is None or around.type not in ARGUMENTS | AROUND:
        return None
    while around is not None and around.type in ARGUMENTS | AROUND:
        around = around.parent
    return around


def _chain(reader: Reader, call: Node) -> list[str]:
    """Return the names of a callee, outermost last: `test.only.each(table)` gives test, only, each."""
    calls, members, names = (reader.language.lower.get(kind, ()) for kind in ("call", "attr", "name"))
    if call.type == "infix_expression":  # Scala: `"a queue" should "be empty" in { ... }`, `test("adds") - { ... }`
        operator, left = call.child_by_field_name("operator"), call.child_by_field_name("left")
        word = text_of(operator) if operator is not None else ""
        return _chain(reader, left) if word == "-" and left is not None else [word]
    node: Node | None = call
    parts: list[str] = []
    for _ in range(_PARTS):
        if node is None:
            return []
        if node.type == "string_literal" and node is not call:  # Kotlin: `"adds" { ... }`
            return [*reader.language.titled_tests[:1]]
        if node.type in names:
            return [text_of(node), *reversed(parts)]
        if node.type == "call" and (method := node.child_by_field_name("method")) is not None:  # Ruby
            parts.append(text_of(method))
            node = node.child_by_field_name("receiver")
            if node is None:
                return parts[::-1]
        elif node.type in calls:
            node = _first(node)
        elif node.type in members and node.named_child_count:
            parts.append(text_of(node.named_children[-1]))
            node = _first(node)
        else:
            return []
    return []


def _kind(reader: Reader, chain: list[str]) -> str:
    """Return the mark of what a callee makes, "" if that is no test."""
    if not chain:
        return ""
    language = reader.language
    root, *rest = chain
    words = (*language.titled_tests, *language.titled_suites)
    word = reader.runners.get(root, root if reader.is_test else "")
    if root in language.title_owners or (root in reader.runners and word not in words):
        word, rest = (rest[0], rest[1:]) if rest else ("", [])
    elif word not in words:
        word = _extended(reader, root)
    if not word:
        return ""
    for part in rest:
        if part in words:
            word = part
        elif part not in language.title_modifiers:
            return ""
    return TITLED_SUITE if word in language.titled_suites else TITLED_TEST if word in language.titled_tests else ""


def _extended(reader: Reader, name: str) -> str:
    """Return the word that a variable extends: `const check = test.extend({...})`."""
    bindings = reader.scopes[0].names.get(name)
    value = bindings[-1].value if bindings else None
    if value and value[0] == "call" and value[1] and value[1][0] == "attr" and value[1][2] == "extend":
        base = value[1][1]
        if base and base[0] == "name":
            word = reader.runners.get(base[1], base[1])
            return word if word in reader.language.titled_tests else ""
    return ""


def _first_argument(call: Node, block: Node) -> Node | None:
    """Return the first argument of a call, unless it is the function itself; for a call of what a call gives (`test("x") {}`),
    the inner one's."""
    node: Node | None = call
    if call.type == "infix_expression":
        node = call.child_by_field_name("left")
        if node is not None and node.type != "call_expression":
            return node
    for _ in range(2):
        if node is None:
            return None
        if node.type in ("string_literal", "line_string_literal"):  # Kotlin: `"adds" { ... }`
            return node
        parts = node.named_children
        parts = next((part.named_children for part in parts if part.type == "call_suffix"), parts)
        given = next((part for part in parts if part.type in ARGUMENTS), None)
        first = (
            next((child for child in given.named_children if not child.is_extra), None) if given is not None else None
        )
        if first is not None and first.type in ("argument", "value_argument"):
            first = first.named_children[-1] if first.named_children else None
        if first is not None:
            return None if first.start_byte <= block.start_byte < first.end_byte else first
        node = _first(node)
    return None


def _first(node: Node) -> Node | None:
    return node.named_children[0] if node.named_child_count else None


def _is_said(reader: Reader, title: Node) -> bool:
    """Return whether a title says what the test is: a literal, or in some languages any expression, such as the name of a class."""
    return reader.language.dynamic_titles or any(word in title.type for word in (*_LITERALS, "infix"))


def _text(title: Node) -> str:
    """Return a title on one line, without quotes, control characters and secrets."""
    text = text_of(title)[: 4 * _LONGEST].strip()
    if title.type == "infix_expression":  # Scala: `"a queue" should "be empty"`
        text = text.replace('"', "")
    elif any(word in title.type for word in _LITERALS):
        quote = text[0] if text[0] in _QUOTES else ""
        around = len(quote) * (3 if text.startswith(3 * quote) and len(text) > 5 else 1)
        text = text[around : len(text) - around].replace(f"\\{quote}", quote) if quote else text
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return privacy.redact_each([text[:_LONGEST].rstrip()])[0]
