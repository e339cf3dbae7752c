"""What the statements of one file give to members of objects after these are made: `o.a = f`, `o[key] = f`, `Object.assign(o, p)`.
What surely ran before a place, in the same function and by the same name of the object, replaces what the member was before."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.codegraph.generic.entities import Def, Instance
from graphmem.codegraph.generic.evaluator import Evaluator
from graphmem.codegraph.generic.held import Value, Values
from graphmem.codegraph.generic.summary import Expr, Reference

_MADE_HERE = frozenset({"obj", "array", "new", "lit"})


class Effects:
    """The assignments to members and elements of one file."""

    def __init__(self, evaluation: Evaluator, references: Iterable[Reference]) -> None:
        self._evaluation = evaluation
        self._members: dict[str, list[Reference]] = {}
        self._wholes: list[Reference] = []  # an object gets all that another one has
        self.places: list[Reference] = []  # assignments to elements
        self.variables: dict[str, list[Reference]] = {}  # to variables of an outer function
        self._thrown: list[Reference] = []
        self.accessors: dict[tuple[str, str], list[Reference]] = {}  # "get" or "set", and the name of a member
        for r in references:
            target = r.expr[1] if r.kind == "store" else ()
            if not target:
                continue
            key = target[2] if target[0] == "attr" else ""
            if target[0] == "index" and len(target) > 2:
                key = evaluation.key(r.scope, target[2], r.at)
            if target[0] == "all":
                self._wholes.append(r)
            elif target[0] in ("get", "set"):
                self.accessors.setdefault((target[0], target[2]), []).append(r)
            elif target[0] == "name":
                self.variables.setdefault(target[1], []).append(r)
            elif target[0] == "thrown":
                self._thrown.append(r)
            elif key:
                self._members.setdefault(key, []).append(r)
            else:
                self.places.append(r)

    def concern(self, name: str) -> bool:
        """Return whether anything may give a member of that name."""
        return name in self._members or bool(self._wholes)

    def on(self, scope: int, expr: Expr, at: int) -> tuple[list[Value], bool]:
        """Return what a member may have been given before a place, and whether it can be nothing else."""
        evaluation, mine = self._evaluation, None
        hits: list[tuple[Reference, Values]] = []
        for r in (*self._members.get(expr[2], ()), *self._wholes):
            target = r.expr[1]
            if target is expr or self._comes_later(r, scope, expr, at):
                continue
            if not self._is_same(r, target[1], scope, expr[1], at):
                mine = evaluation.values(scope, expr[1], at) if mine is None else mine
                if set(mine).isdisjoint(evaluation.values(r.scope, target[1], r.at)):
                    continue
            value = evaluation.make("attr", r.expr[2], expr[2]) if target[0] == "all" else r.expr[2]
            given = evaluation.values(r.scope, value, r.at)
            if given or target[0] != "all":
                hits.append((r, given))
        last = max((r for r, given in hits if given and self._replaces(r, scope, expr, at)), key=_place, default=None)
        if last is not None:
            here = self._function(scope)
            hits = [(r, given) for r, given in hits if r.at >= last.at or self._function(r.scope) != here]
        return [v for _, given in hits for v in given], last is not None

    def defined(self, role: str, scope: int, expr: Expr, at: int) -> list[Def]:
        """Return the getters ("get") or setters ("set") that a member was given."""
        evaluation = self._evaluation
        out: list[Def] = []
        for r in self.accessors.get((role, expr[2]), ()):
            owner = r.expr[1][1]
            if self._comes_later(r, scope, expr, at):
                continue
            if self._is_same(r, owner, scope, expr[1], at) or self._is_one_of(r, owner, scope, expr[1], at):
                out += evaluation.functions(r.scope, r.expr[2], r.at)
        return out

    def _is_one_of(self, r: Reference, owner: Expr, scope: int, other: Expr | None, at: int) -> bool:
        """Return whether two expressions may be the same object; of one instance of a class nothing follows for the others."""
        mine = set(self._evaluation.values(scope, other, at))
        is_for_all = owner == ("this",) or owner[-1] == "prototype"
        return any(
            v in mine and (is_for_all or not isinstance(v, Instance))
            for v in self._evaluation.values(r.scope, owner, r.at)
        )

    def caught(self, start: int, end: int) -> list[Value]:
        """Return what is thrown in a part of the file, or by a function that is called there."""
        evaluation = self._evaluation
        out: list[Value] = []
        for r in self._thrown:
            if start <= r.at < end:
                out += evaluation.values(r.scope, r.expr[2], r.at)
        for r in evaluation.calls if self._thrown else ():
            if start <= r.at < end and r.kind == "call":
                for function in evaluation.functions(r.scope, r.expr[1], r.at):
                    if function.path == evaluation.path:
                        out += self._thrown_by(function.scope)
        return out

    def _thrown_by(self, function: int) -> list[Value]:
        evaluation = self._evaluation
        own = (r for r in self._thrown if self._function(r.scope) == function)
        return [v for r in own for v in evaluation.values(r.scope, r.expr[2], r.at)]

    def assigned(self, scope: int, name: str) -> list[Value]:
        """Return what functions within assign to a variable of a scope."""
        evaluation = self._evaluation
        out: list[Value] = []
        for r in self.variables.get(name, ()):
            found = evaluation.resolver.resolve(evaluation.path, r.scope, r.expr[1], r.at)
            if found is not None and found.scope == scope and found.path == evaluation.path:
                out += evaluation.values(r.scope, r.expr[2], r.at)
        return out

    def _replaces(self, r: Reference, scope: int, expr: Expr, at: int) -> bool:
        """Return whether an assignment surely ran before a place, and to the same object."""
        surely = r.expr[3] and r.at < at and self._function(r.scope) == self._function(scope)
        return surely and self._is_same(r, r.expr[1][1], scope, expr[1], at)

    def _comes_later(self, r: Reference, scope: int, expr: Expr, at: int) -> bool:
        """Return whether an assignment never ran before a place: it follows in the same run of the same code."""
        function = self._function(scope)
        if not r.expr[3] or r.at <= at or self._function(r.scope) != function:
            return False
        return function == 0 or self._is_made_in(function, scope, expr[1], at)

    def _is_made_in(self, function: int, scope: int, owner: Expr | None, at: int) -> bool:
        while owner and owner[0] == "attr":
            owner = owner[1]
        if owner == ("this",):
            symbol = self._evaluation.scopes[function].symbol
            return bool(self._evaluation.symbols[symbol].name == "constructor")
        found = self._evaluation.resolver.resolve(self._evaluation.path, scope, owner, at) if owner else None
        binding = found.binding if found is not None and found.path == self._evaluation.path else None
        if found is None or binding is None or binding.kind != "var" or not binding.value:
            return False
        return binding.value[0] in _MADE_HERE and self._function(found.scope) == function

    def _is_same(self, r: Reference, one: Expr | None, scope: int, other: Expr | None, at: int) -> bool:
        """Return whether two expressions mean the same object: they are the same names, bound alike at both places."""
        if not one or not other or one[0] != other[0]:
            return False
        if one[0] == "attr":
            return bool(one[2] == other[2]) and self._is_same(r, one[1], scope, other[1], at)
        if one[0] == "this":
            return self._evaluation.function_around(r.scope) == self._evaluation.function_around(scope)
        if one[0] != "name" or one[1] != other[1]:
            return False
        resolver, path = self._evaluation.resolver, self._evaluation.path
        first, second = resolver.resolve(path, r.scope, one, r.at), resolver.resolve(path, scope, other, at)
        return first is not None and second is not None and first.binding is second.binding

    def _function(self, scope: int) -> int:
        scopes = self._evaluation.scopes
        while scope > 0 and scopes[scope].kind != "function":
            scope = scopes[scope].parent
        return scope


def _place(r: Reference) -> int:
    return r.at
