"""Name lookup: definitions, imports followed through re-exports and stars, class and module variables, built-ins. Static,
and cached per scope."""

from __future__ import annotations

import builtins
from typing import Any, Final

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.bindings import NOTHING, Binding
from graphmem.codegraph.python.cells import Cell
from graphmem.codegraph.python.kinds import EMPTY, Values
from graphmem.codegraph.python.program import Program
from graphmem.codegraph.python.values import Cls, Fn, Module

BUILTINS = frozenset(n for n in dir(builtins) if not n.startswith("_") or n == "__import__")
MAX_DEPTH: Final = (
    60  # of imports that lead from module to module, of types that stand for types: then nothing is known
)


class Names:
    """Looks names up in a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._stars: dict[Fn, list[Module]] = {}
        self._depth = 0

    def lookup(self, fn: Fn, name: str) -> Binding:
        """Return the binding of `name` in exactly this scope; modules fall back to star imports and built-ins."""
        known = fn.names.get(name)
        if known is None:
            fn.names[name] = NOTHING  # for imports that go round in a circle
            known = fn.names[name] = self._lookup(fn, name)
        return known

    def visible(self, fn: Fn, name: str) -> Binding:
        """Return the binding of `name` as read in this scope: here or in an enclosing scope."""
        scope: Fn | None = fn
        while scope is not None:
            if scope.body.kind == "module" or (
                name in scope.body.bindings and (scope is fn or scope.body.kind != "class")
            ):
                return self.lookup(scope, name)
            scope = scope.parent
        return NOTHING

    def member(self, module: Module, name: str) -> Binding:
        """Return the binding of `module.name`: a name of the module, or a submodule."""
        known = module.members.get(name)
        if known is None:
            if self._depth == MAX_DEPTH:
                return NOTHING
            self._depth += 1
            module.members[name] = NOTHING  # for imports that go round in a circle
            known = module.members[name] = self._member(module, name)
            self._depth -= 1
        return known

    def _member(self, module: Module, name: str) -> Binding:
        fns = self.program.load(module)
        if fns:
            known = self._lookup(fns[0], name, builtins=False)
            if known.values or known.cells:
                return known
        submodule = self.program.by_name.get(f"{module.name}.{name}" if module.name not in ("", "__init__") else name)
        if submodule is not None and module.is_package:
            return Binding(submodule.only, (), (submodule.key,) if submodule.key else (), "import")
        return NOTHING

    def _lookup(self, fn: Fn, name: str, *, builtins: bool = True) -> Binding:
        parts = [self._binding(fn, name, b) for b in fn.body.bindings.get(name, ())]
        if fn.body.kind == "module" and not parts:
            parts = self._starred(fn, name)
            if not parts and builtins and name in BUILTINS:
                parts = [Binding(self.program.pool.external(f"<builtin>.{name}").only, (), (), "builtin")]
        if not parts or fn.body.kind == "function":
            for variable, _ in fn.body.captured:
                if variable == name:
                    parts.append(Binding(EMPTY, (self.variable(fn, name),)))
        return self._merged(parts)

    def _merged(self, parts: list[Binding]) -> Binding:
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return NOTHING
        return Binding(
            frozenset(v for p in parts for v in p.values),
            tuple(dict.fromkeys(c for p in parts for c in p.cells)),
            tuple(dict.fromkeys(k for p in parts for k in p.keys)),
            parts[0].strategy,
            tuple(a for p in parts for a in p.aliases),
            tuple(a for p in parts for a in p.annotations),
        )

    def _binding(self, fn: Fn, name: str, binding: tuple[Any, ...]) -> Binding:
        kind, *detail = binding
        if kind == "def":
            return self._definition(fn, name, fn.module.fns[detail[0]])
        if kind == "class":
            cls = fn.module.classes[detail[0]]
            return Binding(cls.only, (), (cls.key,))
        if kind == "import":
            return self.imported(fn.module, *detail)
        symbol, alias, annotation = detail
        symbols = fn.module.facts.symbols if fn.module.facts else ()
        return Binding(
            EMPTY,
            (self.variable(fn, name),),
            (symbols[symbol].key,) if isinstance(symbol, int) and symbol >= 0 else (),
            "scope",
            ((fn, alias),) if isinstance(alias, tuple) else (),
            ((fn, annotation),) if isinstance(annotation, tuple) else (),
        )

    def _definition(self, fn: Fn, name: str, defined: Fn) -> Binding:
        flags = defined.body.flags
        if flags & ir.SETTER and len(fn.body.bindings[name]) > 1:
            return Binding(EMPTY, (), (defined.key,))
        if flags & ir.OVERLOAD and fn.body.bindings[name][-1] != ("def", fn.module.fns.index(defined)):
            return Binding()  # one of the declarations of what is defined after them
        if flags & ir.OPAQUE:
            return Binding(EMPTY, (self.variable(fn, name),), (defined.key,))
        return Binding(defined.only, (), (defined.key,))

    def variable(self, fn: Fn, name: str) -> Cell:
        """Return the cell of a variable of this scope."""
        cell = fn.variables.get(name)
        if cell is None:
            writers = [fn] if fn.parent is None else [fn, fn.parent] if fn.body.kind == "class" else [fn]
            if fn.parent is None:
                writers += [f for f in fn.module.fns if name in f.body.global_stores]
            cell = fn.variables[name] = Cell(EMPTY, tuple(writers))
        return cell

    def imported(self, importer: Module, dotted: str, level: int, attribute: str) -> Binding:
        """Return what an import statement binds; `attribute` is "" for `import dotted`."""
        found = self.program.find(importer, dotted, level)
        if isinstance(found, str):
            name = f"{found}.{attribute}" if attribute else found
            return Binding(self.program.pool.external(name).only if name else EMPTY, (), (), "import")
        if not attribute:
            return Binding(found.only, (), (found.key,) if found.key else (), "import")
        binding = self.member(found, attribute)
        return binding if binding is NOTHING else binding.imported()

    def _starred(self, fn: Fn, name: str) -> list[Binding]:
        for target in self._star_targets(fn):
            if name in target.exports if target.exports is not None else not name.startswith("_"):
                binding = self.member(target, name)
                if binding is not NOTHING:
                    return [binding.imported()]
        return []

    def _star_targets(self, fn: Fn) -> list[Module]:
        """Return the modules from which a module imports all names, the last one first."""
        known = self._stars.get(fn)
        if known is None:
            found = [self.program.find(fn.module, dotted, level) for dotted, level in reversed(fn.body.stars)]
            ours = [target for target in found if isinstance(target, Module)]
            known = self._stars[fn] = [t for t in ours if t is not fn.module and t.facts is not None]
        return known

    def class_of(self, scope: Fn, expression: ir.TypeExpr, depth: int = 0) -> Values:
        """Return the classes (project or external) of a dotted name, ignoring type parameters."""
        if depth > 8:
            return EMPTY
        kind = expression[0]
        if kind == "name":
            binding = self.visible(scope, expression[1])
        elif kind == "attribute":
            return self._class_attribute(scope, expression, depth)
        elif kind == "index":
            return self.class_of(scope, expression[1], depth + 1)
        else:
            return EMPTY
        return self._classes(binding, depth)

    def _classes(self, binding: Binding, depth: int) -> Values:
        if binding.values or not binding.aliases:
            return binding.values
        return frozenset(v for fn, alias in binding.aliases for v in self.class_of(fn, alias, depth + 1))

    def _class_attribute(self, scope: Fn, expression: ir.TypeExpr, depth: int) -> Values:
        found: set[object] = set()
        for value in self.class_of(scope, expression[1], depth + 1):
            if isinstance(value, Module):
                found |= self._classes(self.member(value, expression[2]), depth)
            elif isinstance(value, Cls):
                self.program.load(value.module)
                found |= self._classes(self.lookup(value.body_fn, expression[2]), depth)
            elif hasattr(value, "name"):
                found.add(self.program.pool.external(f"{value.name}.{expression[2]}"))
        return frozenset(found)  # type: ignore[arg-type]
