"""What the C preprocessor does to names: macros paste parts of names together, and a condition selects which of several source
files is included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import names
from graphmem.codegraph.generic.entities import Found, Module
from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

PASTES = "pastes:"  # decorator of a macro: a name with the numbers of the pasted parameters, as in `{0}_ctl`
_PASTED = re.compile(rb"\w+(?:\s*##\s*\w+)+")
_NO_CODE = re.compile(rb'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//[^\n]*|\\\r?\n', re.S)
_GIVEN = re.compile(r"\{(\d+)\}")
_SOURCES = (".c", ".cc", ".cpp", ".cxx")


def pasted_names(body: bytes, parameters: Sequence[str]) -> tuple[str, ...]:
    """Return the names that the body of a macro pastes together, as decorators of the macro."""
    place = {name: f"{{{number}}}" for number, name in enumerate(parameters)}
    found = []
    for pasted in _PASTED.findall(_NO_CODE.sub(b" ", body)):
        parts = [part.strip() for part in pasted.decode("utf-8", "replace").split("##")]
        if any(part in place for part in parts):
            found.append(PASTES + "".join(place.get(part, part) for part in parts))
    return tuple(dict.fromkeys(found))


def pasted_targets(
    resolver: Resolver, path: str, scope: int, decorators: Sequence[str], arguments: Sequence[Expr | None], at: int
) -> Iterator[Found]:
    """Yield what the names mean that a macro with these decorators makes of these arguments."""
    for decorator in decorators:
        if not decorator.startswith(PASTES):
            continue
        places = [int(number) for number in _GIVEN.findall(decorator)]
        given = [arguments[n] if n < len(arguments) else None for n in places]
        if all(each is not None and each[0] == "name" for each in given):
            values = {str(n): str(each[1]) for n, each in zip(places, given, strict=True) if each is not None}
            name = _GIVEN.sub(lambda part, values=values: values[part[1]], decorator.removeprefix(PASTES))  # type: ignore[misc]
            found = resolver.callee(path, scope, ("name", name), at)
            if found is not None:
                yield found


def included_alternatives(resolver: Resolver) -> dict[str, tuple[str, ...]]:
    """Return for each function of a source file that another file includes the functions with its name in the other source
    files that the same file includes: a condition decides which one is compiled."""
    table: dict[str, tuple[str, ...]] = {}
    program = resolver.program
    for path, facts in program.facts.items():
        sources = [n for n, item in enumerate(facts.summary.imports) if item.source.strip("\"'<>").endswith(_SOURCES)]
        modules = [names.imported(resolver, path, number) for number in sources] if len(sources) > 1 else []
        same: dict[str, list[str]] = {}
        for module in modules:
            if module is not None and isinstance(module.entity, Module):
                for symbol in program.facts[module.entity.path].symbols:
                    if symbol.kind == "function":
                        same.setdefault(symbol.name, []).append(symbol.key)
        for keys in same.values():
            table.update({key: tuple(other for other in keys if other != key) for key in keys if len(keys) > 1})
    return table
