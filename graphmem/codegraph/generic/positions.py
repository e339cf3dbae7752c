"""Rust: fields without a name, of `struct Wrapped(Play)` and of the variants of enumerations. They are bound by their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.summary import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.reader import Reader

_NO_TYPES = frozenset({"visibility_modifier", "attribute_item"})


def bind_places(reader: Reader, node: Node, name: str) -> None:
    """Bind the fields of a variant or struct: `Move.0`, of a struct `0` as well."""
    index = reader.enclosing("class")
    own = node.parent is not None and node.parent.type == "struct_item"
    for place, child in enumerate(c for c in node.named_children if not c.is_extra and c.type not in _NO_TYPES):
        type_ = reader.lower.expr(child)
        for written in (f"{name}.{place}", str(place)) if own else (f"{name}.{place}",):
            reader.bind(index, written, Binding("field", child.start_byte, type=type_))
