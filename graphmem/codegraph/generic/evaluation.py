"""Evaluates the expressions of one file to all that they may be: the values of variables, parameters, members and elements.
What other files define is asked of the resolver, so that links still depend only on a file and what it mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import (
    containers,
    generators,
    library,
    library_results,
    members,
    passing,
    promises,
    values,
)
from graphmem.codegraph.generic.effects import Effects
from graphmem.codegraph.generic.entities import Def, Entity, External, Found, Instance, Listed, Module, Object, Tupled
from graphmem.codegraph.generic.evaluator import Uses
from graphmem.codegraph.generic.held import Arguments, Held, Site, Value, Values
from graphmem.codegraph.generic.summary import Binding, Expr, Reference

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_END = _CLEAN = 1 << 60
_STEPS = 300_000  # of work in one file: 99 files of 100 need less than 20,000; a bundle is followed in part
_EVALUATION = 10  # steps of an expression that is evaluated; of one whose values are known or a member: 1
_DEPTH = 40
_NO_DEFAULT = frozenset({"or", "handed", "context"})  # what a place says of a parameter
_MOST = 24  # values of one expression; more are no knowledge
FUNCTIONS = frozenset({"function", "method"})


class Evaluation:
    """The possible values of the expressions of one file, given the calls that are known."""

    def __init__(self, resolver: Resolver, path: str) -> None:
        self.resolver, self.path = resolver, path
        summary = resolver.program.summaries[path]
        self.scopes = summary.scopes
        self.symbols = resolver.program.facts[path].symbols
        self.sites: dict[int, dict[object, Site]] = {}  # by the scope of a function: the calls that may run it
        self.calls = [r for r in summary.references if r.kind in ("call", "new") and r.expr[0] in ("call", "new")]
        changes = [(r, library.changed(r.expr)) for r in self.calls]
        self.added = [(r, given) for r, given in changes if given]  # and what each adds to a list, map or set
        self.reorders = [r for r, given in changes if given is not None and r.expr[1][2] in library.REORDERING]
        self.exprs: dict[int, Expr] = {}
        self._lists: dict[int, Expr] = {}  # by their places
        self.made_exprs: dict[object, Expr] = {}
        self._memo: dict[object, Values] = {}
        self._open: dict[object, int] = {}  # queries under way, with their depth
        self._low = _CLEAN  # the outermost query under way that was asked for again
        self._steps = _STEPS
        self.open_calls: list[Reference] = []  # whose callee no name says
        self.parameter_uses: Uses | None = None
        self.effects = Effects(self, summary.references)

    @property
    def places(self) -> list[Reference]:
        """Return the assignments to elements."""
        return self.effects.places

    def _forget(self) -> None:
        """Drop what was found before further calls became known."""
        self._memo.clear()
        self.parameter_uses = None

    def hold(self, expr: Expr, scope: int, at: int) -> Held:
        """Return the list or map that an expression makes. A list that is read twice is the same."""
        if expr[0] == "array":
            expr, at = self._lists.setdefault(expr[2], expr), expr[2]
        self.exprs[id(expr)] = expr
        return Held(id(expr), scope, at)

    def make(self, tag: str, *parts: object) -> Expr:
        """Return an expression that is not written; the same for the same parts."""
        mark = (tag, *(part if isinstance(part, (int, str)) else id(part) for part in parts))
        known = self.made_exprs.get(mark)
        if known is None:
            known = self.made_exprs[mark] = (tag, *parts)
        return known

    def functions(self, scope: int, expr: Expr | None, at: int) -> list[Def]:
        return [function for function, _ in self.bound_functions(scope, expr, at)]

    def bound_functions(self, scope: int, expr: Expr | None, at: int) -> list[tuple[Def, Held | None]]:
        """Return the functions that an expression may be, each with what `bind` gave to it."""
        out: list[tuple[Def, Held | None]] = []
        queue: list[tuple[Value, Held | None]] = [(v, None) for v in self.values(scope, expr, at)]
        seen = {v for v, _ in queue}
        while queue:  # what is bound may be bound itself: `f = f.bind(o)`
            v, bound = queue.pop(0)
            if isinstance(v, Def) and self.resolver.program.facts[v.path].symbols[v.symbol].kind in FUNCTIONS:
                out.append((v, bound))
            elif isinstance(v, Held) and self.exprs[v.made][0] == "bound":
                inner = [
                    f for f in self.values(v.scope, self.exprs[v.made][1], v.at) if f not in seen or isinstance(f, Def)
                ]
                seen.update(inner)
                queue += [(f, v) for f in inner]
        return list(dict.fromkeys(out))

    def _with_bound(self, bound: Held | None, site: Site) -> Site:
        """Return what a function is given by a call, and before by `bind`."""
        if bound is None:
            return site
        this, *given = (self.make("at", a, bound.scope, bound.at) if a else a for a in self.exprs[bound.made][2])
        return site._replace(arguments=(*given, *site.arguments), receiver=this)

    def values(self, scope: int, expr: Expr | None, at: int) -> Values:
        """Return all that an expression may be, most likely first."""
        if not expr:
            return ()
        self._steps -= 1
        if expr[0] == "name":
            return self._named(scope, expr, at)
        return self.once((id(expr), scope), lambda: self._evaluate(scope, expr, at))

    def once(self, mark: object, compute: Callable[[], Iterable[Value]]) -> Values:
        """Return the result of a query; a circular one adds nothing, and what depends on a query around it is not kept."""
        known = self._memo.get(mark)
        if known is not None:
            return known
        if mark in self._open or self._steps <= 0 or len(self._open) > _DEPTH:
            self._low = min(self._low, self._open.get(mark, 0))
            return ()
        self._steps -= _EVALUATION
        level = self._open[mark] = len(self._open)
        around, self._low = self._low, _CLEAN
        found = tuple(dict.fromkeys(compute()))[:_MOST]
        del self._open[mark]
        if self._low >= level:
            self._memo[mark] = found
            self._low = around
        else:
            self._low = min(around, self._low)
        return found

    def _evaluate(self, scope: int, expr: Expr, at: int) -> Iterable[Value]:
        tag = expr[0]
        if tag == "either":
            return (*self.values(scope, expr[1], at), *self.values(scope, expr[2], at))
        if tag == "as":
            said = self.resolver.instance(self.path, scope, expr[1], at)
            return (said,) if said is not None and not _is_vague(said) else self.values(scope, expr[2], at)
        if tag == "default":
            held = self.values(scope, expr[1], at)
            return (
                held
                if held and not self._may_lack_part(scope, expr[1], at)
                else (*held, *self.values(scope, expr[2], at))
            )
        if tag == "or":
            return self.values(scope, expr[1], at) or self.values(scope, expr[2], at)
        if tag == "spread":
            return self.values(scope, expr[1], at)
        if tag == "caught":
            return self.effects.caught(expr[1], expr[2])
        if tag == "at":  # an argument that was bound elsewhere
            return self.values(expr[2], expr[1], expr[3])
        if tag == "rejected":
            return promises.rejected(self, scope, expr[1], at)
        if tag == "sent":
            return generators.sent(self, scope, expr, at)
        if tag == "keyof":
            return containers.keys_of(self, self.values(scope, expr[1], at))
        if tag in ("array", "slice"):
            return (self.hold(expr, scope, at),)
        handler = {
            "attr": self._attribute,
            "index": self._index,
            "item": self._item,
            "call": self._call,
            "new": self._new,
            "this": self._this,
        }.get(tag)
        return handler(scope, expr, at) if handler else self._single(scope, expr, at)

    def _single(self, scope: int, expr: Expr, at: int) -> Values:
        entity = self.resolver.value(self.path, scope, expr, at)
        return (entity,) if entity is not None else ()

    def _named(self, scope: int, expr: Expr, at: int) -> Values:
        found = self.resolver.resolve(self.path, scope, expr, at)
        if found is None and expr[1] == "arguments":
            return (self.hold(self.make("arguments", 0), self.function_around(scope), 0),)
        return self.value_of(found) if found is not None else ()

    def value_of(self, found: Found) -> Values:
        """Return all that a binding may be."""
        self._steps -= 1
        binding = found.binding
        if found.entity is not None or binding is None or found.path != self.path or binding.kind == "def":
            if binding is not None and binding.kind == "def" and found.path == self.path and found.entity is None:
                entity = self.resolver.entity(found)
                if isinstance(entity, Def) or binding.scope < 0:
                    return (entity,) if entity is not None else ()
                return tuple(
                    self.results_of(Def(self.path, binding.symbol, binding.scope), None)
                )  # what a getter gives
            entity = self.resolver.entity(found)
            return (entity,) if entity is not None else ()
        return self.once(("binding", id(binding)), lambda: self._bound(found, binding))

    def _bound(self, found: Found, binding: Binding) -> Iterable[Value]:
        if binding.type is not None:
            entity = self.resolver.entity(found)
            if entity is not None and not _is_vague(entity):
                if binding.kind != "param" or not self._is_structural(entity):
                    return (entity,)
                given: list[Value] = []
                for name in self._names_of(found, binding):
                    given += self._passed(found.scope, name)
                given += self.values(found.scope, binding.value, binding.at - 1)  # a default
                return (entity, *(v for v in given if isinstance(v, (Def, Object, Held))))
        out: list[Value] = []
        scope = found.scope
        if binding.kind == "param":
            for name in self._names_of(found, binding):
                out += self._passed(scope, name)
        if binding.kind == "field" and binding.scope >= 0:
            scope = binding.scope
        if binding.kind != "param" or self._may_lack(found, binding):
            out += self.values(scope, binding.value, binding.at - 1)
        if self.effects.variables and binding.kind in ("var", "param"):
            for name in self._names_of(found, binding):
                out += self.effects.assigned(found.scope, name)
        return out

    def _may_lack(self, found: Found, binding: Binding) -> bool:
        """Return whether a parameter may get nothing, so that it is what its default says: some call gives nothing for it, or
        other files call its function."""
        function, sites = self.scopes[found.scope], self.sites.get(found.scope, {}).values()
        names = [name for name in self._names_of(found, binding) if name in function.parameters]
        said = binding.value is None or binding.value[0] in _NO_DEFAULT
        if not names or not sites or said or self.symbols[function.symbol].exported:
            return True
        place = function.parameters.index(names[0])
        given = (site.arguments[: place + 1] for site in sites)
        return not all(len(a) > place and a[place] and not any(x and x[0] == "spread" for x in a) for a in given)

    def _may_lack_part(self, scope: int, part: Expr | None, at: int) -> bool:
        """Return whether what a pattern takes a part of may be without it: it comes from a caller."""
        while part and part[0] in ("attr", "item", "index", "slice"):
            part = part[1]
        found = self.resolver.resolve(self.path, scope, part, at) if part and part[0] == "name" else None
        return found is not None and found.binding is not None and found.binding.kind == "param"

    def _names_of(self, found: Found, binding: Binding) -> list[str]:
        return [name for name, bindings in self.scopes[found.scope].names.items() if binding in bindings]

    def _is_structural(self, entity: Entity) -> bool:
        """Return whether an object literal may have a type."""
        of = entity.of if isinstance(entity, Instance) else None
        if not isinstance(of, Def):
            return False
        return self.resolver.program.facts[of.path].symbols[of.symbol].kind in ("interface", "type")

    def _passed(self, scope: int, name: str) -> list[Value]:
        """Return what calls give for a parameter."""
        function = self.scopes[scope]
        if name not in function.parameters:
            return []
        place = function.parameters.index(name)
        if function.rest and place == len(function.parameters) - 1:
            return [self.hold(self.make("arguments", place), scope, 0)]
        own = [v for site in self.sites.get(scope, {}).values() for v in self.argument_at(site, place)]
        if self.places:  # `arguments[0] = f`
            own += containers.put(self, self.hold(self.make("arguments", 0), scope, 0), place)
        return [*own, *passing.given(self.resolver, self.path, scope, name)]

    def argument_at(self, site: Site, place: int) -> Values:
        """Return what a call gives for a parameter; a list that is spread out takes as many places as it has elements."""
        for n, argument in enumerate(site.arguments):
            if argument and argument[0] == "spread" and n <= place:
                wholes = self.values(site.scope, argument[1], site.at)
                lengths = [containers.length(self, whole) for whole in wholes]
                if len(lengths) == 1 and lengths[0] is not None and place - n >= lengths[0]:
                    rest = site.arguments[n + 1 :]
                    return self.argument_at(site._replace(arguments=rest), place - n - lengths[0])
                return tuple(v for whole in wholes for v in containers.element_at(self, whole, place - n))
            if n == place:
                return self.values(site.scope, argument, site.at)
        return ()

    def all_arguments(self, scope: int, first: int) -> list[Value]:
        """Return what calls give to a function from a place on."""
        out: list[Value] = []
        for site in self.sites.get(scope, {}).values():
            for argument in site.arguments[first:]:
                if argument and argument[0] == "spread":
                    out += containers.elements_of(self, self.values(site.scope, argument[1], site.at))
                else:
                    out += self.values(site.scope, argument, site.at)
        return out

    def _attribute(self, scope: int, expr: Expr, at: int) -> Iterable[Value]:
        owner, name = expr[1], expr[2]
        given, is_all = self.effects.on(scope, expr, at) if self.effects.concern(name) else ([], False)
        if is_all:
            return given
        found = self.resolver.resolve(self.path, scope, expr, at)
        if found is not None and found.binding is not None and found.binding.kind == "def" and found.entity is None:
            return (*self.value_of(found), *given)
        own = self._given_when_made(scope, owner, at, found) if found is not None and not given else ()
        if own:
            return own
        out: list[Value] = list(self.value_of(found)) if found is not None else []
        for each in self.values(scope, owner, at):
            if isinstance(each, Held):
                out += self._of_held(each, name)
            elif name == "prototype" and isinstance(each, Def):
                out.append(Instance(each))
            else:
                member = self.resolver.member(each, name)
                out += self.value_of(member) if member is not None else ()
                out += containers.put(self, each, None) if member is None and isinstance(each, Object) else ()
        for each in self._receivers(scope) if owner == ("this",) and not out and not given else ():
            member = self.resolver.member(each, name) if isinstance(each, Instance) else None  # what only heirs have
            out += self.value_of(member) if member is not None else ()
        return (*out, *given)

    def _of_held(self, whole: Held, name: str) -> Values:
        """Return a member of a list, map, iterator, or of what `Object.create` made."""
        if name != "value":
            return library_results.described(self, whole, name)
        return (*containers.contents_of(self, whole), *generators.returned(self, whole))

    def _given_when_made(self, scope: int, owner: Expr | None, at: int, found: Found) -> Values:
        """Return what a field holds that the constructor takes from its caller, where the object is made in this file and has
        a name: other instances hold other values."""
        field = found.binding
        if field is None or field.kind != "field" or field.scope < 0 or found.path != self.path or not owner:
            return ()
        if owner[0] == "name":
            held = self.resolver.resolve(self.path, scope, owner, at)
            binding = held.binding if held is not None and held.path == self.path else None
            if held is None or binding is None or binding.kind != "var" or not binding.value:
                return ()
            scope, owner, at = held.scope, binding.value, binding.at - 1
        function, taken = self.scopes[field.scope], field.value
        if owner[0] != "new" or not taken or taken[0] != "name" or taken[1] not in function.parameters:
            return ()
        made = self.resolver.value(self.path, scope, owner[1], at)
        if not isinstance(made, Def) or made.path != self.path or self.constructor(made).scope != field.scope:
            return ()
        return self.argument_at(Site(owner[2], scope, at), function.parameters.index(taken[1]))

    def constructor(self, entity: Def) -> Def:
        """Return the function that runs when an instance is made; without a scope if it is of another file or none."""
        if self.resolver.program.facts[entity.path].symbols[entity.symbol].kind in FUNCTIONS:
            return entity
        found = members.of_class(self.resolver, entity, "constructor")
        made = self.resolver.entity(found) if found is not None and found.path == self.path else None
        return made if isinstance(made, Def) else Def(entity.path, entity.symbol, -1)

    def _index(self, scope: int, expr: Expr, at: int) -> Iterable[Value]:
        wholes = self.values(scope, expr[1], at)
        key = self.key(scope, expr[2], at) if len(expr) > 2 else ""
        if not key:
            return containers.elements_of(self, wholes)
        given, is_all = self.effects.on(scope, self.make("attr", expr[1], key), at)
        if is_all:
            return given
        found = (self.resolver.member(w, key) for w in wholes if not isinstance(w, (Held, Tupled, Listed)))
        own = [v for f in found if f is not None for v in self.value_of(f)] or [
            v for w in wholes for v in containers.computed(self, w)
        ]
        return [*own, *given, *(v for whole in wholes for v in containers.put(self, whole, None))]

    def key(self, scope: int, expr: Expr | None, at: int) -> str:
        """Return the text that is the key of a member if there is but one."""
        if expr and expr[0] == "name":
            found = self.resolver.resolve(self.path, scope, expr, at)
            binding = found.binding if found is not None else None
            expr = binding.value if binding is not None and binding.kind != "param" else None
        return str(expr[1]) if expr and expr[0] == "str" else ""

    def _item(self, scope: int, expr: Expr, at: int) -> Iterable[Value]:
        out: list[Value] = []
        whole = expr[1]
        for each in self.values(scope, whole[1], at) if whole and whole[0] == "index" and len(whole) == 2 else ():
            if containers.is_map(self, each):  # an iteration gives pairs
                out += containers.keys_of(self, (each,)) if expr[2] == 0 else containers.contents_of(self, each)
        return [
            *out,
            *(v for each in self.values(scope, whole, at) for v in containers.element_at(self, each, expr[2])),
        ]

    def listed_values(self, parts: Arguments, scope: int, at: int) -> list[Value]:
        out: list[Value] = []
        for part in parts:
            if part and part[0] == "spread":
                out += containers.elements_of(self, self.values(scope, part[1], at))
            else:
                out += self.values(scope, part, at)
        return out

    def function_around(self, scope: int) -> int:
        """Return the scope of the function whose `this` and `arguments` a place sees."""
        index = scope
        while index > 0 and (
            self.scopes[index].kind != "function" or library.is_arrow(self.symbols, self.scopes[index])
        ):
            index = self.scopes[index].parent
        return index

    def _new(self, scope: int, expr: Expr, at: int) -> Iterable[Value]:
        name = library.last_name(expr[1])
        if name in library.COLLECTIONS:
            return (self.hold(expr, scope, at),)
        if name == "Promise":
            return promises.settled(self, scope, expr, at, 0)
        classes = [v for v in self.values(scope, expr[1], at) if isinstance(v, Def)]
        made: list[Value] = [Instance(v) for v in classes]
        return [*made, *(v for each in classes for v in self._given_instead(each))] or self._single(scope, expr, at)

    def _given_instead(self, entity: Def) -> Values:
        """Return the functions and objects that a constructor returns instead of what it is to make."""
        maker = self.constructor(entity)
        if maker.scope < 0 or maker.path != self.path:
            return ()
        results = self.scopes[maker.scope].results
        out = [v for given in results for v in self.values(maker.scope, given, _END) if isinstance(v, (Def, Object))]
        for r in self.calls if not out else ():
            if r.expr[1] == ("super",) and r.scope == maker.scope:
                above = self.resolver.value(self.path, r.scope, r.expr[1], r.at)
                of = above.of if isinstance(above, Instance) else None
                if isinstance(of, Def):
                    return self.once(("instead", of), lambda of=of: self._given_instead(of))  # type: ignore[misc]
        return tuple(out)

    def _this(self, scope: int, expr: Expr, at: int) -> Iterable[Value]:
        entity, _ = self.resolver.this(self.path, scope)
        if entity is not None and not isinstance(entity, Object):
            return (entity,)
        given = self._receivers(scope)
        if entity is None and not given and self.function_around(scope) == 0:
            return (Module(self.path),)  # CommonJS: what the file exports
        return given if entity is None else [entity, *(v for v in given if isinstance(v, Object))]

    def _receivers(self, scope: int) -> list[Value]:
        """Return what calls of the function around a place are made on."""
        sites = [site for site in self.sites.get(self.function_around(scope), {}).values() if site.receiver]
        return [v for site in sites for v in self.values(site.scope, site.receiver, site.at)]

    def _call(self, scope: int, expr: Expr, at: int) -> Iterable[Value]:
        callee, arguments = expr[1], expr[2]
        if not callee:
            return ()
        site = Site(arguments, scope, at, receiver_of(callee))
        out: list[Value] = []
        if callee[0] == "attr":
            out += library_results.result(self, scope, expr, at)
        for function, bound in self.bound_functions(scope, callee, at):
            out += self.results_of(function, self._with_bound(bound, site))
        return out or self._single(scope, expr, at)

    def results_of(self, function: Def, site: Site | None) -> list[Value]:
        """Return what a function may give back; `site`: to this call."""
        if function.path != self.path or function.scope < 0:
            entity = values.result(self.resolver, function)
            return [entity] if entity is not None else []
        scope = self.scopes[function.scope]
        if scope.kind != "function":
            return []
        if scope.returns is not None and not library.is_open(scope.returns):
            entity = self.resolver.instance(self.path, function.scope, scope.returns, _END)
            if entity is not None and not _is_vague(entity):
                return [entity]
        out: list[Value] = []
        yields = any(given[0] in generators.YIELDS for given in scope.results)
        for given in scope.results:
            if yields:
                out.append(self.hold(self.make("yielded"), function.scope, 0))
            elif site is not None and given[0] == "name" and given[1] in scope.parameters[: len(site.arguments)]:
                out += self.argument_at(site, scope.parameters.index(given[1]))
            elif site is not None and given == ("this",) and site.receiver:
                out += self.values(site.scope, site.receiver, site.at)
            else:
                out += self.values(function.scope, given, _END)
        return out


def receiver_of(callee: Expr) -> Expr | None:
    """Return what is `this` in the function that a call runs."""
    receiver: Expr | None = callee[1] if callee[0] == "attr" else None
    return ("this",) if receiver == ("super",) else receiver


def _is_vague(entity: Entity) -> bool:
    """Return whether a type says nothing about which function a value is."""
    if isinstance(entity, Instance):
        return isinstance(entity.of, External)
    return not isinstance(entity, (Listed, Tupled, Object))
