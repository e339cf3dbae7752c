"""Converts the outcome of an execution to records of the code graph: what each operation refers to, calls or imports, and
unresolved calls. Nothing is executed here; all registers have their final values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set

from graphmem.codegraph.python import attributes, containers, ir
from graphmem.codegraph.python.bindings import Binding
from graphmem.codegraph.python.builtin_calls import is_callable
from graphmem.codegraph.python.builtin_types import CALLS_ARGUMENTS, PROTOCOLS
from graphmem.codegraph.python.edges import Edges
from graphmem.codegraph.python.kinds import EXTERNAL, MODULE, Value, Values
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.operations import decorator_values
from graphmem.codegraph.python.reasons import callee_name, provenance, why_unresolved
from graphmem.codegraph.python.targets import Target, targets
from graphmem.codegraph.python.values import Bound, Cls, External, Fn, Instance, Module, Super
from graphmem.codegraph.records import FileLinks, external_key
from graphmem.codegraph.tests_of import is_outside_sources
from graphmem.model.code import CallSite

TYPE, FLOW, MAYBE, ONE_OF_MANY = ("type", 0.95), ("flow", 0.9), ("override", 0.7), ("candidate", 0.5)
OPERATOR = ("operator", 0.9)
_FEW = 3
_COPIES = ("dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve", "._replace")
_OF_SETTINGS = re.compile(
    r"(?:^|\.)settings\.[A-Z][A-Z0-9_]*\.\w+$"
)  # a method of what the user puts there: any object
_NONE: frozenset[Value] = frozenset()
_ITERATION = (("__iter__", "__next__"), ("__aiter__", "__anext__"))


class Report:
    """The records of an executed program, module by module."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.edges = Edges()
        self.call_sites: list[CallSite] = []
        self._callees: frozenset[int] = frozenset()
        self._targets: dict[Value, tuple[Target, ...]] = {}
        self._imports: dict[Module, frozenset[Module]] = {}
        modules = machine.program.by_path
        self._test_modules = frozenset([m for path, m in modules.items() if is_outside_sources(path, "python")])

    def module(self, module: Module) -> FileLinks:
        """Return all records of one file."""
        self.edges, self.call_sites = Edges(), []
        self._definitions(module)
        for cls in module.classes:
            self._class(cls)
        for fn in module.fns:
            ops = fn.body.ops
            self._callees = frozenset([op[1] for op in ops if op[0] == ir.CALL])
            for index, op in enumerate(ops):
                handler = _OPERATIONS[op[0]]
                if handler is not None:
                    handler(self, fn, op, index)
        return FileLinks(self.edges.sorted_edges(), tuple(sorted(self.call_sites)))

    # -- structure -----------------------------------------------------------------------------------------------------

    def _definitions(self, module: Module) -> None:
        symbols = module.facts.symbols if module.facts else ()
        keys = {s.key for s in symbols}
        for symbol in symbols[1:]:
            first, _, number = symbol.key.rpartition("~")  # of a name that is defined again; a path may hold one, too
            parent = (first if number.isdigit() else symbol.key)[: -len(symbol.name) - 1]
            source = parent if parent in keys else module.key
            self.edges.add("DEFINES", source, symbol.key, symbol.line, "scope", 1.0)

    def _class(self, cls: Cls) -> None:
        line = _line_of(cls.module, cls.record.symbol)
        for base in self.machine.classes.bases(cls):
            if isinstance(base, Cls):
                strategy = "scope" if base.module is cls.module else "import"
                self.edges.add("EXTENDS", cls.key, base.key, line, strategy, 1.0)
            elif isinstance(base, External):
                self.edges.add("EXTENDS", cls.key, external_key(base.name), line, "import", 1.0)
        for method in cls.methods:
            overridden = self.machine.classes.member(cls, method.body.name, cls)
            for value in (*overridden.values, *overridden.getters):
                if isinstance(value, Fn):
                    line = _line_of(cls.module, method.body.symbol)
                    self.edges.add("OVERRIDES", method.key, value.key, line, "type", 0.95)

    # -- references ----------------------------------------------------------------------------------------------------

    def _add_reference(
        self, fn: Fn, keys: Iterable[str], line: int, index: int, strategy: str, confidence: float
    ) -> None:
        for key in keys:
            self.edges.refer(fn.key, key, line, strategy, confidence)
            if index not in self._callees and index >= 0 and key != fn.key:
                self.edges.add("USES", fn.key, key, line, strategy, confidence)

    def _name(self, fn: Fn, op: ir.Op, index: int) -> None:
        binding = self.machine.names.lookup(fn.module.fns[op[1]], op[2])
        if binding.keys:
            self._add_reference(fn, binding.keys, op[3] or fn.body.ops[index][3], index, binding.strategy, 1.0)

    def _attribute(self, fn: Fn, op: ir.Op, index: int) -> None:
        receivers = fn.registers[op[1]]
        found = [(value, *self._definition(fn, value, op[2], op[1])) for value in receivers]
        covered = _subsumed_instances(self.machine, receivers)
        many = len({keys for value, keys, _ in found if keys and value not in covered}) > _FEW
        for value, keys, how in found:
            if many or value in covered:
                for key in keys:
                    self.edges.refer(fn.key, key, op[3], *(ONE_OF_MANY if many else MAYBE))
            elif keys:
                self._add_reference(fn, keys, op[3], index, *how)
                self._getters(fn, value, op, *how)

    def _definition(self, fn: Fn, value: Value, name: str, register: int) -> tuple[tuple[str, ...], tuple[str, float]]:
        """Return the keys of the definitions of `value.name`, and strategy and confidence."""
        if isinstance(value, Module):
            return self.machine.names.member(value, name).keys, ("import", 1.0)
        found = attributes.member_of(self.machine, value, name)
        if found is None:
            return (), TYPE
        return found[0].keys, TYPE if provenance(fn, register) == "type" else FLOW

    def _getters(self, fn: Fn, value: Value, op: ir.Op, strategy: str, confidence: float) -> None:
        found = attributes.member_of(self.machine, value, op[2])
        if found is not None and not isinstance(value, Cls):
            for getter in found[0].getters:
                self.edges.add("CALLS", fn.key, getter.key, op[3], strategy, confidence)
                for other in self._subclass_methods(value, getter) if isinstance(value, Instance) else ():
                    self.edges.refer(fn.key, other.key, op[3], *MAYBE)

    def _store_attribute(self, fn: Fn, op: ir.Op, index: int) -> None:
        for value in fn.registers[op[1]]:
            keys, how = self._definition(fn, value, op[2], op[1])
            self._add_reference(fn, keys, op[4], -1, *how)
            found = attributes.member_of(self.machine, value, op[2])
            if found is not None and found[0].getters and found[0].home is not None:
                for setter in found[0].home.methods:
                    if setter.body.name == op[2] and setter.body.flags & ir.SETTER:
                        self.edges.add("CALLS", fn.key, setter.key, op[4], *how)

    def _import(self, fn: Fn, op: ir.Op, index: int) -> None:
        _, dotted, level, attribute, line = op
        if not line:
            return
        found = self.machine.program.find(fn.module, dotted, level)
        binding = self.machine.names.imported(fn.module, dotted, level, attribute)
        source = fn.module.key
        if isinstance(found, str):
            if found:
                self.edges.add("IMPORTS", source, external_key(found), line, "import", 1.0)
        elif found.key and found.key != source:
            self.edges.add("IMPORTS", source, found.key, line, "import", 1.0)
        self._imported(fn, binding, line)

    def _imported(self, fn: Fn, binding: Binding, line: int) -> None:
        for key in binding.keys:
            if key != fn.module.key:
                self.edges.add("IMPORTS", fn.module.key, key, line, "import", 1.0)
                self.edges.refer(fn.key, key, line, "import", 1.0)
        for value in binding.values:
            if isinstance(value, External) and not value.name.startswith("<builtin>"):
                self.edges.add("IMPORTS", fn.module.key, external_key(value.name), line, "import", 1.0)

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _call(self, fn: Fn, op: ir.Op, index: int) -> None:
        callees = fn.registers[op[1]]
        if not self._add_calls(fn, callees, op[1], op[4], op):
            self.call_sites.append(
                CallSite(
                    fn.key, fn.module.facts.path if fn.module.facts else "", op[4], op[5],
                    callee_name(fn, op), op[6], why_unresolved(fn, op[1]),
                )
            )  # fmt: skip

    def _add_calls(self, fn: Fn, callees: Values, register: int, line: int, op: ir.Op | None = None) -> bool:
        """Add the edges of a call of any of `callees`; return whether the call is resolved. Declared callees get CALLS
        edges; overriding methods that may run instead get references."""
        strategy, confidence = self._strategy(fn, register)
        callees, test_callees = self._split_test_callees(fn, callees)
        for fixture in {t for callee in test_callees for t in self._targets_of(callee) if not isinstance(t, str)}:
            self.edges.add("CALLS", fn.key, fixture.key, line, *FLOW)  # kept apart once all files are linked
        certain = self._certain_callees(fn, callees, register, line)
        different = len({c.target if isinstance(c, Bound) else c for c in certain}) if len(certain) > 1 else 1
        if different > 1:
            confidence -= 0.1 if different <= _FEW else 0.3
        known = False
        for callee in certain:
            overrides = self._overrides(fn, callee, register) if op is not None else []
            self._add_possible_calls(fn, overrides, line)
            for target in self._targets_of(callee):
                if isinstance(target, str) and _OF_SETTINGS.search(target):
                    continue
                known = known or bool(overrides) or not _is_protocol_method(target)
                if not isinstance(target, str):
                    self.edges.add("CALLS", fn.key, target.key, line, strategy, confidence)
                elif not _has_no_effect(fn, target, op):
                    self.edges.add("CALLS", fn.key, external_key(target), line, strategy, confidence)
            outside = callee.target if isinstance(callee, Bound) else callee
            if op is not None and isinstance(outside, External):
                self._add_callback_calls(fn, outside, op)
                if op[3] and outside.name.endswith(_COPIES):
                    self._add_copied_fields(fn, outside, op)
        return known

    def _add_copied_fields(self, fn: Fn, callee: External, op: ir.Op) -> None:
        """Record that `dataclasses.replace(x, name=...)` and `x._replace(name=...)` write these fields of a copy."""
        if callee.name.endswith("._replace"):
            register = fn.body.ops[op[1]][1] if fn.body.ops[op[1]][0] == ir.ATTRIBUTE else -1
        else:
            register = op[2][0] if op[2] else -1
        for value in fn.registers[register] if register >= 0 else ():
            for name in [name for name, _ in op[3] if name is not None]:
                keys, how = self._definition(fn, value, name, register)
                self._add_reference(fn, keys, op[4], -1, *how)

    def _split_test_callees(self, fn: Fn, callees: Values) -> tuple[Values, Values]:
        """Split the callees into those of the sources, and those that only tests pass in: with a few fixtures, a call
        would have too many candidates. What a source file imports from a test counts as its own."""
        if not self._test_modules or fn.module in self._test_modules:
            return callees, _NONE
        test_callees = frozenset([c for c in callees if self._is_passed_by_tests(fn, c)])
        return (callees - test_callees, test_callees) if test_callees else (callees, _NONE)

    def _is_passed_by_tests(self, fn: Fn, callee: Value) -> bool:
        home = callee
        if isinstance(callee, Bound):
            home = callee.target if isinstance(callee.target, Fn) else callee.receiver
        if isinstance(home, Instance):
            home = home.cls
        return (
            isinstance(home, Fn | Cls)
            and home.module in self._test_modules
            and home.module not in self._imported_modules(fn.module)
        )

    def _imported_modules(self, module: Module) -> frozenset[Module]:
        """Return the modules that a module imports itself."""
        found = self._imports.get(module)
        if found is None:
            program = self.machine.program
            named = {(op[1], op[2], op[3]) for fn in module.fns for op in fn.body.ops if op[0] == ir.IMPORT}
            places = [program.find(module, dotted, level) for dotted, level, _ in named]
            places += [program.find(module, f"{d}.{name}".lstrip("."), level) for d, level, name in named if name]
            found = self._imports[module] = frozenset([place for place in places if not isinstance(place, str)])
        return found

    def _targets_of(self, callee: Value) -> tuple[Target, ...]:
        found = self._targets.get(callee)
        if found is None:
            found = self._targets[callee] = tuple(targets(self.machine, callee))
        return found

    def _certain_callees(self, fn: Fn, callees: Values, register: int, line: int) -> list[Value]:
        """Return the callees that certainly may run, and add references for the others: methods of a subclass if a
        receiver is declared to be of its base, and all methods of a call with too many candidates."""
        at = fn.body.ops[register]
        if at[0] != ir.ATTRIBUTE or len(callees) == 1:
            return list(callees)
        covered, certain = _subsumed_instances(self.machine, fn.registers[at[1]]), []
        for callee in callees:
            if isinstance(callee, Bound) and callee.receiver in covered:
                self._add_possible_calls(fn, [t for t in self._targets_of(callee) if isinstance(t, Fn)], line)
            else:
                certain.append(callee)
        methods: dict[Value, Fn] = {}
        for callee in certain:
            target = callee.target if isinstance(callee, Bound) else callee
            if isinstance(target, Fn) and target.cls is not None:
                methods[callee] = target
        if len(set(methods.values())) <= _FEW:
            return certain
        self._add_possible_calls(fn, methods.values(), line, ONE_OF_MANY)
        return [c for c in certain if c not in methods]

    def _add_possible_calls(self, fn: Fn, methods: Iterable[Fn], line: int, how: tuple[str, float] = MAYBE) -> None:
        """Add references to methods that may run instead of the called one."""
        for method in methods:
            self.edges.refer(fn.key, method.key, line, *how)

    def _overrides(self, fn: Fn, callee: Value, register: int) -> list[Fn]:
        """Return the methods of subclasses that may run instead: the receiver may be of any subclass, or must be
        because the method is abstract."""
        op = fn.body.ops[register]
        if not isinstance(callee, Bound) or op[0] != ir.ATTRIBUTE:
            return []
        method, receiver = callee.target, callee.receiver
        if not isinstance(method, Fn) or not isinstance(receiver, Instance):
            return []
        if any(isinstance(v, Super) for v in fn.registers[op[1]]):
            return []
        return self._subclass_methods(receiver, method, is_own=fn.body.ops[op[1]] == (ir.PARAM, 0))

    def _subclass_methods(self, receiver: Instance, method: Fn, *, is_own: bool = False) -> list[Fn]:
        """Return the methods of subclasses of the receiver's class that override a method. Calls on `self`, and of
        abstract or empty methods, may reach every override; other calls with too many candidates reach none."""
        if not (method.body.flags & ir.ABSTRACT or receiver.is_open):
            return []
        members = [
            self.machine.classes.member(s, method.body.name) for s in self.machine.classes.subclasses(receiver.cls)
        ]
        found = dict.fromkeys(v for m in members for v in (*m.values, *m.getters) if isinstance(v, Fn))
        others = [v for v in found if v is not method and not v.body.flags & ir.ABSTRACT]
        if is_own or method.body.flags & (ir.ABSTRACT | ir.EMPTY) or len(others) <= _FEW:
            return others
        return []

    def _add_callback_calls(self, fn: Fn, callee: External, op: ir.Op) -> None:
        """Record that `map`, `sorted(key=...)` and similar functions call their arguments here, and `len` and similar
        functions a special method of them."""
        for name in PROTOCOLS.get(callee.name, ()):
            for register in (r for r in op[2][:1] if r >= 0):
                if name == "__iter__":
                    self._iterate(fn, (ir.ITERATE, register, op[4]), -1)
                else:
                    self._add_special_calls(fn, register, op[4], name)
        if callee.name in CALLS_ARGUMENTS and not callee.is_instance:
            for register in (*(r for r in op[2] if r >= 0), *(r for k, r in op[3] if k)):
                given = frozenset(v for v in fn.registers[register] if is_callable(v))
                self._add_calls(fn, given, register, op[4])

    def _strategy(self, fn: Fn, register: int) -> tuple[str, float]:
        op = fn.body.ops[register]
        if op[0] == ir.NAME:
            binding = self.machine.names.lookup(fn.module.fns[op[1]], op[2])
            if fn.registers[register] and fn.registers[register] <= binding.values:
                return binding.strategy, 1.0
            return FLOW
        if op[0] == ir.ATTRIBUTE:
            if any(v.kind == MODULE or v.kind == EXTERNAL for v in fn.registers[op[1]]):
                return "import", 1.0
            return TYPE if provenance(fn, op[1]) == "type" else FLOW
        return FLOW

    def _decorate(self, fn: Fn, op: ir.Op, index: int) -> None:
        found = decorator_values(fn, op)
        called = [v for v in found if not (isinstance(v, External) and v.name.startswith("<builtin>."))]
        self._add_calls(fn, frozenset(called), op[2], op[3])

    def _raise(self, fn: Fn, op: ir.Op, index: int) -> None:
        self._add_calls(fn, frozenset(v for v in fn.registers[op[1]] if isinstance(v, Cls)), op[1], op[2])

    # -- calls that have no parentheses ----------------------------------------------------------------------------------

    def _add_special_calls(self, fn: Fn, register: int, line: int, *names: str) -> None:
        values = [value for value in fn.registers[register] if isinstance(value, Instance)]
        for name in names if values else ():
            self._add_implicit_calls(fn, line, values, name)

    def _add_implicit_calls(self, fn: Fn, line: int, values: Iterable[Value], name: str) -> None:
        """Record the call of a special method that the syntax implies, such as `__enter__` of `with`."""
        calls: dict[tuple[Instance, Fn], None] = {}
        for value in values:
            if isinstance(value, Instance):
                methods = self.machine.classes.member(value.cls, name).values
                calls |= {(value, method): None for method in methods if isinstance(method, Fn)}
        if len({method for _, method in calls}) > _FEW:
            self._add_possible_calls(fn, (method for _, method in calls), line, ONE_OF_MANY)
            return
        for value, method in calls:
            self.edges.add("CALLS", fn.key, method.key, line, *OPERATOR)
            self._add_possible_calls(fn, self._subclass_methods(value, method), line)

    def _iterate(self, fn: Fn, op: ir.Op, index: int) -> None:
        values = [value for value in fn.registers[op[1]] if isinstance(value, Instance)]
        iterators = {i: None for value in values for i in containers.iterators(self.machine, fn, value)}
        for first, following in _ITERATION if values else ():
            self._add_implicit_calls(fn, op[2], values, first)
            self._add_implicit_calls(fn, op[2], iterators, following)

    def _enter(self, fn: Fn, op: ir.Op, index: int) -> None:
        self._add_special_calls(fn, op[1], op[2], "__enter__", "__exit__", "__aenter__", "__aexit__")

    def _subscript(self, fn: Fn, op: ir.Op, index: int) -> None:
        self._add_special_calls(fn, op[1], op[3], "__getitem__")

    def _binary(self, fn: Fn, op: ir.Op, index: int) -> None:
        self._add_special_calls(fn, op[1], op[4], op[3])


def _is_protocol_method(target: Target) -> bool:
    """Return whether a target is a method of a protocol: which class implements it is unknown."""
    if not isinstance(target, Fn) or target.cls is None or not target.body.flags & ir.ABSTRACT:
        return False
    return any(b.endswith(".Protocol") for b in target.cls.external_bases)


def _subsumed_instances(machine: Machine, values: Values) -> Set[Value]:
    """Return the instances of subclasses whose base, with any subclass, is also among the values."""
    if len(values) < 2:
        return _NONE
    some = [v for v in values if isinstance(v, Instance)]
    open_ = {v.cls for v in some if v.is_open}
    return {v for v in some if not open_.isdisjoint(machine.classes.mro(v.cls)[1:])}


def _has_no_effect(fn: Fn, name: str, op: ir.Op | None) -> bool:
    """Return whether a call needs no edge: `object`'s own methods do nothing, `d.update({...})` is an assignment."""
    if name.startswith("<builtin>.object."):
        return True
    return bool(
        name == "<builtin>.dict.update" and op is not None and len(op[2]) == 1 and op[2][0] >= 0
        and fn.body.ops[op[2][0]][0] == ir.DICT
    )  # fmt: skip


def _line_of(module: Module, symbol: int) -> int:
    return module.facts.symbols[symbol].line if module.facts else 0


_TABLE: dict[int, Callable[[Report, Fn, ir.Op, int], None]] = {
    ir.NAME: Report._name, ir.ATTRIBUTE: Report._attribute, ir.STORE_ATTRIBUTE: Report._store_attribute,
    ir.IMPORT: Report._import, ir.CALL: Report._call, ir.DECORATE: Report._decorate, ir.RAISE: Report._raise,
    ir.ITERATE: Report._iterate, ir.ENTER: Report._enter, ir.SUBSCRIPT: Report._subscript, ir.BINARY: Report._binary,
}  # fmt: skip
_OPERATIONS = tuple(_TABLE.get(code) for code in range(ir.COUNT))
