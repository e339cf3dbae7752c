"""Records what a type or value gets from elsewhere: members that a call mixes in, and methods that are lent to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import definitions, lending
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.reader import Captures, Reader
from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from tree_sitter import Node


def mixin(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    """Handle `Object.assign(target, source)` and similar calls: the target gets the members of the source.
    "mixin.instances": so do instances of the target, as for an implicit class."""
    target, source = reader.expr(captures, "target"), reader.expr(captures, "source")
    static = primary == "mixin"
    if target and target[0] == "attr" and target[2] == "prototype":
        target, static = target[1], False
    if target and target[0] == "name" and source:
        inherit(reader, target, source, static=static)


def inherit(reader: Reader, target: Expr, source: Expr, *, static: bool = False) -> None:
    """Record that a type, or with `static` a value, has the members of another one."""
    while source[0] == "attr" and source[2] == "prototype" and source[1]:
        source = source[1]
    scope = reader.scopes[definitions.extension(reader, target, static=static)]
    if ("extends", source) not in scope.bases:
        scope.bases.append(("extends", source))


def lend(reader: Reader, primary: str, node: Node, captures: Captures) -> None:
    """Handle C# extension methods: a method whose first parameter has `this` is also a member of that parameter's type;
    of any type, if that is a type parameter."""
    method, name = reader.current(), text_of(captures["name"][0])
    target = lending.lent_to(reader, captures)
    for binding in reader.scopes[method.parent].names.get(name, ())[-1:]:
        reader.bind(definitions.extension(reader, target), name, binding)
