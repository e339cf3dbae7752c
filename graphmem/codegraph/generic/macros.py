"""Macros: the names in their bodies. The C and C++ grammars keep a body as text, which is tokenised here; Rust's is a
tree of tokens, whose calls the queries find."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from graphmem.codegraph.generic import definitions
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.preprocessor import pasted_names
from graphmem.codegraph.generic.reader import Captures, OpenScope, Reader
from graphmem.codegraph.generic.summary import Binding, Expr

if TYPE_CHECKING:
    from tree_sitter import Node

_NO_CODE = re.compile(
    rb'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//[^\n]*|\\\r?\n'
    rb"|\w*\s*##\s*\w*(?:\s*##\s*\w*)*|__attribute__\s*\(\(.*?\)\)|__declspec\s*\(.*?\)",
    re.S,
)
_TOKEN = re.compile(rb"((?:[A-Za-z_]\w*\s*::\s*)*[A-Za-z_]\w*)|->|[^\s\w]|\d\w*")
_OPEN = re.compile(rb"\s*\(")
_BEFORE_CALLS = frozenset(
    {"return", "else", "do", "case", "throw", "and", "or", "not", "co_return", "co_await", "goto"}
)
_WORDS = _BEFORE_CALLS | frozenset(
    """alignas alignof asm auto bool break catch char class const const_cast constexpr continue decltype default defined delete
    double enum extern false float for if inline int long namespace new noexcept nullptr operator register restrict short signed
    sizeof static static_assert struct switch template this true try typedef typeid typename typeof union unsigned using void
    volatile while _Alignof _Generic _Pragma _Static_assert __VA_ARGS__ __VA_OPT__ __alignof__ __asm__ __extension__ __typeof__
    __FILE__ __LINE__ __func__ __inline __inline__ __volatile__""".split()
)


class Word(NamedTuple):
    """A name in a body."""

    at: int  # its first byte in the body
    name: str
    called: bool
    member: bool  # of something that only the place of use knows


def define(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    """Handle @definition.macro with @name and, if the body is text, @parameters and @body."""
    name_node = captures["name"][0]
    name = text_of(name_node)
    owner = 0 if reader.language.directives else reader.stack[-1]  # the preprocessor knows no namespaces
    symbol = definitions.plain(reader, "macro", name, node, name_node)
    reader.bind(owner, name, Binding("def", node.start_byte, symbol))
    reader.push(OpenScope("function", owner, symbol, node.end_byte, reader.symbols[symbol].qualified_name))
    if "body" in captures:
        parameters = _parameters(captures)
        _body(reader, symbol, captures["body"][0], frozenset(parameters) | {name})  # within its body it means no macro
        if pasted := pasted_names(captures["body"][0].text or b"", parameters):
            known = reader.symbols[symbol]
            reader.symbols[symbol] = known._replace(decorators=(*known.decorators, *pasted))


def words(body: bytes, parameters: frozenset[str]) -> list[Word]:
    """Return the names in a body, except keywords, parameters, and names declared in it."""
    found, own, last = [], set(parameters), ""
    text = _NO_CODE.sub(lambda part: b" " * len(part[0]), body)
    for token in _TOKEN.finditer(text):
        name = "".join(token[0].decode().split())
        if token[1] and name not in _WORDS:
            if re.match(r"\w", last) and last not in _BEFORE_CALLS:
                own.add(name)  # `int i`: what is behind another name is declared
            elif name not in own:
                called = _OPEN.match(text, token.end()) is not None
                found.append(Word(token.start(), name, called, last in (".", "->")))
        last = name
    return found


def _parameters(captures: Captures) -> list[str]:
    nodes = captures.get("parameters", ())
    return [text_of(child) for node in nodes for child in node.named_children]


def _body(reader: Reader, symbol: int, body: Node, parameters: frozenset[str]) -> None:
    """Record references to names in a body. If these include a call, using the macro counts as calling it."""
    calls = False
    for word in words(body.text or b"", parameters):
        at = body.start_byte + word.at
        expr = _expr(word)
        if word.called:
            calls = True
            expr = ("call", expr, ())
        elif word.member:
            continue
        line = reader.lines_before(at)
        column = at - reader.line_start(line)
        reader.lower.names.update(word.name.split("::"))
        reader.references.append(("call" if word.called else "value", reader.stack[-1], expr, line + 1, column, at))
    if calls:
        reader.symbols[symbol] = reader.symbols[symbol]._replace(decorators=("calls",))


def _expr(word: Word) -> Expr:
    if word.member:
        return ("attr", None, word.name)
    first, *rest = word.name.split("::")
    expr: Expr = ("name", first)
    for part in rest:
        expr = ("attr", expr, part)
    return expr
