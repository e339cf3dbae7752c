"""Selects the files to link again after a change: those that mention a name whose meaning changed, according to the
interfaces. If these are too many, or files were added or deleted, it selects all files that can see a changed file or
the base classes of its classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.classes import Classes
from graphmem.codegraph.python.dispatch import DISPATCH
from graphmem.codegraph.python.interface import MODULE, Interface, Place, interface
from graphmem.codegraph.python.ir import Summary
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.names import Names
from graphmem.codegraph.python.program import Program
from graphmem.codegraph.python.values import Cls, Module
from graphmem.codegraph.records import FileFacts
from graphmem.model.packed import pack_plain

_MOST_NAMES, _MOST_FILES = 100, 60  # beyond them comparing takes longer than linking
_DEPTH = 5  # of values in values


def affected_files(
    changed: Set[str], facts: Mapping[str, FileFacts], before: Mapping[str, FileFacts] | None = None
) -> set[str]:
    """Return the files whose links may differ after a change; see the package."""
    now, old = Program(facts), Program(before or {})
    if before is not None and (now.own, now.inner) != (old.own, old.inner):
        return set(facts)  # absolute imports anywhere mean something else
    if before is not None and changed <= facts.keys() and changed <= before.keys():
        found = _Meanings(now, old).concerned(changed)
        if found is not None:
            return found
    return _visible(changed, now, old, {**(before or {}), **facts}) & set(facts)


class _Meanings:
    """Follows names whose meaning changed from file to file, between two versions of a program with the same files."""

    def __init__(self, now: Program, old: Program) -> None:
        self._now, self._old = Machine(now, DISPATCH, flow=False), Machine(old, DISPATCH, flow=False)
        self._packed = {path: module.facts.summary.packed for path, module in now.by_path.items() if module.facts}
        self._interfaces: list[Interface] = []  # of all files compared, in both versions
        self._names: set[str] = set()
        self._keys: set[str] = set()

    def concerned(self, changed: Set[str]) -> set[str] | None:
        """Return the changed files and those that use a name whose meaning changed; None if too many files may be
        concerned."""
        found, fresh = set(changed), set(changed)
        while fresh:
            was = len(self._names)
            if not self._compare(sorted(fresh)) or len(self._names) > _MOST_NAMES:
                return None
            fresh = self._mentioning() - found if len(self._names) > was else set()
            found |= fresh
            if len(found) > _MOST_FILES:
                return None
        return found

    def _compare(self, paths: list[str]) -> bool:
        """Collect the names of these files whose meaning changed; return False if that concerns every importer of a file."""
        pairs = list(zip(_interfaces(self._old, paths), _interfaces(self._now, paths), strict=True))
        for was, now in pairs:
            self._interfaces += (was, now)
            for place in was.keys() | now.keys():
                if was.get(place) != now.get(place):
                    if place[0] == MODULE:
                        return False
                    self._changed(place)
        while self._spread():
            pass
        return True

    def _changed(self, place: Place) -> None:
        name, key = place
        self._names.add(name)
        if key:
            self._keys.add(key)
        for machine in (self._old, self._now):
            for cls in _owners(machine, key, name):
                # What the language calls by itself, or a class is derived from, need not be mentioned where it matters.
                self._keys.update(b.key for b in machine.classes.mro(cls))
                for base in machine.classes.mro(cls):
                    self._names.update((base.record.name, *base.body_fn.body.bindings, *base.field_names))

    def _spread(self) -> bool:
        """Add the names that contain or return a changed function or class; return whether any were added."""
        known = len(self._names) + len(self._keys)
        pattern = re.compile("|".join(rf"{re.escape(key)}(?![\w.~])" for key in sorted(self._keys)) or "$^")
        for each in self._interfaces:
            for (name, key), texts in each.items():
                if name != MODULE and any(pattern.search(text) for text in texts):
                    self._names.add(name)
                    self._keys.update({key} - {""})
        return len(self._names) + len(self._keys) > known

    def _mentioning(self) -> set[str]:
        """Return the files that contain one of the names; if it also occurs as a string, also those that read
        attributes by computed name."""
        wanted = list(map(pack_plain, self._names))  # a text is in a packed summary as it does alone
        found = {path for path, packed in self._packed.items() if any(name in packed for name in wanted)}
        if any(self._is_data(path) for path in found):
            found |= {path for path, packed in self._packed.items() if _computes(packed)}
        return found

    def _is_data(self, path: str) -> bool:
        """Return whether one of the names occurs in a file as a string, except for its list of exports."""
        module = self._now.program.by_path[path]
        bodies = [fn.body for fn in self._now.program.load(module)]
        strings = Counter(op[1] for body in bodies for op in body.ops if op[0] == ir.CONST)
        return any(strings[name] > (name in (module.exports or ())) for name in self._names)


def _owners(machine: Machine, key: str, name: str) -> list[Cls]:
    """Return the class that a key names, or whose special method it names."""
    module = machine.program.by_path.get(key.partition(":")[0]) if key else None
    if module is None:
        return []
    machine.program.load(module)
    owner = key[: -len(name) - 1] if name.startswith("__") else key
    return [cls for cls in module.classes if cls.key == owner]


@lru_cache(maxsize=2_000)
def _computes(packed: bytes) -> bool:
    """Return whether a file reads an attribute by a name that may come from another file."""
    if pack_plain("getattr") not in packed:
        return False
    bodies = [body.ops for body in Summary("", False, None, (), packed).unpack()[0]]
    calls = [
        (ops, op[2]) for ops in bodies for op in ops if op[0] == ir.CALL and ops[op[1]][:3:2] == (ir.NAME, "getattr")
    ]
    return any(len(given) < 2 or not _written(ops, given[1]) for ops, given in calls)


def _written(ops: tuple[ir.Op, ...], register: int, depth: int = 0) -> bool:
    """Return whether a value is a literal of this file, or unknown. (Without value flow, arguments of callers are not
    followed.)"""
    op = ops[register] if register >= 0 else (ir.CALL,)
    if op[0] in (ir.CONST, ir.INSTANCE, ir.PARAM, ir.UNKNOWN):
        return True
    if depth > _DEPTH:
        return False
    if op[0] in (ir.ITERATE, ir.UNPACK, ir.SUBSCRIPT, ir.SLICE):
        return _written(ops, op[1], depth + 1)
    if op[0] in (ir.COLLECT, ir.PHI):
        return all(_written(ops, part, depth + 1) for part in op[1 if op[0] == ir.PHI else 2])
    return op[0] == ir.NAME and op[4] >= 0 and _written(ops, op[4], depth + 1)


def _interfaces(machine: Machine, paths: Iterable[str]) -> list[Interface]:
    modules = [machine.program.by_path[path] for path in paths]
    machine.run([fn for module in modules for fn in machine.program.load(module)])
    return [interface(machine, module) for module in modules]


def _visible(changed: Set[str], now: Program, old: Program, facts: Mapping[str, FileFacts]) -> set[str]:
    """Return the changed files, and all that import them or the base classes of their classes, directly or indirectly."""
    importers = _importers(facts)
    found = set(changed) | _ancestors(changed, now) | _ancestors(changed, old)
    pending = list(found)
    while pending:
        for importer in importers.get(pending.pop(), ()):
            if importer not in found:
                found.add(importer)
                pending.append(importer)
    return found


def _ancestors(paths: Set[str], program: Program) -> set[str]:
    """Return the files of the base classes of the classes in these files: calls through a base reach overriding
    methods."""
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
