"""Runs the program on abstract values until nothing changes: every scope is executed in order, and whatever read something
that has grown since is executed again, operation by operation. What a scope needs is run first, on demand; so the result
is the least fixed point, in whatever order scopes are started. With `flow` off, arguments stay where they are and only
declared types, own assignments and results travel between functions; with it on, values follow calls through the whole
program (compare Salis et al., "PyCG: Practical Call Graph Generation in Python", 2021)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.cells import Cell, union
from graphmem.codegraph.python.classes import Classes
from graphmem.codegraph.python.kinds import EMPTY, INSTANCE, PARAMETER, Values
from graphmem.codegraph.python.names import Names
from graphmem.codegraph.python.program import Program
from graphmem.codegraph.python.types import Types
from graphmem.codegraph.python.values import Cls, Fn, Instance
from graphmem.makeway import make_way

_NEW: Final = 0
_RUNNING: Final = 1
_QUEUED: Final = 2
_DONE: Final = 3
_MAX_DEPTH = 40
_MAX_ROUNDS = 4  # of a scope with loops, at one go
_MAX_WORK = 8  # times the size of the program; then values are followed no further (networkx takes 4, others 2)
_MANY = 2_000  # operations; for larger scopes, cells do not record which operation reads them, and the whole scope runs again
_MAX_RUNS = 60  # of one scope in all: a backstop, never seen to matter

Handler = Callable[["Machine", Fn, ir.Op, int], Values]


@dataclass
class Dispatch:
    """The functions that the machine and its calls run. The module `dispatch` fills this table, because the modules of these
    functions import the machine and not the other way round. `operations` are the handlers, by operation code."""

    operations: tuple[Handler, ...]
    special_method: Callable[..., Values]
    call_external: Callable[..., Values]
    call_container: Callable[..., Values]
    call_row_method: Callable[..., Values]
    infer_result: Callable[..., Values]
    infer_instance: Callable[..., Instance]


class Machine:
    """The state of an execution."""

    def __init__(self, program: Program, dispatch: Dispatch, *, flow: bool) -> None:
        self.program, self.flow, self.pool = program, flow, program.pool
        self.names = Names(program)
        self.classes = Classes(self.names)
        self.types = Types(self.names)
        self.dispatch = dispatch
        self._handlers = dispatch.operations
        self._queue: deque[Fn] = deque()
        self._runs: dict[Fn, int] = {}
        self._annotated: dict[tuple[Fn, int], tuple[Cls, ...]] = {}
        self._depth = 0
        self._work = 0  # operations executed
        self.unfinished = 0  # scopes that should have run once more when the work became too much

    def run(self, fns: Iterable[Fn]) -> None:
        """Execute scopes, and everything they depend on, until nothing changes; with value flow, until a limit."""
        started = list(fns)
        if self.flow:
            stores = (op for fn in started for op in fn.body.ops if op[0] == ir.STORE_ATTRIBUTE)
            self.classes.stored_elsewhere = frozenset(op[2] for op in stores if not op[5])
        for fn in started:
            self.demand(fn)
        most = _MAX_WORK * sum(len(fn.body.ops) for fn in started) if self.flow else float("inf")
        while self._queue and self._work <= most:
            fn = self._queue.popleft()
            if fn.state == _QUEUED:
                self._execute(fn)
        self.unfinished = len({fn for fn in self._queue if fn.state == _QUEUED})

    def demand(self, fn: Fn) -> None:
        """Execute a scope now if it never ran, or schedule it if the stack is already deep."""
        if fn.state == _NEW:
            if self._depth < _MAX_DEPTH:
                self._execute(fn)
            else:
                self.requeue(fn)

    def read(self, fn: Fn, cell: Cell) -> Values:
        """Return the content of a cell for `fn`, which will run again when it changes."""
        if cell.producers:
            producers, cell.producers = cell.producers, ()
            for producer in producers:
                self.demand(producer)
        known = cell.readers.get(fn, 0)
        if known | fn.at != known:
            cell.readers[fn] = known | fn.at
        return cell.values

    def write(self, cell: Cell, values: Values) -> None:
        """Add values to a cell."""
        if not (cell.wide or values <= cell.values) and cell.add(values) and cell.readers:
            self.changed(cell)

    def changed(self, cell: Cell) -> None:
        """Schedule all readers of a cell."""
        for reader, operations in cell.readers.items():
            self.requeue(reader, operations)

    def params(self, fn: Fn) -> list[Cell]:
        """Return the cells of a function's parameters, with their annotated types."""
        if not fn.params and fn.body.params:
            fn.params.extend(self._param(fn, n, p) for n, p in enumerate(fn.body.params))
        return fn.params

    def argument(self, fn: Fn, position: int) -> Values:
        """Return the possible values of a parameter. One without annotation in an overriding method also takes those of
        the base class's method: callers of that one may reach this one."""
        values = self.read(fn, self.params(fn)[position])
        if fn.cls is None or position == 0 or fn.body.params[position].annotation is not None:
            return values
        overridden = self.classes.overridden(fn)
        if overridden is None:
            return values
        name = fn.body.params[position].name
        same = [n for n, p in enumerate(overridden.body.params) if n and p.name == name]
        return union([values, *[self.read(fn, self.params(overridden)[n]) for n in same]])

    def declared(self, fn: Fn) -> Values:
        """Return the values of the return annotation, or of the annotations of the function's overloads."""
        if fn.promise is None:
            fn.promise = EMPTY
            each = [(one, one.body.returns_type) for one in (fn, *self.overloads(fn))]
            fn.promise = union([self.types.values(f.parent or f, says, f.cls) for f, says in each if says is not None])
        return fn.promise

    def overloads(self, fn: Fn) -> tuple[Fn, ...]:
        """Return the `@overload` declarations before a function."""
        if fn.parent is None:
            return ()
        bound = fn.parent.body.bindings.get(fn.body.name, ())
        if len(bound) < 2:
            return ()
        return tuple([f for b in bound if b[0] == "def" and (f := fn.module.fns[b[1]]).body.flags & ir.OVERLOAD])

    def has_varying_result(self, fn: Fn) -> bool:
        """Return whether the annotated result depends on the call."""
        if fn.is_varying is None:
            fn.is_varying = bool(self.overloads(fn)) or (
                fn.body.returns_type is not None
                and fn.parent is not None
                and bool(self.types.variables_in(fn.parent, fn.body.returns_type))
            )
        return fn.is_varying

    def optional_parameters(self, fn: Fn) -> frozenset[int]:
        """Return the positions of the optional parameters."""
        made = fn.parent.body.ops if fn.parent is not None else ()
        index = fn.module.fns.index(fn)
        return frozenset([p for op in made if op[0] == ir.FUNCTION and op[1] == index for p, _ in op[2]])

    def _param(self, fn: Fn, position: int, param: ir.Param) -> Cell:
        parent = fn.parent or fn
        promised = self.types.values(parent, param.annotation, fn.cls) if param.annotation else EMPTY
        if param.kind == ir.STAR or param.kind == ir.STARSTAR:
            container = self.pool.container("tuple" if param.kind == ir.STAR else "dict", (fn, "param", position), fn)
            container.rest.add(promised)
            container.all.add(promised)
            return Cell(container.only)
        if position == 0 and fn.cls is not None and not fn.body.flags & ir.STATIC:
            promised = fn.cls.only if fn.body.flags & ir.CLASSMETHOD else fn.cls.some.only
        return Cell(promised, (parent,))

    def matching_annotation(self, fn: Fn, position: int, values: Values) -> Values:
        """Return the values without instances of project classes that the annotation of a parameter excludes. Values that
        flow through a table of functions reach all of them, but each is called only with values of its declared type."""
        classes = self._annotated.get((fn, position))
        if classes is None:
            classes = self._annotated[fn, position] = self._classes_of(fn, fn.body.params[position].annotation)
        if not classes or all(v.kind != INSTANCE for v in values):
            return values
        return frozenset([v for v in values if not isinstance(v, Instance) or self._is_of(v.cls, classes)])

    def _classes_of(self, fn: Fn, annotation: ir.TypeExpr | None) -> tuple[Cls, ...]:
        """Return the project classes that an annotation names; empty if it accepts other values as well."""
        if annotation is None or _accepts_any_value(annotation):
            return ()
        promised = self.types.values(fn.parent or fn, annotation, fn.cls)
        classes = tuple([v.cls for v in promised if isinstance(v, Instance)])
        for cls in classes:
            self.classes.mro(cls)
        is_nominal = all(not b.endswith(".Protocol") for cls in classes for b in cls.external_bases)
        return classes if is_nominal and len(classes) == len(promised) else ()

    def _is_of(self, cls: Cls, classes: tuple[Cls, ...]) -> bool:
        return any(self.classes.is_subclass(cls, c) or self.classes.is_subclass(c, cls) for c in classes)

    def requeue(self, fn: Fn, operations: int = 0) -> None:
        """Schedule these operations of a scope (a bit for each) and what depends on them."""
        fn.pending |= operations
        if fn.state != _QUEUED:
            fn.state = _QUEUED
            self._queue.append(fn)

    def _execute(self, fn: Fn) -> None:
        make_way()
        runs = self._runs[fn] = self._runs.get(fn, 0) + 1
        if runs > _MAX_RUNS:
            fn.state = _DONE
            return
        fn.state = _RUNNING
        self._depth += 1
        again = fn.pending
        fn.pending = 0
        self._execute_changed(fn, again if fn.registers else self._execute_all(fn))
        fn.at = 0
        self._publish(fn)
        self._depth -= 1
        if fn.state == _RUNNING:
            fn.state = _DONE

    def _execute_all(self, fn: Fn) -> int:
        """Execute all operations in order. Return those that read a later register, which changed after they ran."""
        ops, handlers, registers = fn.body.ops, self._handlers, fn.registers
        registers.extend([EMPTY] * len(ops))
        self._work += len(ops)
        whole = (1 << len(ops)) - 1 if len(ops) > _MANY else 0
        for index, op in enumerate(ops):
            fn.at = whole or 1 << index
            registers[index] = handlers[op[0]](self, fn, op, index)
        late = [phi for phi in fn.body.loops if ops[phi][0] == ir.PHI]
        return sum(1 << phi for phi in late if not union(registers[r] for r in ops[phi][1]) <= registers[phi])

    def _execute_changed(self, fn: Fn, operations: int) -> None:
        """Execute some operations in order, and those that use a result that changed."""
        ops, handlers, registers = fn.body.ops, self._handlers, fn.registers
        if operations and not fn.users:
            fn.users.extend(ir.users(ops))
        whole = (1 << len(ops)) - 1 if len(ops) > _MANY else 0
        for _ in range(_MAX_ROUNDS):
            ahead, operations = operations, 0
            while ahead:
                bit = ahead & -ahead
                ahead ^= bit
                index, fn.at = bit.bit_length() - 1, whole or bit
                self._work += 1
                values = handlers[ops[index][0]](self, fn, ops[index], index)
                if values != registers[index]:
                    registers[index] = values
                    ahead |= fn.users[index] & -bit << 1
                    operations |= fn.users[index] & bit - 1  # in a loop: in the next round
                if fn.pending:  # it wrote what it reads itself
                    ahead |= fn.pending & -bit << 1
                    operations |= fn.pending & (bit << 1) - 1
                    fn.pending = 0
        if operations:
            self.requeue(fn, operations)

    def _publish(self, fn: Fn) -> None:
        """Write the results of a scope to its cells, so that readers run again."""
        registers = fn.registers
        for name, definitions in fn.body.captured:
            self.write(self.names.variable(fn, name), union(registers[r] for r in definitions))
        if fn.body.yields:
            self.write(fn.yields, union(registers[r] for r in fn.body.yields))
        if fn.body.name == "__getattr__":
            self.write(fn.forwarded, union(registers[r] for r in _getattr_registers(fn)))
        if fn.body.returns:
            self.write(fn.result, union(self._trace(fn, r, 0) for r in fn.body.returns))
            fn.is_symbolic = any(v.kind == PARAMETER for v in fn.result.values)

    def _trace(self, fn: Fn, register: int, depth: int) -> Values:
        """Return what a returned register holds; parameters that are handed through stay symbolic, so that each
        caller gets its own argument back and not everybody's."""
        op = fn.body.ops[register]
        if depth > 4:
            return fn.registers[register]
        if op[0] == ir.PARAM and fn.body.params[op[1]].kind in (ir.POSITIONAL, ir.KEYWORD):
            return self.pool.parameter(fn, op[1]).only
        if op[0] == ir.PHI:
            return union(self._trace(fn, r, depth + 1) for r in op[1])
        if op[0] == ir.CALL:
            position, instantiated = _class_of_parameter(fn, op[1])
            if position >= 0:
                return self.pool.parameter(fn, position, instantiated).only
            passed = fn.passed_on.get(register)
            if passed is not None:
                plain, sources = passed
                parts = [self._trace(fn, s, depth + 1) if isinstance(s, int) else s for s in sources]
                return union([plain, *parts])
        return fn.registers[register]

    def resolve(self, fn: Fn, values: Values) -> Values:
        """Replace symbolic parameters by everything that reaches them."""
        if all(v.kind != PARAMETER for v in values):
            return values
        parts = [v.only if v.kind != PARAMETER else self._values_reaching(fn, v) for v in values]
        return union(parts)

    def _values_reaching(self, fn: Fn, value: object) -> Values:
        found = self.read(fn, self.params(value.fn)[value.position])  # type: ignore[attr-defined]
        return instances(found) if value.instantiated else found  # type: ignore[attr-defined]


def _accepts_any_value(expression: ir.TypeExpr) -> bool:
    """Return whether a type expression accepts every value: it is Any or object, or a union with one of them."""
    if expression[0] == "union":
        return any(_accepts_any_value(part) for part in expression[1])
    return expression[0] != "index" and expression[-1] in ("Any", "object")


def instances(classes: Values) -> Values:
    """Return one instance of each project class."""
    return union(c.instance.only for c in classes if hasattr(c, "instance"))


def _getattr_registers(fn: Fn) -> list[int]:
    """Return the registers x of `getattr(x, name)`, where the name is the second parameter."""
    ops = fn.body.ops
    calls = [op for op in ops if op[0] == ir.CALL and ops[op[1]][:3:2] == (ir.NAME, "getattr") and len(op[2]) > 1]
    return [op[2][0] for op in calls if min(op[2][:2]) >= 0 and ops[op[2][1]][:2] == (ir.PARAM, 1)]


def _class_of_parameter(fn: Fn, register: int) -> tuple[int, bool]:
    """Return the parameter whose class this register is (`x.__class__`, `type(x)`, `cls` itself: True), or -1."""
    ops = fn.body.ops
    op = ops[register]
    if op[0] == ir.ATTRIBUTE and op[2] == "__class__" and ops[op[1]][0] == ir.PARAM:
        return ops[op[1]][1], False
    if op[0] == ir.CALL and ops[op[1]][0] == ir.NAME and ops[op[1]][2] == "type" and len(op[2]) == 1:
        subject = ops[op[2][0]] if op[2][0] >= 0 else ops[register]
        return (subject[1], False) if subject[0] == ir.PARAM else (-1, False)
    if op[:2] == (ir.PARAM, 0) and fn.cls is not None and fn.body.flags & ir.CLASSMETHOD:
        return 0, True
    return -1, False
