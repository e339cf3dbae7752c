"""The type whose member a function becomes that is written outside of it: an extension function or method."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.reader import Captures, Reader

ANY: Expr = ("name", "*")  # extends every type
_ARRAY: Expr = ("name", "Array")
_PARAMETERS = re.compile(r"[<,]\s*(?:\w+\s+)?(\w+)")  # `<T, reified U : Any>`


def lent_to(reader: Reader, captures: Captures) -> Expr | None:
    """Return the type whose member an extension method becomes. A type parameter of the method stands for what it has to
    be (`where T : Shape`), or else for any type."""
    target, method = reader.expr(captures, "target"), captures["name"][0].parent
    written = next((c for c in method.children if c.type.startswith("type_parameter")), None) if method else None
    if (
        method is not None
        and written is not None
        and target
        and target[0] == "name"
        and target[1] in parameters(written)
    ):
        return bound(reader, method, target[1]) or ANY
    if "implied" not in reader.language.lower or not target:
        return target
    if target[0] == "gen":  # the number of type arguments tells `Result<T>` from `Result`
        return ("gen", target[1], (None,) * len(target[2]))
    return _ARRAY if target[0] == "list" else target


def parameters(written: Node) -> list[str]:
    """Return the names in a list of type parameters."""
    return _PARAMETERS.findall(text_of(written))


def bound(reader: Reader, declaration: Node, name: str) -> Expr | None:
    """C#: return the first type that a type parameter has to be: `where T : Shape, new()`."""
    for clause in declaration.named_children:
        if clause.type == "type_parameter_constraints_clause" and text_of(clause.named_children[0]) == name:
            for constraint in clause.named_children[1:]:
                type_ = reader.lower.expr(constraint.child_by_field_name("type"))
                if type_ is not None:
                    return type_
    return None
