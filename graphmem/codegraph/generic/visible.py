"""Extension functions by name: where a receiver's type is unknown, Kotlin's imports and packages still say which extension
functions of the tree a name can mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Def, Entity, Found, Instance
from graphmem.codegraph.generic.summary import last_name

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_SURE = 0.75
_END = 1 << 60


def extension(
    resolver: Resolver, path: str, name: str, receiver: Entity | None = None, *, bare: bool = False
) -> Found | None:
    """Return the extension function that a name means in a file, if those that it sees extend but one type. A receiver of
    the tree excludes it, because its members are known; one from outside excludes extensions of types of the tree."""
    language = resolver.language(path)
    if not language.imported_extensions or name in language.common_members:
        return None
    if isinstance(receiver, Instance) and isinstance(receiver.of, Def):
        return None
    found = resolver.settled(("visible", path, name), _visible, resolver, path, name)
    if found is None:
        return None
    if (
        not bare
        and name in resolver.program.class_members
        and found.how != "scope"
        and not _names(resolver, path, name)
    ):
        return None  # a method of an unknown receiver is as likely
    return None if receiver is not None and _extends_own(resolver, found) else found


def _names(resolver: Resolver, path: str, name: str) -> bool:
    """Return whether an import of a file names a function."""
    return any(item.local == name for item in resolver.program.summaries[path].imports)


def imported(resolver: Resolver, family: str, package: str, name: str) -> Found | None:
    """Return an extension function that an import names."""
    for path, index in resolver.program.extension_functions.get((family, name), ()):
        if resolver.program.facts[path].package == package:
            return Found(path, index, resolver.program.scope(path, index).names[name][-1], how="import", sure=0.95)
    return None


def is_seen(resolver: Resolver, path: str, place: str, index: int, name: str) -> bool:
    """Return whether a file sees an extension function: its own, of its package, or imported; of a class only within it."""
    program = resolver.program
    if place == path:
        return True
    binding = program.scope(place, index).names[name][-1]
    if program.facts[place].symbols[binding.symbol].visibility == "private":
        return False
    package = program.facts[place].package
    if program.scope(place, index).parent != 0:  # `import okio.Path.Companion.toPath`
        start = f"{package}."
        return any(i.name == name and f"{i.source}.".startswith(start) for i in program.summaries[path].imports)
    if package and package == program.facts[path].package:  # files without one belong to different scripts
        return True
    imports = program.summaries[path].imports
    return any(item.source == package and (item.name == "*" or item.name == name) for item in imports)


def _visible(resolver: Resolver, path: str, name: str) -> Found | None:
    program = resolver.program
    package = program.facts[path].package
    places = program.extension_functions.get((resolver.language(path).family, name), ())
    near = [(place, index) for place, index in places if is_seen(resolver, path, place, index, name)]
    if len({last_name(program.scope(place, index).target) for place, index in near}) != 1:
        return None
    place, index = min(near, key=lambda where: (where[0] != path, where))
    how = "scope" if place == path else "package" if program.facts[place].package == package else "import"
    return Found(place, index, program.scope(place, index).names[name][-1], how=how, sure=_SURE)


def _extends_own(resolver: Resolver, found: Found) -> bool:
    """Return whether an extension function extends a type of the tree."""
    scope = resolver.program.scope(found.path, found.scope)
    return isinstance(resolver.value(found.path, scope.parent, scope.target, _END), Def)
