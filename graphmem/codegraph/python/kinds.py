"""The base of all abstract values, their kinds, and sets of them. A value is a number (its serial number) with
attributes, so that sets hash as fast as numbers and iterate in the same order in every run."""

from __future__ import annotations

from typing import Final

Values = frozenset["Value"]
Arguments = tuple[tuple[str, Values], ...]
EMPTY: Values = frozenset()

FUNCTION: Final = 0
CLASS: Final = 1
INSTANCE: Final = 2
BOUND: Final = 3
MODULE: Final = 4
EXTERNAL: Final = 5
CONSTANT: Final = 6
CONTAINER: Final = 7
PARAMETER: Final = 8
GENERATOR: Final = 9
SUPER: Final = 10
DECORATED: Final = 11
PARTIAL: Final = 12

MAX_VALUES = 40  # in one place: more mean nothing


class Value(float):
    """The base of all values; `kind` says which sort it is, `only` is the set of just this value. (A float, because Python
    finds the attributes of what derives from int, whose size varies, the slow way.)"""

    kind: int
    only: Values
