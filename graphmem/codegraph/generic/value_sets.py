"""Which functions the calls of one file may run where no name says it: values that are assigned again, kept in lists, maps
and objects, passed for parameters, returned, and given to the language's own functions. The resolver gives one value for
each expression; this gives every one, where the resolver has none or a variable is in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import descriptors, library, library_results
from graphmem.codegraph.generic.entities import Def, External, Instance
from graphmem.codegraph.generic.evaluation import Evaluation, receiver_of
from graphmem.codegraph.generic.held import Site, Value
from graphmem.codegraph.generic.program import accessor
from graphmem.codegraph.generic.summary import Expr, Reference

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_ROUNDS = 6  # of finding which functions are called, each with what the calls before passed on


class ValueSets(Evaluation):
    """The possible values of the expressions of one file, and which functions its calls may run."""

    def __init__(self, resolver: Resolver, path: str) -> None:
        super().__init__(resolver, path)
        self._described = descriptors.Uses(self, self.effects, resolver.program.summaries[path].references)
        self._solve(self.calls)

    def targets(self, r: Reference) -> list[Def]:
        """Return the functions that a call may run, apart from those that its callee is by name."""
        return list(dict.fromkeys(target for target, _ in self._called(r)))

    def handed(self, r: Reference) -> list[Def]:
        """Return the functions that a function of the language calls in the course of this call."""
        return list(dict.fromkeys(target for target, _ in self._called_back(r)))

    def accessors(self, r: Reference) -> list[Def]:
        """Return the getters and setters that a reference runs and no literal has."""
        return self._described.run_by(r)

    def made(self, r: Reference) -> list[Def]:
        """Return the classes of which a `new` may make an instance."""
        return [v for v in self.values(r.scope, r.expr[1], r.at) if isinstance(v, Def)]

    def iterated(self, r: Reference) -> list[Value]:
        """Return what a loop or a spread may go through."""
        return list(self.values(r.scope, r.expr, r.at))

    def _solve(self, calls: list[Reference]) -> None:
        for r in calls:
            known = self._known(r)
            if known is None:
                self.open_calls.append(r)
            elif known.scope >= 0:
                receiver = receiver_of(r.expr[1]) if r.expr[1] else None
                self._pass(known, Site(r.expr[2], r.scope, r.at, receiver), id(r))
        self._set_members()
        for _ in range(_ROUNDS):
            self._forget()
            grew = sum(self._passes(r) for r in self.open_calls)
            for function, site, mark in list(self._described.sites()):
                grew += function.path == self.path and self._pass(function, site, mark)
            if not grew:
                return

    def _set_members(self) -> None:
        """Pass what is assigned to a member to its setter."""
        program = self.resolver.program
        for r in program.summaries[self.path].references if program.accessors else ():
            target: Expr = r.expr[1] if r.kind == "store" else ()
            if target[:1] != ("attr",) or target[2] not in program.accessors:
                continue
            found = self.resolver.resolve(self.path, r.scope, target, r.at)
            if not descriptors.found_accessors(self.resolver, found, ("set",)):
                found = descriptors.inherited_setter(self.resolver, self.path, r, target)
            if found is None or found.path != self.path or found.scope < 0:
                continue
            for binding in self.scopes[found.scope].names.get(target[2], ()):
                if binding.symbol >= 0 and binding.scope >= 0 and accessor(self.symbols[binding.symbol]) == "set":
                    setter = Def(self.path, binding.symbol, binding.scope)
                    self._pass(setter, Site((r.expr[2],), r.scope, r.at, target[1]), id(r))

    def _known(self, r: Reference) -> Def | None:
        """Return the function that a call runs if its name alone says so."""
        if r.expr[1] == ("super",):
            above = self.resolver.value(self.path, r.scope, r.expr[1], r.at)
            base = above.of if isinstance(above, Instance) else None
            return self.constructor(base) if isinstance(base, Def) else None
        found = self.resolver.callee(self.path, r.scope, r.expr[1], r.at) if r.kind == "call" else None
        if r.kind == "call" and (found is None or found.binding is None or found.binding.kind != "def"):
            return None
        entity = self.resolver.entity(found) if found else self.resolver.value(self.path, r.scope, r.expr[1], r.at)
        if not isinstance(entity, Def):
            return None
        if r.kind == "new" and entity.path == self.path:
            return self.constructor(entity)
        return entity if entity.path == self.path else Def(entity.path, entity.symbol, -1)

    def _passes(self, r: Reference) -> bool:
        grew = False
        for n, called in enumerate((self._called(r), self._called_back(r))):
            for target, site in called:
                if target.path == self.path and target.scope >= 0:
                    grew |= self._pass(target, site, (id(r), n, id(site.receiver)))
        return grew

    def _pass(self, target: Def, site: Site, mark: object) -> bool:
        sites = self.sites.setdefault(target.scope, {})
        grew = mark not in sites
        sites.setdefault(mark, site)
        return grew

    def _called(self, r: Reference) -> list[tuple[Def, Site]]:
        """Return the functions that a call may run, and what it gives them."""
        callee, arguments = r.expr[1], r.expr[2]
        if not callee:
            return []
        out: list[tuple[Def, Site]] = []
        if r.kind == "new":
            for each in self.values(r.scope, callee, r.at):
                if isinstance(each, Def):
                    out.append((self.constructor(each), Site(arguments, r.scope, r.at)))
            return out
        receiver = callee[1] if callee[0] == "attr" else None
        if receiver is not None and callee[2] in ("call", "apply"):
            function, this, given = receiver, arguments[0] if arguments else None, arguments[1:]
            if callee == library.APPLY:
                function, this, given = this or ("computed",), given[0] if given else None, given[1:]
            if callee == library.APPLY or callee[2] == "apply":
                given = (self.make("spread", given[0]),) if given and given[0] else ()
            site = Site(given, r.scope, r.at, this)
            out += [(f, site) for f in self.functions(r.scope, function, r.at)]
        site = Site(arguments, r.scope, r.at, receiver_of(callee))
        called = self.bound_functions(r.scope, callee, r.at)
        return out + [(f, self._with_bound(bound, site)) for f, bound in called]

    def _called_back(self, r: Reference) -> list[tuple[Def, Site]]:
        """Return the functions among the arguments that a function of the language calls, and with what."""
        callee, arguments = r.expr[1], r.expr[2]
        if not callee or not any(arguments):
            return []
        place = library.callback_of(r.kind, callee)
        if place is None or (callee[0] == "attr" and self._is_own(r, callee)):
            return []
        out = []
        for n, argument in enumerate(arguments):
            if argument and (place < 0 or n == place):
                given, this = library_results.handed_on(self, r, n)
                site = Site(given, r.scope, r.at, this)
                called = self.bound_functions(r.scope, argument, r.at)
                out += [(f, self._with_bound(bound, site)) for f, bound in called]
        return out

    def _is_own(self, r: Reference, callee: Expr) -> bool:
        """Return whether a method that has the name of one of the language's is of the tree."""
        found = self.resolver.callee(self.path, r.scope, callee, r.at)
        entity = self.resolver.entity(found) if found else None
        if entity is not None and not isinstance(entity, External):
            return True
        return callee[2] in library.EVENTS and not isinstance(entity, External) and callee[2] != "addEventListener"


def value_sets(resolver: Resolver, path: str) -> ValueSets | None:
    """Return the possible values of a file's expressions; None for languages in which they are not followed."""
    if not resolver.flow or not resolver.language(path).value_flow:
        return None
    return resolver.once(("value sets", path), ValueSets, resolver, path)


def assigned_members(resolver: Resolver, path: str) -> frozenset[str]:
    """Return the names of members that assignments of a file give to objects."""
    if not resolver.language(path).value_flow:
        return frozenset()
    return resolver.once(("assigned members", path), _assigned_members, resolver, path) or frozenset()


def _assigned_members(resolver: Resolver, path: str) -> frozenset[str]:
    stores = (r.expr[1] for r in resolver.program.summaries[path].references if r.kind == "store")
    return frozenset(target[2] for target in stores if target[0] == "attr")
