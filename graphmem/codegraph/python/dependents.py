"""Which files have to be linked again after a change. Everything that can see a changed file is affected (and what can see
the base classes of its classes), unless the change left the file's interface as it was: names, classes, methods, and what
its functions return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from graphmem.codegraph.python.classes import Classes
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.names import Names
from graphmem.codegraph.python.program import Cls, Fn, Module, Program
from graphmem.codegraph.python.values import (
    Bound,
    Cell,
    Constant,
    Container,
    Decorated,
    External,
    Instance,
    Value,
    Values,
)
from graphmem.codegraph.records import FileFacts

_DEPTH = 3  # of containers in containers


def affected(
    changed: Set[str], facts: Mapping[str, FileFacts], before: Mapping[str, FileFacts] | None = None
) -> set[str]:
    """See the package."""
    now, old = Program(facts), Program(before or {})
    if before is not None and now.own != old.own:
        return set(facts)  # absolute imports anywhere mean something else
    importers = _importers({**(before or {}), **facts})
    found = set(changed) | _ancestors(changed, now) | _ancestors(changed, old)
    pending = list(found)
    while pending:
        for importer in importers.get(pending.pop(), ()):
            if importer not in found:
                found.add(importer)
                pending.append(importer)
    present = {p for p in changed if p in facts}
    if before is None or found <= set(changed):
        return found & set(facts)
    same = _interfaces(present, now) == _interfaces(set(changed) & set(before), old)
    return present if same else found & set(facts)


def _ancestors(paths: Set[str], program: Program) -> set[str]:
    """The files of the base classes of the classes in these files: calls through a base reach overriding methods."""
    classes = Classes(Names(program))
    modules = [program.by_path[p] for p in sorted(paths) if p in program.by_path]
    for module in modules:
        program.load(module)
    bases = {b.module for module in modules for c in module.classes for b in classes.mro(c)}
    return {m.facts.path for m in bases if m.facts is not None}


def _importers(facts: Mapping[str, FileFacts]) -> dict[str, set[str]]:
    """Path -> the paths of the files that import it (or a package above it)."""
    program = Program(facts)
    importers: dict[str, set[str]] = {}
    for path, module in program.by_path.items():
        for dotted, level, attribute in facts[path].summary.imports:
            for name in (dotted, f"{dotted}.{attribute}" if dotted and attribute else attribute if level else ""):
                found = program.find(module, name, level) if name or level else ""
                if isinstance(found, Module):
                    for target in _with_packages(program, found):
                        importers.setdefault(target, set()).add(path)
    return importers


def _with_packages(program: Program, module: Module) -> Iterable[str]:
    parts = module.name.split(".")
    for n in range(len(parts), 0, -1):
        found = program.by_name.get(".".join(parts[:n]))
        if found is not None and found.facts is not None:
            yield found.facts.path


def _interfaces(paths: Set[str], program: Program) -> dict[str, object]:
    """What other files can see of these."""
    machine = Machine(program, flow=False)
    modules = [program.by_path[p] for p in sorted(paths)]
    machine.run([fn for module in modules for fn in program.load(module)])
    return {m.facts.path: _interface(machine, m) for m in modules if m.facts is not None}


def _interface(machine: Machine, module: Module) -> object:
    summary = module.facts.summary if module.facts else None
    exports = summary and (summary.module, summary.is_package, summary.exports, module.fns[0].body.stars)
    return exports, [_function(machine, f) for f in module.fns], [_class(machine, c) for c in module.classes]


def _function(machine: Machine, fn: Fn) -> object:
    body = fn.body
    values = _cells([fn.result, fn.yields, *machine.params(fn)]), _labels(machine.declared(fn))
    return (
        fn.key,
        body.flags,
        body.params,
        body.bindings,
        values,
        sorted((n, _cells([c])) for n, c in fn.variables.items()),
    )


def _class(machine: Machine, cls: Cls) -> object:
    fields = sorted((n, _cells([cell])) for n, cell in cls.fields.items())
    order = [b.key for b in machine.classes.mro(cls)]
    return cls.key, order, cls.external_bases, cls.record.decorators, fields, [m.body.fields for m in cls.methods]


def _cells(cells: Iterable[Cell]) -> list[list[str]]:
    return [_labels(cell.values) for cell in cells]


def _labels(values: Values, depth: int = 0) -> list[str]:
    """Values in words that do not depend on the run."""
    return sorted(_label(v, depth) for v in values)


def _label(value: Value, depth: int) -> str:
    if isinstance(value, Fn | Cls | Module):
        return value.key
    if isinstance(value, Instance):
        return f"a {value.cls.key} {[(n, _labels(v, depth + 1)) for n, v in value.arguments if depth < _DEPTH]}"
    if isinstance(value, Bound):
        return f"{_label(value.target, depth)} of {_label(value.receiver, depth)}"
    if isinstance(value, External):
        return f"{value.name} {value.is_instance}"
    if isinstance(value, Constant):
        return repr(value.value)
    if isinstance(value, Decorated):
        return f"{_label(value.wrapper, depth)} around {value.original.key}"
    if isinstance(value, Container):
        if depth >= _DEPTH:
            return value.type
        inner = sorted((str(k), _labels(c.values, depth + 1)) for k, c in value.cells.items())
        return f"{value.type} {inner} {_labels(value.all.values, depth + 1)} {_labels(value.keys.values, depth + 1)}"
    parts = [getattr(value, name, None) for name in ("fn", "position", "instantiated", "cls", "target")]
    return f"{type(value).__name__} {[_label(p, depth) if isinstance(p, Value) else p for p in parts]}"
