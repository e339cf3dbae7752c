"""What annotations promise: from a type expression to the values that a variable of that type may hold. Unions and
Optional give all their parts, collections a container of their elements; what says nothing about the project or the
built-in types gives nothing."""

from __future__ import annotations

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.names import Names
from graphmem.codegraph.python.program import Cls, Fn
from graphmem.codegraph.python.values import CLASS, EMPTY, EXTERNAL, Arguments, Cell, Container, External, Values, union

_SEQUENCES = {
    **dict.fromkeys(
        "list List Sequence MutableSequence Iterable Iterator Collection Generator AsyncIterator AsyncIterable "
        "AsyncGenerator Reversible deque Deque KeysView ValuesView".split(),
        "list",
    ),
    **dict.fromkeys("set Set frozenset FrozenSet AbstractSet MutableSet".split(), "set"),
    **dict.fromkeys("tuple Tuple".split(), "tuple"),
}
_MAPPINGS = frozenset(
    "dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict ChainMap Counter ItemsView".split()
)
_WRAPPERS = frozenset(
    "Optional Union Annotated Final ClassVar Awaitable Coroutine ContextManager AsyncContextManager Required NotRequired "
    "InitVar Mapped ReadOnly AbstractContextManager AbstractAsyncContextManager Unpack TypeGuard".split()
)
_PLAIN = frozenset("str int float complex bool bytes bytearray object memoryview range slice".split())
_OUTSIDE = ("<builtin>.", "typing.", "typing_extensions.", "collections.", "collections.abc.", "t.", "contextlib.")


class Types:
    """Gives type expressions their meaning."""

    def __init__(self, names: Names) -> None:
        self.names, self.pool = names, names.program.pool
        self._known: dict[tuple[Fn, ir.TypeExpr, Cls | None, Arguments], Values] = {}

    def values(self, scope: Fn, expression: ir.TypeExpr, owner: Cls | None = None, arguments: Arguments = ()) -> Values:
        """What a variable annotated so in `scope` may hold; `owner` is what `Self` stands for, `arguments` what type
        variables stand for."""
        key = (scope, expression, owner, arguments)
        known = self._known.get(key)
        if known is None:
            self._known[key] = EMPTY
            known = self._known[key] = self._values(scope, expression, owner, arguments)
        return known

    def _values(self, scope: Fn, expression: ir.TypeExpr, owner: Cls | None, arguments: Arguments) -> Values:
        kind = expression[0]
        if kind == "none":
            return EMPTY
        if kind == "union":
            return union(self.values(scope, e, owner, arguments) for e in expression[1])
        if kind == "index":
            return self._indexed(scope, expression, owner, arguments)
        if kind == "name" and arguments and expression[1] in dict(arguments):
            return dict(arguments)[expression[1]]
        aliased = self._aliased(scope, expression, owner)
        if aliased is not None:
            return aliased
        return union(self._instance(scope, v, expression, owner) for v in self.names.class_of(scope, expression))

    def _aliased(self, scope: Fn, expression: ir.TypeExpr, owner: Cls | None) -> Values | None:
        """A name that stands for `Optional[...]` and the like."""
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
        name = _bare(value.name)
        if name == "Self" and owner is not None:
            return owner.some.only
        if name in _SEQUENCES or name in _MAPPINGS:
            return self._container(scope, name, expression, ()).only
        if value.name.startswith("<builtin>.") and name not in _PLAIN:
            return self.pool.external(value.name, True).only if name[:1].isupper() else EMPTY
        if value.name.startswith(("typing.", "typing_extensions.")):
            return EMPTY
        return self.pool.external(value.name, True).only

    def _indexed(self, scope: Fn, expression: ir.TypeExpr, owner: Cls | None, arguments: Arguments) -> Values:
        _, base, items = expression
        found: list[Values] = []
        for value in self.names.class_of(scope, base):
            name = _bare(value.name) if isinstance(value, External) else ""
            inner = [self.values(scope, i, owner, arguments) for i in items]
            if isinstance(value, Cls):
                bound = tuple(zip(self._variables(value), inner, strict=False)) if any(inner) else ()
                found.append(self.pool.instance(value, bound, is_open=True).only)
            elif name in _WRAPPERS:
                found.append(union(inner[:1] if name == "Annotated" else inner[-1:] if name == "Coroutine" else inner))
            elif name in ("type", "Type"):
                found.append(frozenset(v for i in items for v in self.names.class_of(scope, i) if v.kind == CLASS))
            elif name in _SEQUENCES or name in _MAPPINGS:
                found.append(self._container(scope, name, expression, tuple(inner)).only)
            elif value.kind == EXTERNAL:
                found.append(self._instance(scope, value, base, owner))
        return union(found)

    def _variables(self, cls: Cls) -> list[str]:
        """The names of a generic class's type variables, in order: those of `Generic[...]`, else those of its bases."""
        found: dict[str, None] = {}
        for base in cls.record.bases:
            if base[0] == "index":
                names = [i[1] for i in base[2] if i[0] == "name" and not self.names.class_of(cls.scope, i)]
                if base[1][-1] in ("Generic", "Protocol"):
                    return names
                found.update(dict.fromkeys(names))
        return list(found)

    def _container(self, scope: Fn, name: str, expression: ir.TypeExpr, inner: tuple[Values, ...]) -> Container:
        kind = _SEQUENCES.get(name, "dict")
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


def _bare(name: str) -> str:
    """The last part of a name from `typing`, `collections` or the built-ins; other names keep their module."""
    for prefix in _OUTSIDE:
        if name.startswith(prefix):
            return name.rpartition(".")[2]
    return name
