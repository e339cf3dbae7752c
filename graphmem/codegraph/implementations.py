"""Who implements an interface, a protocol or an abstract class, which of them a class implements, and the calls that come
through one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphmem.codegraph.tests_of import FROM_TESTS
from graphmem.codegraph.view import CLASSES, View, of_type, overridden
from graphmem.model.code import CallSite, CodeEdge, Symbol

_ABSTRACT_KINDS = frozenset({"interface", "trait"})
_ABSTRACT_BASES = (".Protocol", ".ABC")  # of `typing` and `abc`
_NO_PORTS = ("ext:typing.", "ext:typing_extensions.", "ext:abc.", "ext:<builtin>.object", "ext:enum.")
_BY_VALUE = 0.7  # that this class is the one whose method a call through a port runs
PROTOCOL = "protocol"  # the reason of a call site whose method is that of a port


class Implementation(NamedTuple):
    """A class and a port, how that is known, and which method of the class stands for which of the port (keys)."""

    cls: str
    port: str
    strategy: str
    confidence: float
    methods: tuple[tuple[str, str], ...]


class Through(NamedTuple):
    """A call of a method of a port, which may run a method of a class that implements it."""

    call: CodeEdge
    port: str  # the key of the method that is called

    def as_call(self, view: View) -> CodeEdge:
        """The call as one of the class's own method, with the port in place of a strategy."""
        name = _short(view.symbols[self.port])
        sure = round(self.call.confidence * _BY_VALUE, 4)
        return self.call._replace(type="CALLS", strategy=f"through {name}", confidence=sure)


def is_port(view: View, key: str) -> bool:
    """Whether a class says what others have to offer: an interface, a trait, a protocol or an abstract base."""
    symbol = view.symbols.get(key)
    if symbol is None or symbol.external:
        return False
    bases = of_type(view.outgoing.get(key, []), "EXTENDS")
    return symbol.kind in _ABSTRACT_KINDS or any(
        e.target.startswith("ext:") and e.target.endswith(_ABSTRACT_BASES) for e in bases
    )


def methods_of_ports(view: View, keys: Iterable[str]) -> set[str]:
    """The methods of ports that these methods override, directly or not."""
    return {key for key in overridden(view, keys) if is_port(view, view.parent.get(key, ""))}


def calls_through_ports(view: View, keys: Iterable[str]) -> list[Through]:
    """The calls of methods of ports that these methods override, surest first, but those that tests bring into sources."""
    found = [
        Through(edge, port)
        for port in sorted(methods_of_ports(view, keys))
        for edge in of_type(view.incoming.get(port, []), "CALLS")
        if edge.strategy != FROM_TESTS
    ]
    return sorted(found, key=lambda through: (-through.call.confidence, through))


def is_met(view: View, site: CallSite) -> bool:
    """Whether a call that is not resolved to one function leads to a method of a port that some class implements."""
    return any(of_type(view.incoming.get(port, []), "OVERRIDES") for port in _ports_called(view, site))


def through_port(view: View, site: CallSite) -> bool:
    """Whether a call that is not resolved to one function is known to be one of a method of a port."""
    return any(True for _ in _ports_called(view, site))


def _ports_called(view: View, site: CallSite) -> Iterator[str]:
    """The methods of ports that a call site names. A relation has the line of the first of several calls only."""
    if site.reason != PROTOCOL:
        return
    for edge in of_type(view.outgoing.get(site.scope, []), "CALLS"):
        if view.symbols[edge.target].name == site.name and is_port(view, view.parent.get(edge.target, "")):
            yield edge.target


def find_implementations(view: View, symbols: Iterable[Symbol]) -> list[Implementation]:
    """The implementations of these ports, and by these classes, surest first; those of tests last. Of a method only
    what concerns it."""
    found = []
    for symbol in symbols:
        key = view.parent.get(symbol.key, "") if symbol.kind == "method" else symbol.key
        for (cls, port), edge in {(cls, port): edge for cls, port, edge in _pairs(view, key)}.items():
            methods = _methods(view, cls, port)
            if symbol.kind == "method":
                methods = tuple(pair for pair in methods if symbol.key in pair)
            if methods or symbol.kind != "method":
                found.append(Implementation(cls, port, edge.strategy, edge.confidence, methods))
    return sorted(dict.fromkeys(found), key=lambda each: _rank(view, each))


def _rank(view: View, found: Implementation) -> tuple[bool, float, str, str]:
    return found.cls in view.tests, -found.confidence, found.cls, found.port


def _pairs(view: View, key: str) -> Iterator[tuple[str, str, CodeEdge]]:
    """(class, port, relation) of all that derive from a class, and of all ports above it; over bases in between as well."""
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
    """(method of the class or of a base of it, method of the port that it stands for)."""
    asked = [e.target for e in of_type(view.outgoing.get(port, []), "DEFINES")]
    own = {cls, *_bases(view, cls)}
    found = []
    for method in asked:
        below: set[str] = set()
        rest = [method]
        while rest:
            fresh = {e.source for e in of_type(view.incoming.get(rest.pop(), []), "OVERRIDES")} - below
            below |= fresh
            rest += fresh
        mine = [key for key in sorted(below) if view.parent.get(key) in own]
        nearest = [key for key in mine if view.parent.get(key) == cls] or mine
        found += [(key, method) for key in nearest]
    return tuple(found)


def _bases(view: View, cls: str) -> set[str]:
    found: set[str] = set()
    rest = [cls]
    while rest:
        fresh = {e.target for e in view.outgoing.get(rest.pop(), ()) if e.type == "EXTENDS"} - found
        found |= fresh
        rest += fresh
    return found


def _short(symbol: Symbol) -> str:
    """The name of a method with that of its class."""
    return ".".join(symbol.qualified_name.split(".")[-2:])
