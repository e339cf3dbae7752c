"""Extension methods: functions of the tree that can be called like members of types from outside, of lists, or of any type.
In C#, only those of a namespace that the file opens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import names, visible
from graphmem.codegraph.generic.entities import Entity, External, Found, Instance, Listed, Namespace, Tupled, Variable

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_LISTS = ("IEnumerable", "List", "IList", "ICollection", "IReadOnlyList", "IReadOnlyCollection", "Dictionary", "IDictionary",
          "Array", "IQueryable")  # fmt: skip
_BY_NAME = 0.75  # the receiver is unknown, and no class of the tree has a method of that name


def lent(resolver: Resolver, path: str, owner: Entity | None, name: str) -> Found | None:
    """Return an extension method that the tree defines for an external type, for lists, or for all types."""
    types: tuple[str, ...] = ()
    if isinstance(owner, Instance) and isinstance(owner.of, External):
        types = (owner.of.name.rpartition(".")[2],)
    elif isinstance(owner, Listed | Tupled):
        types = _LISTS
    elif not isinstance(owner, Instance | Variable):
        return by_name(resolver, path, name) if owner is None else None
    for type_ in (*types, "*"):
        for place, index in _seen(resolver, path, type_, name):
            return Found(place, index, resolver.program.scope(place, index).names[name][-1], how="type", sure=0.85)
    return None


def by_name(resolver: Resolver, path: str, name: str) -> Found | None:
    """C#: return the extension method that a name means for an unknown receiver, if no class of the tree has a method of
    that name, and all extension methods that the file sees extend one type."""
    language, program = resolver.language(path), resolver.program
    if not language.partial or name in language.common_members or name in program.class_members:
        return None
    places = program.extension_functions.get((language.family, name), ())
    near = [(place, index) for place, index in places if is_open(resolver, path, place, index)]
    if len({program.scope(place, index).target for place, index in near}) != 1:
        return None
    place, index = near[0]
    return Found(place, index, program.scope(place, index).names[name][-1], how="import", sure=_BY_NAME)


def _seen(resolver: Resolver, path: str, type_: str, name: str) -> Iterator[tuple[str, int]]:
    """Yield the scopes that add a member of that name to a type and that a file sees."""
    language, program = resolver.language(path), resolver.program
    for place, index in program.extensions.get((language.family, type_), ()):
        if name in program.scope(place, index).names:
            if language.partial:
                if is_open(resolver, path, place, index):
                    yield place, index
            elif not language.imported_extensions or visible.is_seen(resolver, path, place, index, name):
                yield place, index


def is_open(resolver: Resolver, path: str, place: str, index: int) -> bool:
    """C#: return whether a file opens the namespace of the static class that has these extension methods, or the class."""
    opened = resolver.settled(("opened", path), _opened, resolver, path) or frozenset()
    scope = resolver.program.scope(place, index)
    owner = resolver.program.facts[place].symbols[scope.symbol].qualified_name if scope.symbol > 0 else ""
    return owner in opened or owner.rpartition(".")[0] in opened


def _opened(resolver: Resolver, path: str) -> frozenset[str]:
    """Return the namespaces and classes that a file is in or opens with `using`."""
    program, summary = resolver.program, resolver.program.summaries[path]
    own = [program.facts[path].package, *(dotted for dotted, _ in summary.namespaces)]
    opened = {".".join(parts[:n]) for parts in (dotted.split(".") for dotted in own) for n in range(len(parts) + 1)}
    for where, number in names.star_imports(resolver, path):
        source = program.summaries[where].imports[number].source
        found = names.imported(resolver, where, number)
        opened.add(found.entity.name if found is not None and isinstance(found.entity, Namespace) else source)
    return frozenset(opened)
