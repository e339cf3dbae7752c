"""What the functions and methods of JavaScript's own library do with the functions and values that they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphmem.codegraph.generic.summary import Expr, Scope
from graphmem.model.code import Symbol

ITERATOR = "[Symbol.iterator]"
MAPS = frozenset({"Map", "WeakMap"})
COLLECTIONS = MAPS | {"Set", "WeakSet", "Array"}
EVENTS = frozenset({"addEventListener", "on", "once", "addListener", "prependListener"})
OF_THE_WHOLE = frozenset({"then", "catch", "finally"})
REORDERING = frozenset({"unshift", "shift", "splice", "reverse", "sort", "copyWithin", "fill"})
GIVES_ELEMENT = frozenset({"get", "at", "pop", "shift", "find", "findLast"})
GIVES_SAME = frozenset({"slice", "filter", "reverse", "sort", "toSorted", "toReversed", "toSpliced", "splice",
                        "values", "next", "add", "set", "fill", "with"})  # fmt: skip
STATIC: dict[str, dict[str, str]] = {
    "Object": {"values": "elements", "entries": "pairs", "assign": "all", "create": "made", "freeze": "first",
               "getPrototypeOf": "first",                "seal": "first", "fromEntries": "first"},
    "Array": {"from": "elements", "of": "listed"},
    "Promise": {"resolve": "first", "all": "elements", "allSettled": "elements", "race": "one", "any": "one"},
    "Reflect": {"construct": "instance", "get": "first"},
}  # fmt: skip
CREATE: Expr = ("attr", ("name", "Object"), "create")
FROM: Expr = ("attr", ("name", "Array"), "from")
STRINGIFY: Expr = ("attr", ("name", "JSON"), "stringify")
APPLY: Expr = ("attr", ("name", "Reflect"), "apply")
_TIMERS = frozenset(
    "setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame requestIdleCallback".split()
)
_GLOBALS = frozenset({"global", "globalThis", "window", "self"})
_CALL_BACK = EVENTS | OF_THE_WHOLE | frozenset(
    "forEach map flatMap filter reduce reduceRight some every find findIndex findLast findLastIndex sort toSorted nextTick "
    "replace replaceAll".split()
)  # fmt: skip
_ADDS = frozenset({"push", "unshift", "add", "set", "splice", "fill"})


def callback_of(kind: str, callee: Expr) -> int | None:
    """Return which argument a function of the language calls; -1 for any of them, None if it calls none."""
    if kind == "new":
        return 0 if last_name(callee) == "Promise" else None
    if callee in (FROM, STRINGIFY):
        return 1
    if (
        callee[0] == "attr"
        and callee[2] in _TIMERS
        and callee[1]
        and callee[1][0] == "name"
        and callee[1][1] in _GLOBALS
    ):
        return 0
    if callee[0] == "name":
        return 0 if callee[1] in _TIMERS else None
    if callee[0] != "attr" or callee[2] not in _CALL_BACK:
        return None
    return -1


def changed(expr: Expr) -> tuple[Expr | None, ...] | None:
    """Return what a call adds to the list or map that it is made on; None if it changes none."""
    callee = expr[1]
    if expr[0] != "call" or not callee or callee[0] != "attr":
        return None
    name: str = callee[2]
    arguments: tuple[Expr | None, ...] = expr[2]
    if name == "set":
        return arguments[1:2]
    if name == "splice":
        return arguments[2:]
    if name in _ADDS:
        return arguments
    return () if name in REORDERING else None


def last_name(expr: Expr | None) -> Any:
    """Return the name that an expression ends with."""
    while expr and expr[0] == "gen":
        expr = expr[1]
    return expr[1] if expr and expr[0] == "name" else ""


def is_arrow(symbols: Sequence[Symbol], scope: Scope) -> bool:
    """Return whether a function has no `this` of its own."""
    signature = symbols[scope.symbol].signature
    return "=>" in signature and "function" not in signature


def is_open(type_: Expr) -> bool:
    """Return whether a declared result is that of the receiver."""
    return type_ == ("this",)
