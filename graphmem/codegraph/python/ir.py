"""The intermediate form between the two halves of the Python front end: each scope of a file is a `Body`, a list of
operations in static single assignment (operation i defines register i). It is written by `lowering` and its helpers,
run by `machine`, and consists of tuples, strings and numbers alone so that msgpack can pack it. No names are resolved
here beyond the file's own scopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from graphmem.model.packed import pack_plain, unpack_plain

Op = tuple[Any, ...]
TypeExpr = tuple[Any, ...]

# The operations. `r` is a register, -1 stands for "none"; `~r` in a list of arguments or items means `*r`.
UNKNOWN: Final = 0  # (): a value we say nothing about
CONST: Final = 1  # (value): a string or integer that may serve as a key
INSTANCE: Final = 2  # (name of a built-in type): a literal, an f-string, a comparison ...
NAME: Final = 3  # (scope, name, line, r): a reference to a named thing; r: the value that reaches this place
PARAM: Final = 4  # (position)
ATTRIBUTE: Final = 5  # (r, name, line, reaching r): reaching: what this scope itself last stored there
CALL: Final = 6  # (callee r, args, kwargs, line, column, text)
SUBSCRIPT: Final = 7  # (r, key r, line, reaching r)
SLICE: Final = 8  # (r, from, to)
ITERATE: Final = 9  # (r, line): one element
UNPACK: Final = 10  # (r, index): an element of a sequence; a negative index counts from the end
UNPACK_REST: Final = 11  # (r, before, after): the starred target
ENTER: Final = 12  # (r, line): what `with` binds
COLLECT: Final = 13  # (kind, items): list, tuple or set
DICT: Final = 14  # (keys, values): key -1: `**value`
STORE_NAME: Final = 15  # (scope, name, r): module or class variable, or a variable that nested scopes read
STORE_ATTRIBUTE: Final = 16  # (r, name, value r, line, is the target the method's own first parameter?)
STORE_ITEM: Final = 17  # (r, key r, value r)
PHI: Final = 18  # (registers): where paths of control meet
FUNCTION: Final = 19  # (body, ((position, default r), ...))
CLASS: Final = 20  # (class)
DECORATE: Final = 21  # (r, decorator r, line)
IMPORT: Final = 22  # (module, level, attribute or "", line)
NARROW: Final = 23  # (r, class registers, positive): isinstance
BINARY: Final = 24  # (r, r, method name, line)
RAISE: Final = 25  # (r, line)
TYPED: Final = 26  # (type expression, r, cast?): an annotated variable, or what is said to be nothing else
CAUGHT: Final = 27  # (r): what `except X as e` binds
COUNT: Final = 28  # operations

_REGISTERS = {  # where an operation names a register, and where it lists some
    NAME: ((4,), ()), ATTRIBUTE: ((1, 4), ()), CALL: ((1,), (2,)), SUBSCRIPT: ((1, 2, 4), ()), SLICE: ((1,), ()),
    ITERATE: ((1,), ()), UNPACK: ((1,), ()), UNPACK_REST: ((1,), ()), ENTER: ((1,), ()), COLLECT: ((), (2,)),
    DICT: ((), (1, 2)), STORE_NAME: ((3,), ()), STORE_ATTRIBUTE: ((1, 3), ()), STORE_ITEM: ((1, 2, 3), ()),
    PHI: ((), (1,)), DECORATE: ((1, 2), ()), NARROW: ((1,), (2,)), BINARY: ((1, 2), ()), RAISE: ((1,), ()),
    TYPED: ((2,), ()), CAUGHT: ((1,), ()),
}  # fmt: skip
_NONE: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
_READING = frozenset({*_REGISTERS, FUNCTION})
# Flags of a body. FORWARDS: returns what a variable of an enclosing function returns; CALLS_OUTER: calls such a
# variable; ABSTRACT: cannot but be overridden; EMPTY: does nothing, so that it may well be.
ASYNC: Final = 1
GENERATOR: Final = 2
STATIC: Final = 4
CLASSMETHOD: Final = 8
PROPERTY: Final = 16
SETTER: Final = 32
WRAPS: Final = 64
CONTEXT: Final = 128
OPAQUE: Final = 256
OVERLOAD: Final = 512
FORWARDS: Final = 1024
CALLS_OUTER: Final = 2048
ABSTRACT: Final = 4096
EMPTY: Final = 8192
# Kinds of a parameter.
POSITIONAL: Final = 0
STAR: Final = 1
KEYWORD: Final = 2
STARSTAR: Final = 3


def operands(op: Op) -> list[int]:
    """Return the registers that an operation reads."""
    code = op[0]
    single, lists = _REGISTERS.get(code, _NONE)
    found = [op[n] for n in single]
    for n in lists:
        found += op[n]
    if code == CALL:
        found += [r for _, r in op[3]]
    elif code == FUNCTION:
        found += [r for _, r in op[2]]
    if code in (CALL, COLLECT):
        return [r if r >= 0 else ~r for r in found]
    return [r for r in found if r >= 0]


def users(ops: Sequence[Op]) -> list[int]:
    """Return, for each register the operations that read it, as bits of a number."""
    found, bit = [0] * len(ops), 1
    for op in ops:
        if op[0] in _READING:
            for register in operands(op):
                found[register] |= bit
        bit <<= 1
    return found


class Param(NamedTuple):
    """A parameter: its annotation (None: none) is a type expression."""

    name: str
    kind: int
    annotation: TypeExpr | None


@dataclass(slots=True)
class Body:
    """A scope: module, class or function. `parent` and `owner` are indices of a body and of a class in the same file."""

    kind: str  # "module", "class" or "function"
    name: str
    symbol: int  # index of its definition among the file's symbols
    parent: int
    owner: int  # the class whose body this is, or directly in whose body this function stands; else -1
    flags: int
    params: tuple[Param, ...]
    returns_type: TypeExpr | None
    ops: tuple[Op, ...]
    returns: tuple[int, ...]
    yields: tuple[int, ...]
    loops: tuple[int, ...]  # PHI operations that read a later register
    captured: tuple[tuple[str, tuple[int, ...]], ...]  # variables that nested scopes read, and their definitions
    fields: tuple[str, ...]  # attributes stored on the first parameter
    bindings: dict[
        str, tuple[tuple[Any, ...], ...]
    ]  # name -> ("def", body) ("class", class) ("import", ...) ("var", ...)
    stars: tuple[tuple[str, int], ...]  # `from module import *`: module and level
    global_stores: tuple[str, ...]  # module variables assigned from this function


class ClassRecord(NamedTuple):
    """A class statement. `bases` are type expressions, resolved in the scope of body `parent`."""

    name: str
    symbol: int
    body: int
    parent: int
    bases: tuple[TypeExpr, ...]
    decorators: tuple[str, ...]


class Summary(NamedTuple):
    """What the linker reads of a file. The bodies stay packed until somebody needs one of them."""

    module: str  # dotted name relative to the root; a package's own module bears the package's name
    is_package: bool
    exports: tuple[str, ...] | None  # `__all__`, if it was written out
    imports: tuple[tuple[str, int, str], ...]  # module, level and attribute ("": none) of every import statement
    packed: bytes

    def unpack(self) -> tuple[list[Body], list[ClassRecord]]:
        """Return the bodies (the module's comes first) and the classes."""
        bodies, classes = unpack_plain(self.packed)
        whole = [Body(*body) for body in bodies]
        for body in whole:
            body.params = tuple(map(Param._make, body.params))
        return whole, list(map(ClassRecord._make, classes))


def pack(bodies: list[tuple[Any, ...]], classes: list[ClassRecord]) -> bytes:
    """Return the reverse of `Summary.unpack`; bodies are tuples of their fields. Raises RecursionError if a type
    expression is nested too deep."""
    return pack_plain((bodies, classes))
