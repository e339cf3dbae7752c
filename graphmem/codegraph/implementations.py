"""Finds the classes that implement an interface, protocol or abstract class (a port), the ports that a class
implements, and calls that go through a port."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphmem.codegraph.tests_of import FROM_TESTS
from graphmem.codegraph.view import CLASSES, View, of_type, overridden, overriding
from graphmem.model.code import CallSite, CodeEdge, Symbol

_ABSTRACT_KINDS = frozenset({"interface", "trait"})
_ABSTRACT_BASES = (".Protocol", ".ABC")  # of `typing` and `abc`
_NO_PORTS = ("ext:typing.", "ext:typing_extensions.", "ext:abc.", "ext:<builtin>.object", "ext:enum.")
_STRUCTURAL = frozenset({"go", "typescript", "tsx"})
_FEWEST_ASKED = 3  # methods of a port that a type can implement almost
_BY_VALUE = 0.7  # that this class is the one whose method a call through a port runs
PROTOCOL = "protocol"  # the reason of a call site whose method is that of a port


class Implementation(NamedTuple):
    """A class and a port it implements: how that is known, with what confidence, and (method of the class, method of
    the port) as keys. `base` is the class between the two that it derives from directly, "" if there is none; `further` has the
    methods with which it overrides those of classes between."""

    cls: str
    port: str
    strategy: str
    confidence: float
    methods: tuple[tuple[str, str], ...]
    base: str = ""
    further: tuple[tuple[str, str], ...] = ()


class Through(NamedTuple):
    """A call of a port's method, which may run a method of a class that implements the port."""

    call: CodeEdge
    port: str  # the key of the method that is called

    def as_call(self, view: View) -> CodeEdge:
        """Return the call as a call of the class's own method; its strategy names the port."""
        name = _short(view.symbols[self.port])
        sure = round(self.call.confidence * _BY_VALUE, 4)
        return self.call._replace(type="CALLS", strategy=f"through {name}", confidence=sure)


def is_port(view: View, key: str) -> bool:
    """Return whether a class is a port: an interface, a trait, a protocol or an abstract base class."""
    symbol = view.symbols.get(key)
    if symbol is None or symbol.external:
        return False
    bases = of_type(view.outgoing.get(key, []), "EXTENDS")
    return symbol.kind in _ABSTRACT_KINDS or any(
        e.target.startswith("ext:") and e.target.endswith(_ABSTRACT_BASES) for e in bases
    )


def methods_of_ports(view: View, keys: Iterable[str]) -> set[str]:
    """Return the methods of ports that these methods override, directly or not."""
    return {key for key in overridden(view, keys) if is_port(view, view.parent.get(key, ""))}


def calls_through_ports(view: View, keys: Iterable[str]) -> list[Through]:
    """Return the calls of port methods that these methods override, most certain first. Calls that tests pass into
    sources are left out."""
    found = [
        Through(edge, port)
        for port in sorted(methods_of_ports(view, keys))
        for edge in of_type(view.incoming.get(port, []), "CALLS")
        if edge.strategy != FROM_TESTS
    ]
    return sorted(found, key=lambda through: (-through.call.confidence, through))


def is_met(view: View, site: CallSite) -> bool:
    """Return whether an unresolved call is one of a port method that some class implements."""
    return any(of_type(view.incoming.get(port, []), "OVERRIDES") for port in _ports_called(view, site))


def through_port(view: View, site: CallSite) -> bool:
    """Return whether an unresolved call is known to be one of a port method."""
    return any(True for _ in _ports_called(view, site))


def _ports_called(view: View, site: CallSite) -> Iterator[str]:
    """Yield the port methods that a call site may call. A relation has the line of only the first of several calls."""
    if site.reason != PROTOCOL:
        return
    for edge in of_type(view.outgoing.get(site.scope, []), "CALLS"):
        if view.symbols[edge.target].name == site.name and is_port(view, view.parent.get(edge.target, "")):
            yield edge.target


def find_implementations(view: View, symbols: Iterable[Symbol]) -> list[Implementation]:
    """Return the classes that implement these ports, and the ports that these classes implement: most certain first,
    those in tests last. For a method, only the pairs that contain it."""
    found = []
    for symbol in symbols:
        key = view.parent.get(symbol.key, "") if symbol.kind == "method" else symbol.key
        for (cls, port), edge in {(cls, port): edge for cls, port, edge in _pairs(view, key)}.items():
            methods = _methods(view, cls, port)
            if symbol.kind == "method":
                methods = tuple(pair for pair in methods if symbol.key in pair)
            base = edge.target if cls == edge.source and edge.target != port else ""
            own = {mine for mine, _ in methods}
            further = tuple(one for one in _overriding_between(view, cls, port) if one[0] not in own) if base else ()
            further = further if symbol.kind != "method" else ()
            if methods or symbol.kind != "method":
                found.append(Implementation(cls, port, edge.strategy, edge.confidence, methods, base, further))
    return sorted(dict.fromkeys(found), key=lambda each: _rank(view, each))


def find_almost_implementing(view: View, symbols: Iterable[Symbol]) -> list[tuple[str, str]]:
    """Return the types that have all methods of a port but one, each with the name of the one, those in tests last: where types
    need not name what they implement, only a compiler would say so."""
    found: dict[str, str] = {}
    for symbol in symbols:
        asked = _asked_by(view, symbol.key) if _is_structural(view, symbol) else set()
        if len(asked) < _FEWEST_ASKED:
            continue
        done = {row.cls for row in find_implementations(view, [symbol])}
        having: dict[str, set[str]] = {}
        for name in asked:
            for method in view.named.get(name, ()):
                if method.kind == "method" and method.language == symbol.language and not method.external:
                    having.setdefault(view.parent.get(method.key, ""), set()).add(name)
        for owner, names in having.items():
            if (
                len(names) == len(asked) - 1
                and owner not in done
                and not is_port(view, owner)
                and owner in view.symbols
            ):
                found[owner] = (asked - names).pop()
    return sorted(found.items(), key=lambda row: (row[0] in view.tests, row))


def _is_structural(view: View, symbol: Symbol) -> bool:
    """Return whether types implement a port by their methods alone."""
    if symbol.language == "python":
        bases = of_type(view.outgoing.get(symbol.key, []), "EXTENDS")
        return any(edge.target.endswith(".Protocol") for edge in bases)
    return symbol.language in _STRUCTURAL and symbol.kind == "interface" and is_port(view, symbol.key)


def _asked_by(view: View, port: str) -> set[str]:
    """Return the names of the methods of a port, and of those that it extends."""
    every = (port, *_bases(view, port))
    methods = (edge.target for each in every for edge in of_type(view.outgoing.get(each, []), "DEFINES"))
    return {view.symbols[key].name for key in methods if view.symbols[key].kind == "method"}


def _rank(view: View, found: Implementation) -> tuple[bool, float, str, str]:
    return found.cls in view.tests, -found.confidence, found.cls, found.port


def _pairs(view: View, key: str) -> Iterator[tuple[str, str, CodeEdge]]:
    """Yield (class, port, relation) for each class derived from a class, and for each port above it, directly or
    not."""
    for towards in (view.incoming, view.outgoing):
        seen, rest = {key}, [key]
        while rest:
            for edge in towards.get(rest.pop(), ()):
                other = edge.source if towards is view.incoming else edge.target
                if edge.type not in ("EXTENDS", "IMPLEMENTS") or other in seen:
                    continue
                seen.add(other)
                rest.append(other)
                cls, port = (other, key) if towards is view.incoming else (key, other)
                if not port.startswith(_NO_PORTS) and view.symbols[port].kind in CLASSES:
                    yield cls, port, edge


def _methods(view: View, cls: str, port: str) -> tuple[tuple[str, str], ...]:
    """Return (method of the class or of a base, port method that it implements)."""
    asked = [e.target for e in of_type(view.outgoing.get(port, []), "DEFINES")]
    own = {cls, *_bases(view, cls)}
    found = []
    for method in asked:
        mine = [key for key in sorted(overriding(view, (method,))) if view.parent.get(key) in own]
        nearest = [key for key in mine if view.parent.get(key) == cls] or mine
        found += [(key, method) for key in nearest]
    return tuple(found)


def _overriding_between(view: View, cls: str, port: str) -> tuple[tuple[str, str], ...]:
    """Return (method of the class, method that it overrides) for methods of classes between the two."""
    between = _bases(view, cls) - {port, *_bases(view, port)}
    return tuple(
        (edge.source, edge.target)
        for own in of_type(view.outgoing.get(cls, []), "DEFINES")
        for edge in of_type(view.outgoing.get(own.target, []), "OVERRIDES")
        if view.parent.get(edge.target) in between
    )


def _bases(view: View, cls: str) -> set[str]:
    found: set[str] = set()
    rest = [cls]
    while rest:
        fresh = {e.target for e in view.outgoing.get(rest.pop(), ()) if e.type == "EXTENDS"} - found
        found |= fresh
        rest += fresh
    return found


def _short(symbol: Symbol) -> str:
    """Return the name of a method with that of its class: `Class.method`."""
    return ".".join(symbol.qualified_name.split(".")[-2:])
