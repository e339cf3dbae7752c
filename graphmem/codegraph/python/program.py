"""The program as the linker sees it: modules, functions and classes made from the facts of the files, each unpacked when
it is first needed, and the search for the module that an import means. Values and names are resolved elsewhere."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.values import CLASS, FUNCTION, MODULE, Cell, Instance, Pool, Value, Values
from graphmem.codegraph.records import FileFacts

if TYPE_CHECKING:
    from graphmem.codegraph.python.names import Binding


_ROOT = "__init__"  # the module of a tree that is itself a package


class Fn(Value):
    """A scope that can run: a function, or the body of a module or class."""

    kind = FUNCTION
    module: Module
    body: ir.Body
    key: str
    cls: Cls | None  # the class it is a method of, or the body of
    parent: Fn | None
    params: list[Cell]
    defaults: dict[int, Cell]
    result: Cell
    yields: Cell
    forwarded: Cell  # of `__getattr__`: the objects in which it looks for what its own lacks
    variables: dict[str, Cell]  # module or class variables, or those that nested scopes read
    names: dict[str, Binding]  # cache of `names.lookup`
    registers: list[Values]
    received: set[tuple[object, ...]]  # the arguments of calls, without those of `*args`
    passed_on: dict[int, tuple[Values, tuple[Values | int, ...]]]
    users: list[int]  # the operations that use each register, a bit for each; made when one is executed again
    pending: int  # the operations to execute again
    at: int  # the operation that is being executed
    state: int
    is_symbolic: bool  # does `result` hold parameters that each caller replaces?
    places: dict[str, int]  # name -> position of the parameters that can be given by name
    is_simple: bool  # has it neither `*args` nor `**kwargs`?
    star: int  # the position of `*args`, or -1
    promise: Values | None  # what its return annotation promises; None: nobody has asked
    is_varying: bool | None  # does that depend on the call? None: nobody has asked


class Cls(Value):
    """A class of the project."""

    kind = CLASS
    module: Module
    record: ir.ClassRecord
    key: str
    body_fn: Fn
    scope: Fn  # where the class statement stands
    fields: dict[str, Cell]
    field_names: set[str]  # attributes that its methods store on their first parameter
    methods: list[Fn]
    members: dict[Any, Any]  # cache of `classes.member`
    instance: Instance  # made by calling it
    some: Instance  # declared to be one
    mro: tuple[Cls, ...] | None
    external_bases: tuple[str, ...]


class Module(Value):
    """A module, or a directory that can be imported though it has no file (`facts` is None)."""

    kind = MODULE
    name: str
    facts: FileFacts | None
    fns: list[Fn]
    classes: list[Cls]
    members: dict[str, Binding]  # cache of `names.member`
    exports: frozenset[str] | None

    @property
    def is_package(self) -> bool:
        """Does it have submodules of its own?"""
        return self.facts is None or self.facts.summary.is_package

    @property
    def key(self) -> str:
        """The key of its symbol."""
        return self.facts.symbols[0].key if self.facts else ""


class Program:
    """All files of the tree, by path and by dotted name."""

    def __init__(self, facts: Mapping[str, FileFacts]) -> None:
        self.pool = Pool()
        self.by_path: dict[str, Module] = {}
        self.by_name: dict[str, Module] = {}
        self._roots: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str, int], Module | str] = {}
        for path in sorted(facts, key=lambda p: (p.endswith(".pyi"), p)):
            fact = facts[path]
            exports = None if fact.summary.exports is None else frozenset(fact.summary.exports)
            module = self.pool.new(
                Module, name=fact.summary.module, facts=fact, fns=[], classes=[], members={}, exports=exports
            )
            self.by_path[path] = module
            self.by_name.setdefault(fact.summary.module, module)
        self._find_roots()
        self.own = self._own_name() if _ROOT in self.by_name else ""

    def _own_name(self) -> str:
        """What a tree that is itself a package calls itself: the name before names of its modules in absolute imports."""
        tops: Counter[str] = Counter()
        for module in self.by_path.values():
            for dotted, level, attribute in module.facts.summary.imports if module.facts else ():
                top, _, below = dotted.partition(".")
                inner = (below or attribute or "").partition(".")[0]
                if (
                    not level
                    and inner in self.by_name
                    and top not in self._roots
                    and top not in sys.stdlib_module_names
                ):
                    tops[top] += 1
        return min(tops, key=lambda top: (-tops[top], top), default="")

    def _find_roots(self) -> None:
        """For every name that could stand first in an import: the directories where it may be looked up."""
        roots: dict[str, set[str]] = {}
        packages = {name for name, m in self.by_name.items() if m.is_package}
        for name in list(self.by_name):
            parts = name.split(".")
            for n in range(len(parts)):
                prefix = ".".join(parts[:n])
                if n == 0 or prefix not in packages:
                    roots.setdefault(parts[n], set()).add(prefix)
                if n and prefix not in self.by_name:
                    self.by_name[prefix] = self.pool.new(
                        Module, name=prefix, facts=None, fns=[], classes=[], members={}, exports=None
                    )
        self._roots = {top: sorted(found, key=lambda r: (r.count("."), len(r), r)) for top, found in roots.items()}

    def find(self, importer: Module, dotted: str, level: int) -> Module | str:
        """The module that `importer` means by `dotted` (`level` leading dots), or its absolute name if it is not ours."""
        package = importer.name if importer.is_package else importer.name.rpartition(".")[0]
        key = (package, dotted, level)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = (
                self._relative(package, dotted, level) if level else self._absolute(package, dotted)
            )
        return found

    def _relative(self, package: str, dotted: str, level: int) -> Module | str:
        parts = package.split(".") if package and package != "__init__" else []
        parts = parts[: len(parts) - (level - 1)] if level > 1 else parts
        name = ".".join([*parts, dotted] if dotted else parts)
        return self.by_name.get(name or "__init__") or name

    def _absolute(self, package: str, dotted: str) -> Module | str:
        top = dotted.partition(".")[0]
        if top == self.own:
            found = self.by_name.get(dotted.partition(".")[2] or _ROOT)
            if found is not None:
                return found
        roots = self._roots.get(top, ())
        around = [r for r in roots if not r or package == r or package.startswith(r + ".")]
        for root in [*reversed(around), *(r for r in roots if r not in around)]:
            name = f"{root}.{dotted}" if root else dotted
            module = self.by_name.get(name)
            if module is not None and (root in around or top not in sys.stdlib_module_names):
                return module
        return dotted

    def load(self, module: Module) -> list[Fn]:
        """Unpacks a module's scopes; the module's own comes first."""
        if module.fns or module.facts is None:
            return module.fns
        facts, new = module.facts, self.pool.new
        bodies, records = facts.summary.unpack()
        for body in bodies:
            module.fns.append(
                new(
                    Fn, module=module, body=body, key=facts.symbols[body.symbol].key, cls=None, parent=None, params=[],
                    defaults={}, result=Cell(), yields=Cell(), forwarded=Cell(),
                    variables={}, names={}, registers=[], received=set(), passed_on={}, state=0, users=[], pending=0, at=0,
                    is_symbolic=False, promise=None, is_varying=None,
                    star=next((n for n, p in enumerate(body.params) if p.kind == ir.STAR), -1),
                    is_simple=all(p.kind in (ir.POSITIONAL, ir.KEYWORD) for p in body.params),
                    places={p.name: n for n, p in enumerate(body.params) if p.kind in (ir.POSITIONAL, ir.KEYWORD)},
                )
            )  # fmt: skip
        for record in records:
            cls = new(
                Cls, module=module, record=record, key=facts.symbols[record.symbol].key, mro=None, external_bases=(),
                body_fn=module.fns[record.body], scope=module.fns[record.parent], fields={}, field_names=set(), methods=[],
                members={},
            )  # fmt: skip
            cls.__dict__.update(instance=self.pool.instance(cls), some=self.pool.instance(cls, is_open=True))
            module.classes.append(cls)
        for fn in module.fns:
            fn.parent = module.fns[fn.body.parent] if fn.body.parent >= 0 else None
            if fn.body.owner >= 0:
                fn.cls = module.classes[fn.body.owner]
                if fn.body.kind == "function":
                    fn.cls.methods.append(fn)
                    fn.cls.field_names.update(fn.body.fields)
        return module.fns
