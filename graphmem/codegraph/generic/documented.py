"""Gives functions, parameters, fields and variables the types that the doc comment above them states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.doctypes import VAGUE, DocTypes
from graphmem.codegraph.generic.summary import Expr, names_in

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.reader import OpenScope, Reader

_LONGEST = 4_000  # bytes of a comment that are read
_GAP = 120  # bytes of space between a comment and what it describes


def read(reader: Reader, primary: str, node: Node, captures: object) -> None:
    """Handle @doc: keep the comment for the definition that follows."""
    text = (node.text or b"")[:_LONGEST]
    if b"@" in text:
        reader.doc = DocTypes(text.decode("utf-8", "replace"), node.end_byte)


def above(reader: Reader, start: int) -> DocTypes | None:
    """Return the comment that ends right before a place."""
    doc = reader.doc
    if doc is None or not 0 <= start - doc.end <= _GAP or reader.source[doc.end : start].strip():
        return None
    return doc


def describe_function(reader: Reader, scope: OpenScope, start: int) -> None:
    """Give a function the types that the comment above it states."""
    doc = above(reader, start)
    if doc is not None:
        scope.documented = doc.parameters
        scope.returns = _better(reader, scope.returns, doc.returns)


def of_parameter(reader: Reader, name: str, type_: Expr | None) -> Expr | None:
    """Return the type of a parameter: as declared, or as documented if that says more."""
    return _better(reader, type_, reader.current().documented.get(name))


def of_variable(reader: Reader, start: int, name: str, type_: Expr | None) -> Expr | None:
    """Return the type of a variable or field below a comment with `@var`."""
    doc = above(reader, start)
    said = (doc.variables.get(name) or doc.variables.get("")) if doc is not None else None
    return _better(reader, type_, said)


def of_definition(reader: Reader, parameter: bool, node: Node, name: str, type_: Expr | None) -> Expr | None:
    """Return the type of a field, or of a parameter that is one."""
    if parameter:
        return of_parameter(reader, name, type_)
    return of_variable(reader, (node.parent or node).start_byte, name, type_)


def of_local(reader: Reader, parameter: bool, node: Node, name: str, type_: Expr | None) -> Expr | None:
    """Return the type of a parameter or local variable."""
    if parameter:
        return of_parameter(reader, name, type_)
    return of_variable(reader, node.start_byte, name, type_)


def _better(reader: Reader, declared: Expr | None, documented: Expr | None) -> Expr | None:
    if documented is None or (declared is not None and not (declared[0] == "name" and declared[1] in VAGUE)):
        return declared
    reader.lower.names.update(names_in(documented))
    return documented
