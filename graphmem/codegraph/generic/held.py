"""What the evaluation of a file works with besides entities: lists and maps that are made there, and calls with what they give."""

from __future__ import annotations

from typing import NamedTuple

from graphmem.codegraph.generic.entities import Entity
from graphmem.codegraph.generic.summary import Expr


class Held(NamedTuple):
    """A list, map, set or iterator that is made in this file, by the identity of the expression that makes it."""

    made: int
    scope: int
    at: int


Value = Entity | Held
Values = tuple[Value, ...]
Arguments = tuple[Expr | None, ...]


class Site(NamedTuple):
    """One call of a function: what it gives, where, and what it is made on."""

    arguments: Arguments
    scope: int
    at: int
    receiver: Expr | None = None
