"""The state of lowering one scope: its operations so far and, for every variable and every access path such as `self.x`
or `d["key"]`, the register that reaches the current place. Branches and loops merge registers here (after Braun et al.,
"Simple and efficient construction of static single assignment form", 2013, for structured control flow)."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.typeparams import NONE, TypeParams
from graphmem.model.code import Symbol

Env = dict[str, int]


@dataclass(slots=True)
class Loop:
    """A loop under construction: the environment it was entered with, and those that leave it early."""

    entry: Env
    phis: Env = field(default_factory=dict)
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)


class File(ABC):
    """The file under construction, as its scopes see it; `lowering` has the rest."""

    __deletable__ = ("module",)  # for the compiled form

    path: str
    lines: list[bytes]
    symbols: list[Symbol]
    keys: dict[str, int]
    module: Scope

    @abstractmethod
    def register(self, scope: Scope) -> int:
        """Give a scope its index."""

    @abstractmethod
    def function(self, scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Lower a function where it is defined."""

    @abstractmethod
    def lambda_(self, scope: Scope, node: ast.Lambda) -> int:
        """Lower a lambda where it stands; return its register."""

    @abstractmethod
    def class_(self, scope: Scope, node: ast.ClassDef) -> None:
        """Lower a class statement where it stands."""

    @abstractmethod
    def assign_variable(
        self, scope: Scope, target: ast.Name, register: int, value: ast.expr | None = None,
        annotation: ir.TypeExpr | None = None, says: ast.expr | None = None,
    ) -> None:  # fmt: skip
        """Bind a variable."""

    @abstractmethod
    def declare_field(self, scope: Scope, target: ast.Attribute) -> None:
        """Note an attribute that a method stores on its own object (or class)."""


class Scope:
    """One scope under construction. Registers are indices into `ops`."""

    __slots__ = (
        "bindings", "captured", "complexity", "comprehended", "constants", "declared_global", "declared_outer",
        "defs", "env", "fields", "file", "flags", "global_stores", "index", "kind", "lambdas", "live", "loop_phis",
        "loops", "name", "node", "ops", "owner", "params", "parent", "paths", "prefix", "receiver", "returns",
        "returns_type", "shadowed", "stars", "symbol", "tentative", "type_params", "yields",
    )  # fmt: skip

    def __init__(self, file: File, kind: str, name: str, parent: Scope | None, node: ast.AST) -> None:
        self.file, self.kind, self.name, self.parent, self.node = file, kind, name, parent, node
        self.type_params: TypeParams = parent.type_params if parent is not None else NONE
        self.index = file.register(self)
        self.ops: list[ir.Op] = []
        self.env: Env = {}
        self.live = True  # does control reach the current place?
        self.loops: list[Loop] = []
        self.paths: dict[str, set[str]] = {}  # variable -> the access paths in `env` that start with it
        self.defs: dict[str, list[int]] = {}  # variable -> all its definitions
        self.comprehended: dict[str, list[int]] = {}  # variables of comprehensions, likewise
        self.shadowed: list[str] = []  # those of the comprehensions around the current place
        self.constants: dict[Any, int] = {}
        self.bindings: dict[str, list[tuple[Any, ...]]] = {}
        self.tentative: list[tuple[int, str]] = []  # reads of names that may yet prove local
        self.declared_global: set[str] = set()
        self.declared_outer: set[str] = set()
        self.global_stores: set[str] = set()
        self.captured: set[str] = set()
        self.fields: dict[str, None] = {}
        self.returns: list[int] = []
        self.yields: list[int] = []
        self.loop_phis: list[int] = []
        self.stars: list[tuple[str, int]] = []
        self.params: tuple[ir.Param, ...] = ()
        self.returns_type: ir.TypeExpr | None = None
        self.receiver = ""  # name of the first parameter of a method
        self.owner = -1
        self.flags = 0
        self.symbol = -1
        self.lambdas = 0
        self.complexity = 1
        self.prefix = ""  # qualified name of this scope

    def emit(self, *op: Any) -> int:
        """Append an operation; return its register."""
        ops = self.ops
        ops.append(op)
        return len(ops) - 1

    def constant(self, *op: Any) -> int:
        """Return the register of an operation without operands, which need not be repeated."""
        key = (op[0], type(op[-1]), op[-1])
        register = self.constants.get(key, -1)
        if register < 0:
            register = self.constants[key] = self.emit(*op)
        return register

    # -- reading and writing variables ---------------------------------------------------------------------------------

    def reaching(self, key: str) -> int:
        """Return the register that holds variable or path `key` here, or -1. Inside a loop, what the loop may still
        change."""
        register = self.env.get(key, -1)
        if register >= 0 and self.loops and key != self.receiver:
            for loop in self.loops:
                if loop.entry.get(key, -1) == register:
                    if key not in loop.phis:
                        loop.phis[key] = self.emit(ir.PHI, (register,))
                    self.env[key] = register = loop.phis[key]
                    for inner in self.loops[self.loops.index(loop) + 1 :]:
                        inner.entry[key] = register
        return register

    def load(self, name: str, line: int) -> int:
        """Return the register of a name that is read here."""
        if name in self.declared_global:
            return self.emit(ir.NAME, 0, name, line, -1)
        register = self.reaching(name) if self.loops else self.env.get(name, -1)
        if register >= 0:
            if (self.kind != "function" or name in self.bindings) and name not in self.shadowed:
                return self.emit(ir.NAME, self.index, name, line, register)
            return register
        register = self.emit(ir.NAME, self.outer(name), name, line, -1)
        if self.kind == "function":
            self.tentative.append((register, name))
        return register

    def outer(self, name: str) -> int:
        """Return the index of the enclosing scope that `name` belongs to, if it is not a name of this one."""
        if self.kind != "function" and name in self.bindings:
            return self.index
        scope = self.parent
        while scope is not None and scope.parent is not None:
            owns = scope.kind == "function" and name not in scope.declared_global
            if owns and (name in scope.defs or name in scope.comprehended):
                scope.captured.add(name)
                return scope.index
            scope = scope.parent
        if scope is not None and name in scope.comprehended and name not in scope.bindings:
            scope.captured.add(name)
        return 0

    def assign(self, name: str, register: int) -> None:
        """Bind a variable, in whichever scope it was declared for."""
        if name in self.declared_global:
            self.global_stores.add(name)
            self.file.module.bindings.setdefault(name, [("var", -1, None, None)])
            self.emit(ir.STORE_NAME, 0, name, register)
            return
        if name in self.declared_outer:
            self.emit(ir.STORE_NAME, self.outer(name), name, register)
            return
        if name in self.paths:
            self._forget_paths(name, name)
        self.env[name] = register
        self.defs.setdefault(name, []).append(register)
        if self.kind != "function":
            self.emit(ir.STORE_NAME, self.index, name, register)

    def assign_path(self, path: str, register: int) -> None:
        """Remember what was stored at `path`, such as "self.x"; a register that says nothing is forgotten instead."""
        root = path.partition(".")[0].partition("[")[0]
        self._forget_paths(root, path)
        code = self.ops[register][0]
        if code != ir.UNKNOWN:
            self.env[path] = register
            self.paths.setdefault(root, set()).add(path)

    def bind(self, name: str, register: int, *binding: Any) -> None:
        """Bind a name to a definition or an import, which the linker looks up without running anything."""
        self.bindings.setdefault(name, []).append(binding)
        if name in self.declared_global or name in self.declared_outer:
            self.assign(name, register)
            return
        if name in self.paths:
            self._forget_paths(name, name)
        self.env[name] = register
        self.defs.setdefault(name, []).append(register)

    def comprehend(self, name: str, register: int) -> None:
        """Bind a variable of a comprehension; the caller restores `env` and `shadowed` afterwards."""
        self.env[name] = register
        self.shadowed.append(name)
        self.comprehended.setdefault(name, []).append(register)

    def _forget_paths(self, root: str, prefix: str) -> None:
        """Drop what was known about `prefix` and everything reached through it."""
        known = self.paths.get(root)
        if known:
            gone = {p for p in known if p.startswith(prefix) and p[len(prefix) : len(prefix) + 1] in ("", ".", "[")}
            for path in gone:
                self.env.pop(path, None)
            known -= gone

    # -- control flow --------------------------------------------------------------------------------------------------

    def merge(self, *ways: Env | None) -> None:
        """Continue where several ways meet; None stands for a way that never gets here."""
        open_ways = [w for w in ways if w is not None]
        self.live = bool(open_ways)
        if not open_ways:
            return
        self.env = self._joined(open_ways, {})

    def branch(self) -> Env | None:
        """Return the environment at the end of a way, or None if control does not get there."""
        return self.env if self.live else None

    def open_loop(self) -> Loop:
        """Enter a loop."""
        loop = Loop(dict(self.env))
        self.loops.append(loop)
        self.env = dict(self.env)
        return loop

    def close_loop(self) -> tuple[Env, list[Env]]:
        """Leave the loop's body: the environment at its head (when it was run through) and those of its breaks."""
        loop = self.loops.pop()
        back = [*loop.continues, *([self.env] if self.live else [])]
        for key, phi in loop.phis.items():
            sources = [*self.ops[phi][1], *(way.get(key, phi) for way in back)]
            sources = [r for r in dict.fromkeys(sources) if r != phi]
            self.ops[phi] = (ir.PHI, tuple(sources))
            if any(r > phi for r in sources):
                self.loop_phis.append(phi)
            elif len(sources) == 1:
                loop.phis[key] = sources[0]  # the loop never assigns it
        return self._joined([loop.entry, *back], loop.phis), loop.breaks

    def _joined(self, ways: list[Env], merged: Env) -> Env:
        """One environment of several: what is in `merged` of the first is merged already. A path is known only where it is
        known on all ways."""
        first = ways[0]
        ways = [first, *[way for way in ways[1:] if way is not first and way != first]]
        if len(ways) == 1 and not merged:
            return first
        joined: Env = {}
        for key in dict.fromkeys([key for way in ways for key in way]):
            known = [way.get(key, -1) for way in ways]
            if key in merged and key in first:
                joined[key] = merged[key]
            elif known.count(known[0]) == len(known):
                joined[key] = known[0]
            elif -1 not in known or _is_variable(key):
                registers = tuple(dict.fromkeys([register for register in known if register >= 0]))
                joined[key] = registers[0] if len(registers) == 1 else self.emit(ir.PHI, registers)
        return joined

    # -- the finished scope ---------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Settle the names that were read before anything assigned them."""
        for register, name in self.tentative:
            if name in self.defs and name not in self.declared_global and name not in self.declared_outer:
                _, _, _, line, _ = self.ops[register]
                later = self.emit(ir.PHI, tuple(self.defs[name]))
                self.loop_phis.append(later)
                if name in self.bindings:
                    self.ops[register] = (ir.NAME, self.index, name, line, later)
                else:
                    self.ops[register] = (ir.PHI, (later,))
                self.loop_phis.append(register)

    def body(self) -> tuple[Any, ...]:
        """Return the fields of `ir.Body`."""
        return (
            self.kind, self.name, self.symbol, self.parent.index if self.parent else -1, self.owner, self.flags,
            tuple(map(tuple, self.params)), self.returns_type, tuple(self.ops),
            tuple(dict.fromkeys(self.returns)), tuple(self.yields), tuple(sorted(set(self.loop_phis))),
            tuple((n, (*self.defs.get(n, ()), *self.comprehended.get(n, ()))) for n in sorted(self.captured)),
            tuple(self.fields), {k: tuple(v) for k, v in self.bindings.items()}, tuple(self.stars),
            tuple(sorted(self.global_stores)),
        )  # fmt: skip


def _is_variable(key: str) -> bool:
    return "." not in key and "[" not in key
