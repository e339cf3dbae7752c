"""The program for the linker: modules, functions and classes from the facts of the files, unpacked on demand, and module
lookup for imports."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.cells import Cell
from graphmem.codegraph.python.pool import Pool
from graphmem.codegraph.python.values import Cls, Fn, Module
from graphmem.codegraph.records import FileFacts

if TYPE_CHECKING:
    pass


_ROOT = "__init__"  # the module of a tree that is itself a package


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
        self.inner = self._inner_roots()
        self._roots |= self.inner

    def _own_name(self) -> str:
        """Return the package name of a tree that is itself a package: the prefix of its modules in absolute imports."""
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
        """Find, for every name that could stand first in an import, the directories where it may be looked up."""
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

    def _inner_roots(self) -> dict[str, list[str]]:
        """Return, for first names of absolute imports that nothing else has, the packages inside of which they are looked up: a
        folder with an `__init__.py` (`src`, `backend`) may be on the path all the same. Only the imports tell; each has to
        name a module and what is in it, so that a distribution of that name is not taken for a package of the tree."""
        inside: dict[str, set[str]] = {}
        for name in self.by_name:
            prefix, _, top = name.rpartition(".")
            if prefix and top not in self._roots and top != self.own and top not in sys.stdlib_module_names:
                inside.setdefault(top, set()).add(prefix)
        found: dict[str, set[str]] = {}
        for module in self.by_path.values():
            for dotted, level, attribute in module.facts.summary.imports if module.facts else ():
                top, _, below = dotted.partition(".")
                for prefix in inside.get(top, ()) if not level else ():
                    name = f"{prefix}.{dotted}"
                    if (below and name in self.by_name) or f"{name}.{attribute}" in self.by_name:
                        found.setdefault(top, set()).add(prefix)
        return {top: sorted(prefixes, key=lambda r: (r.count("."), len(r), r)) for top, prefixes in found.items()}

    def find(self, importer: Module, dotted: str, level: int) -> Module | str:
        """Return the module that `dotted` names in `importer` (`level` leading dots), or its absolute name if external."""
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
        """Unpack a module's scopes; the module's own comes first."""
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
