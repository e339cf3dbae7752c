"""Interprets annotations: from a type expression to the possible values of a variable. Unions and Optional give all their
parts, collections a container of their elements; unknown types give nothing."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.cells import Cell, union
from graphmem.codegraph.python.kinds import CLASS, EMPTY, EXTERNAL, Arguments, Values
from graphmem.codegraph.python.names import MAX_DEPTH, Names
from graphmem.codegraph.python.values import Cls, Container, External, Fn

SEQUENCES = {
    **dict.fromkeys(
        "list List Sequence MutableSequence Iterable Iterator Collection Generator AsyncIterator AsyncIterable "
        "AsyncGenerator Reversible deque Deque KeysView ValuesView".split(),
        "list",
    ),
    **dict.fromkeys("set Set frozenset FrozenSet AbstractSet MutableSet".split(), "set"),
    **dict.fromkeys("tuple Tuple".split(), "tuple"),
}
MAPPINGS = frozenset(
    "dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict ChainMap Counter ItemsView".split()
)
WRAPPERS = frozenset(
    "Optional Union Annotated Final ClassVar Awaitable Coroutine ContextManager AsyncContextManager Required NotRequired "
    "InitVar Mapped ReadOnly AbstractContextManager AbstractAsyncContextManager Unpack TypeGuard".split()
)
_PLAIN = frozenset("str int float complex bool bytes bytearray object memoryview range slice".split())
_OUTSIDE = ("<builtin>.", "typing.", "typing_extensions.", "collections.", "collections.abc.", "t.", "contextlib.")
_DEPTH = 8  # of aliases with parameters in one another


class Types:
    """Gives type expressions their meaning."""

    def __init__(self, names: Names) -> None:
        self.names, self.pool = names, names.program.pool
        self._known: dict[tuple[Fn, ir.TypeExpr, Cls | None, Arguments], Values] = {}
        self._variables: dict[tuple[Fn, ir.TypeExpr], tuple[str, ...]] = {}
        self._declared: dict[Cls, tuple[str, ...]] = {}
        self._depth = 0

    def values(self, scope: Fn, expression: ir.TypeExpr, owner: Cls | None = None, arguments: Arguments = ()) -> Values:
        """Return what a variable annotated so in `scope` may hold; `owner` is what `Self` stands for, `arguments`
        what type variables stand for."""
        key = (scope, expression, owner, arguments)
        known = self._known.get(key)
        if known is None:
            if self._depth == MAX_DEPTH:
                return EMPTY
            self._depth += 1
            self._known[key] = EMPTY
            known = self._known[key] = self._values(scope, expression, owner, arguments)
            self._depth -= 1
        return known

    def _values(self, scope: Fn, expression: ir.TypeExpr, owner: Cls | None, arguments: Arguments) -> Values:
        kind = expression[0]
        if kind == "none":
            return EMPTY
        if kind == "union":
            return union(self.values(scope, e, owner, arguments) for e in expression[1])
        if kind == "index":
            return self._indexed(scope, expression, owner, arguments)
        if kind in ("name", "typevar") and arguments and dict(arguments).get(expression[1]):
            return dict(arguments)[expression[1]]
        if kind == "typevar":
            return self.values(scope, expression[2], owner, arguments) if expression[2] else EMPTY
        if kind == "literal":
            return frozenset(self.pool.builtin(name) for name, _ in expression[1])
        aliased = self._aliased(scope, expression, owner)
        if aliased is not None:
            return aliased
        return union(self._instance(scope, v, expression, owner) for v in self.names.class_of(scope, expression))

    def _aliased(self, scope: Fn, expression: ir.TypeExpr, owner: Cls | None) -> Values | None:
        """Return a name that stands for `Optional[...]` and the like."""
        if expression[0] != "name":
            return None
        binding = self.names.visible(scope, expression[1])
        if binding.values or not binding.aliases:
            return None
        return union(self.values(fn, alias, owner) for fn, alias in binding.aliases)

    def _instance(self, scope: Fn, value: object, expression: ir.TypeExpr, owner: Cls | None) -> Values:
        if isinstance(value, Cls):
            return value.some.only
        if not isinstance(value, External):
            return EMPTY
        name = bare(value.name)
        if name == "Self" and owner is not None:
            return owner.some.only  # where no receiver says more
        if name in SEQUENCES or name in MAPPINGS:
            return self._container(scope, name, expression, ()).only
        if value.name.startswith("<builtin>.") and name not in _PLAIN:
            return self.pool.external(value.name, True).only if name[:1].isupper() else EMPTY
        if value.name.startswith(("typing.", "typing_extensions.")):
            return EMPTY
        return self.pool.external(value.name, True).only

    def _indexed(self, scope: Fn, expression: ir.TypeExpr, owner: Cls | None, arguments: Arguments) -> Values:
        _, base, items = expression
        if base[0] == "name" and (aliases := self.names.visible(scope, base[1]).aliases):
            return self._parametrised(scope, aliases, items, owner, arguments)
        found: list[Values] = []
        for value in self.names.class_of(scope, base):
            name = bare(value.name) if isinstance(value, External) else ""
            inner = [self.values(scope, i, owner, arguments) for i in items]
            if isinstance(value, Cls):
                bound = tuple(zip(self.variables_of(value), inner, strict=False)) if any(inner) else ()
                found.append(self.pool.instance(value, bound, is_open=True).only)
            elif name in WRAPPERS:
                found.append(union(inner[:1] if name == "Annotated" else inner[-1:] if name == "Coroutine" else inner))
            elif name in ("type", "Type"):
                found.append(frozenset(v for i in items for v in self.names.class_of(scope, i) if v.kind == CLASS))
            elif name in SEQUENCES or name in MAPPINGS:
                found.append(self._container(scope, name, expression, tuple(inner)).only)
            elif value.kind == EXTERNAL:
                found.append(self._instance(scope, value, base, owner))
        return union(found)

    def _parametrised(
        self, scope: Fn, aliases: tuple[tuple[Fn, ir.TypeExpr], ...], items: tuple[ir.TypeExpr, ...],
        owner: Cls | None, arguments: Arguments,
    ) -> Values:  # fmt: skip
        """Return an alias with types for its variables: `Rows[int]` where `Rows = list[T]`."""
        found = []
        self._depth += 1
        for fn, alias in aliases if self._depth < _DEPTH else ():
            inner = [self.values(scope, i, owner, arguments) for i in items]
            found.append(self.values(fn, alias, owner, tuple(zip(self.variables_in(fn, alias), inner, strict=False))))
        self._depth -= 1
        return union(found)

    def variables_of(self, cls: Cls) -> tuple[str, ...]:
        """Return the names of a generic class's type variables, in order: those of `Generic[...]`, else those of its
        bases."""
        known = self._declared.get(cls)
        if known is None:
            found: dict[str, None] = {}
            for base in cls.record.bases:
                if base[0] == "index":
                    names = dict.fromkeys(self.variables_in(cls.scope, base))
                    if base[1][-1] in ("Generic", "Protocol"):
                        found = names
                        break
                    found.update(names)
            known = self._declared[cls] = tuple(found)
        return known

    def variables_in(self, scope: Fn, expression: ir.TypeExpr) -> tuple[str, ...]:
        """Return the type variables that an expression mentions, in order; `Self` is one."""
        key = scope, expression
        known = self._variables.get(key)
        if known is None:
            known = self._variables[key] = tuple(dict.fromkeys(self._mentioned(scope, expression)))
        return known

    def _mentioned(self, scope: Fn, expression: ir.TypeExpr) -> Iterator[str]:
        kind = expression[0]
        if kind == "typevar":
            yield expression[1]
        elif kind == "name":
            binding = self.names.visible(scope, expression[1])
            if any(alias[0] == "typevar" for _, alias in binding.aliases) or _are_self(binding.values):
                yield expression[1]
        elif kind == "attribute":
            if expression[2] == "Self" and _are_self(self.names.class_of(scope, expression)):
                yield "Self"
        elif kind in ("index", "union"):
            for part in expression[-1]:
                yield from self._mentioned(scope, part)

    def seen_from(self, cls: Cls, arguments: Arguments, home: Cls) -> Arguments:
        """Return the bindings of the type variables of `home` as seen from `cls`, which is that class or derives from
        it, with these arguments."""
        names = self.variables_of(home)
        if cls is home or not names:
            return arguments if names else ()
        for base in cls.record.bases:
            for above in self.names.class_of(cls.scope, base):
                if isinstance(above, Cls) and above is not cls and home in (above.mro or (above,)):
                    given = base[2] if base[0] == "index" else ()
                    inner = [self.values(cls.scope, i, cls, arguments) for i in given]
                    return self.seen_from(above, tuple(zip(self.variables_of(above), inner, strict=False)), home)
        return ()

    def _container(self, scope: Fn, name: str, expression: ir.TypeExpr, inner: tuple[Values, ...]) -> Container:
        kind = SEQUENCES.get(name, "dict")
        place = (scope.module.name, scope.body.name if inner else "", expression, tuple(sorted(union(inner))))
        container = self.pool.container(kind, place, None)
        if kind == "dict":
            container.keys.add(union(inner[:1]))
            container.rest.add(union(inner[1:2]))
            container.all.add(union(inner[1:2]))
        elif kind == "tuple" and not (len(inner) == 2 and not inner[1]):
            for position, item in enumerate(inner):
                cell = container.cells.get(position)
                if cell is None:
                    cell = container.cells[position] = Cell()
                cell.add(item)
                container.all.add(item)
        else:
            container.rest.add(union(inner[:1]))
            container.all.add(union(inner[:1]))
        return container


def _are_self(values: Values) -> bool:
    return any(isinstance(v, External) and bare(v.name) == "Self" for v in values)


def bare(name: str) -> str:
    """Return the last part of a name from `typing`, `collections` or the built-ins; other names keep their module."""
    for prefix in _OUTSIDE:
        if name.startswith(prefix):
            return name.rpartition(".")[2]
    return name
