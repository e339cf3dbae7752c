"""Origin of a register's value: types or argument flow; and why a call of it could not be resolved."""

from __future__ import annotations

from typing import Literal

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.values import Bound, External, Fn

_DEPTH = 6
Reason = Literal[
    "protocol",  # the method of a port, see `implementations.py`
    "no such attribute",  # the receiver is known and has no such attribute
    "unknown receiver",
    "outside result",  # it results from a call outside the project
    "unknown result",  # it results from a call whose result is unknown
    "unknown value",  # a variable without a known value
    "unknown name",  # nothing defines the name
    "parameter",  # an argument that no call site determines
    "computed",  # an element of a container
    "dynamic",  # any other expression
]


def provenance(fn: Fn, register: int) -> str:
    """Return "type" if the value results from declarations, assignments and results, "flow" if from arguments."""
    for _ in range(_DEPTH):
        op = fn.body.ops[register]
        if op[0] == ir.PARAM:
            own = op[1] == 0 and fn.cls is not None
            return "type" if own or fn.body.params[op[1]].annotation is not None else "flow"
        if op[0] in (ir.ATTRIBUTE, ir.SUBSCRIPT, ir.ITERATE, ir.UNPACK):
            register = op[1]
        elif op[0] == ir.PHI:
            register = op[1][0]
        else:
            return "type"
    return "type"


def callee_name(fn: Fn, call: ir.Op) -> str:
    """Return the last name in a callee expression, or the name in `getattr(x, "name")`."""
    op = fn.body.ops[call[1]]
    if op[0] == ir.CALL and fn.body.ops[op[1]][:3:2] == (ir.NAME, "getattr") and len(op[2]) > 1 and op[2][1] >= 0:
        name = fn.body.ops[op[2][1]]
        if name[0] == ir.CONST and isinstance(name[1], str):
            return name[1]
    return str(call[6].rpartition(".")[2])


def why_unresolved(fn: Fn, register: int) -> Reason:
    """Return the reason why the callee in a register is unresolved."""
    op = fn.body.ops[register]
    code = op[0]
    if any(isinstance(v, Bound) for v in fn.registers[register]):
        return "protocol"
    if code == ir.ATTRIBUTE:
        if fn.registers[op[1]]:
            return "no such attribute"
        return "outside result" if _comes_from_outside(fn, op[1]) else "unknown receiver"
    if code == ir.NAME:
        return "unknown value" if op[4] >= 0 else "unknown name"
    if code == ir.PARAM:
        return "parameter"
    if code == ir.CALL:
        return "outside result" if _comes_from_outside(fn, register) else "unknown result"
    if code == ir.SUBSCRIPT:
        return "computed"
    return "dynamic"


def _comes_from_outside(fn: Fn, register: int) -> bool:
    """Return whether a value is the result of a call outside the project, or a part of such a result."""
    for _ in range(_DEPTH):
        op = fn.body.ops[register]
        if op[0] == ir.CALL and any(isinstance(v, External) for v in fn.registers[op[1]]):
            return True
        if op[0] in (ir.CALL, ir.ATTRIBUTE, ir.SUBSCRIPT, ir.ITERATE, ir.UNPACK, ir.ENTER):
            register = op[1]
        elif op[0] == ir.PHI and op[1]:
            register = op[1][0]
        else:
            return False
    return False
