"""Finds Python classes that implement a protocol (`typing.Protocol`) without naming it: they have all its members, and
their methods accept the parameters of its methods. Runs after all files are linked and uses definitions and bases only,
so the same files always give the same relations."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from graphmem.codegraph.records import FileFacts, FileLinks
from graphmem.codegraph.tests_of import is_outside_sources
from graphmem.model.code import CodeEdge, Symbol

STRUCTURAL = "structural"
_LANGUAGE = "python"
_RELATIONS = ("IMPLEMENTS", "OVERRIDES")
_PROTOCOL = ".Protocol"  # of `typing` and `typing_extensions`
_SURE, _ONE_MEMBER = 0.9, 0.6  # one member alone may have the same name by chance
_MEMBERS = frozenset({"method", "field"})
_OWN_AFFAIR = frozenset({"__init__", "__new__", "__init_subclass__", "__class_getitem__", "__slots__", "__doc__"})


class _Port(NamedTuple):
    key: str
    members: dict[str, Symbol]  # all that it asks for, those of its bases as well
    bases: frozenset[str]  # the protocols it extends, directly or not


def relate_protocols(facts: Mapping[str, FileFacts], links: dict[str, FileLinks]) -> set[str]:
    """Replace the structural IMPLEMENTS and OVERRIDES relations of Python classes in `links`. Return the paths whose links
    are no longer the same."""
    paths = [path for path in links if facts[path].language == _LANGUAGE]
    found = _Classes(facts, links, paths).relations()
    changed = set()
    for path in paths:
        old = [e for type in _RELATIONS for e in edges_of_type(links[path].edges, type) if e.strategy == STRUCTURAL]
        new = found.get(path, set())
        if new != set(old):
            kept = set(links[path].edges).difference(old)
            links[path] = links[path]._replace(edges=tuple(sorted(kept | new)))
            changed.add(path)
    return changed


def edges_of_type(edges: tuple[CodeEdge, ...], type: str) -> tuple[CodeEdge, ...]:
    """Return the edges of one type. `edges` must be sorted."""
    first = bisect_left(edges, (type,))
    return edges[first : bisect_left(edges, (f"{type}\0",), first)]


class _Classes:
    """The classes of a tree with their bases and members."""

    def __init__(self, facts: Mapping[str, FileFacts], links: Mapping[str, FileLinks], paths: Iterable[str]) -> None:
        self._facts, self._paths = facts, sorted(paths)
        self._bases: dict[str, list[str]] = {}
        for path in self._paths:
            for edge in edges_of_type(links[path].edges, "EXTENDS"):
                self._bases.setdefault(edge.source, []).append(edge.target)
        self._all_members: dict[str, dict[str, Symbol]] = {}
        self._home: dict[str, str] = {}

    def relations(self) -> dict[str, set[CodeEdge]]:
        """Return by path which class implements which protocol, and which of its methods implements which protocol
        method."""
        found: dict[str, set[CodeEdge]] = {}
        if not self._protocols:
            return found
        ports = [port for key in sorted(self._protocols) if (port := self._port(key)) is not None]
        first: dict[str, list[_Port]] = {}
        for port in ports:
            first.setdefault(min(port.members), []).append(port)
        candidates = (k for k in sorted(self._own.keys() | self._bases.keys()) if k not in self._protocols)
        for key in candidates:
            if key not in self._symbols:
                continue
            members = self._members(key)
            asked = [port for name in sorted(members.keys() & first.keys()) for port in first[name]]
            met = [port for port in asked if self._meets(key, members, port)]
            above = {base for port in met for base in port.bases}
            for port in met:
                if port.key not in above:
                    self._relate(key, members, port, found)
        return found

    def _relate(self, key: str, members: dict[str, Symbol], port: _Port, found: dict[str, set[CodeEdge]]) -> None:
        sure = _SURE if len(port.members) > 1 else _ONE_MEMBER
        own = self._symbols[key]
        found.setdefault(own.file, set()).add(CodeEdge("IMPLEMENTS", key, port.key, own.line, STRUCTURAL, sure))
        asked = [symbol for each in (port.key, *port.bases) for symbol in self._own.get(each, {}).values()]
        for theirs in asked:
            mine = members[theirs.name]
            if theirs.kind == mine.kind == "method":
                edge = CodeEdge("OVERRIDES", mine.key, theirs.key, mine.line, STRUCTURAL, sure)
                found.setdefault(mine.file, set()).add(edge)

    def _meets(self, key: str, members: dict[str, Symbol], port: _Port) -> bool:
        """Return whether a class implements a protocol structurally: it has all members, and neither it nor a base
        declares or already provides the relation."""
        if not port.members.keys() <= members.keys() or port.key in self._above(key):
            return False
        symbol, asked = self._symbols[key], self._symbols[port.key]
        if is_outside_sources(asked.file, _LANGUAGE) and not is_outside_sources(symbol.file, _LANGUAGE):
            return False  # a protocol of tests is met by what they try; sources do not depend on it
        if any(
            port.members.keys() <= self._members(base).keys()
            for base in self._bases.get(key, ())
            if base in self._symbols
        ):
            return False  # its base does, and the relation is that of the base
        suits = takes if len(port.members) > 1 else _suits_alone
        return all(suits(members[name], wanted) for name, wanted in port.members.items())

    def _port(self, key: str) -> _Port | None:
        """Return the protocol of a key; None if it has no members, or only special methods that Python itself
        calls."""
        members = self._members(key)
        if not members or (all(map(_is_special, members)) and "__call__" not in members):
            return None
        return _Port(key, members, frozenset(self._above(key)))

    @cached_property
    def _protocols(self) -> set[str]:
        """Return the keys of classes that have `Protocol` itself among their bases."""
        return {
            k for k, bases in self._bases.items() if any(b.startswith("ext:") and b.endswith(_PROTOCOL) for b in bases)
        }

    def _above(self, key: str) -> set[str]:
        found: set[str] = set()
        rest = [key]
        while rest:
            fresh = set(self._bases.get(rest.pop(), ())) - found
            found |= fresh
            rest += fresh
        return found

    def _members(self, key: str) -> dict[str, Symbol]:
        """Return the methods and fields of a class and its bases that any protocol requires; its own take
        precedence."""
        known = self._all_members.get(key)
        if known is None:
            self._all_members[key] = {}  # for bases that go round in a circle
            known = {n: s for base in reversed(self._bases.get(key, ())) for n, s in self._members(base).items()}
            known = self._all_members[key] = {**known, **self._own.get(key, {})}
        return known

    @cached_property
    def _wanted(self) -> set[str]:
        """Return the names of all members of all protocols."""
        files = {key: self._file(key) for key in self._protocols}
        return {
            s.name
            for key, path in files.items()
            for s in self._facts[path].symbols
            if s.kind in _MEMBERS and s.name not in _OWN_AFFAIR and _owner(s) == key
        }

    def _file(self, key: str) -> str:
        path = key
        while path and path not in self._facts:  # a path may hold a colon
            path = path.rpartition(":")[0]
        return path

    @cached_property
    def _own(self) -> dict[str, dict[str, Symbol]]:
        """Return, by class, the members that any protocol requires. If a name is defined twice, the first definition
        counts."""
        found: dict[str, dict[str, Symbol]] = {}
        wanted = self._wanted
        for path in self._paths:
            for symbol in self._facts[path].symbols:
                if symbol.name in wanted and symbol.kind in _MEMBERS:
                    found.setdefault(_owner(symbol), {}).setdefault(symbol.name, symbol)
        return found

    @cached_property
    def _symbols(self) -> dict[str, Symbol]:
        """Return the classes of the tree by key."""
        return {s.key: s for path in self._paths for s in self._facts[path].symbols if s.kind == "class"}


def takes(method: Symbol, asked: Symbol) -> bool:
    """Return whether a method accepts every call that another declaration allows: it has a parameter for each argument
    and requires no more. True if either is not a method or its parameters are unknown."""
    if asked.kind != "method" or method.kind != "method" or "property" in (*asked.decorators, *method.decorators):
        return True
    if method.is_async != asked.is_async and not any(word in asked.signature for word in _AWAITABLE):
        return False
    mine, theirs = _parameters(method.signature), _parameters(asked.signature)
    if mine is None or theirs is None:
        return True
    own, wanted = _positional(mine), _positional(theirs)
    needed = len(own) - len(mine.defaults)
    if (len(wanted) > len(own) and mine.vararg is None) or needed > len(wanted) + len(theirs.kwonlyargs):
        return False
    names = {*own, *(a.arg for a in mine.kwonlyargs)}
    return mine.kwarg is not None or all(a.arg in names for a in theirs.kwonlyargs)


def _suits_alone(member: Symbol, asked: Symbol) -> bool:
    """Return whether a method suits the only member of a protocol. Parameters are compared, too, because many classes have one
    such name by chance."""
    return takes(member, asked) and _is_alike(member, asked)


def _is_alike(member: Symbol, asked: Symbol) -> bool:
    """Return whether two members have the same parameter names, or the same type annotation."""
    mine, theirs = _parameters(member.signature), _parameters(asked.signature)
    if mine is None or theirs is None:
        return _written_type(member.signature) == _written_type(asked.signature)
    return _positional(mine) == _positional(theirs)


def _written_type(signature: str) -> str:
    """Return the annotation of a field."""
    return signature.partition(":")[2].partition(" = ")[0].strip()


def _positional(given: ast.arguments) -> list[str]:
    """Return the names of a method's positional parameters without the first (`self`)."""
    return [a.arg for a in (*given.posonlyargs, *given.args)][1:]


_AWAITABLE = ("Awaitable", "Coroutine", "AsyncIterator", "AsyncGenerator", "AsyncIterable")


@lru_cache(maxsize=4_096)
def _parameters(signature: str) -> ast.arguments | None:
    try:
        found = ast.parse(f"{signature}: ...").body[0]
    except (SyntaxError, ValueError):
        return None
    return found.args if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) else None


def _owner(symbol: Symbol) -> str:
    """Return the key of the class or module that contains a member."""
    first, _, number = symbol.key.rpartition("~")  # of a name that is defined again
    return (first if number.isdigit() else symbol.key)[: -len(symbol.name) - 1]


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
