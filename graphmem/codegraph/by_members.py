"""Calls on variables whose value is unknown, because settings, a factory or an import by name make it: the members that are used of
the variable, in all files together, may be those of one class alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

from graphmem.codegraph.file_lines import WIDTH, FileLines
from graphmem.codegraph.view import CLASSES, FUNCTIONS, View, of_type
from graphmem.model.code import CallSite, CodeEdge, Symbol
from graphmem.patterns import compile_later

BY_MEMBERS = "by its members"  # strategy of these calls
_SURE, _LESS_SURE = 0.6, 0.4
_VARIABLES = frozenset({"variable", "constant"})
_NAMING = frozenset({"REFERS_TO", "USES"})
_FEWEST = 2  # members that tell a class
_MANY = 4  # members that tell it well
_MOST_MISSING = 4  # one of so many members may be of another value of the variable
_COMMON = 60  # classes with a member; a name of more tells nothing
_RECEIVER = compile_later(r"(?:^|[^\w$])([A-Za-z_$][\w$]{0,80})\s{0,4}(?:\?\.|\.|->|::)\s{0,4}[A-Za-z_]\w{0,80}[?!]?$")


def calls_by_members(view: View, read: Callable[[str], str]) -> list[CodeEdge]:
    """Return the unresolved calls on variables of modules as calls of the methods of the one class that has the members that are
    used of the variable. `read` returns the text of a file."""
    calls: defaultdict[str, list[CallSite]] = defaultdict(list)
    for sites in view.open_sites.values():
        for site in sites:
            if (named := _RECEIVER.search(site.text[-WIDTH:])) and (variable := _variable(view, site, named[1])):
                calls[variable].append(site)
    texts = FileLines(read)
    members = _Members(view)
    found = []
    for key, sites in sorted(calls.items()):
        used = _used_members(view, view.symbols[key], texts) | {site.name for site in sites}
        for owner, sure in members.owner_of(used):
            for site in sites:
                method = members.of(owner).get(site.name)
                if method is not None and view.symbols[method].kind in FUNCTIONS and site.scope != method:
                    found.append(CodeEdge("CALLS", site.scope, method, site.line, BY_MEMBERS, sure))
    return found


def _variable(view: View, site: CallSite, name: str) -> str:
    """Return the variable of a module that a call site names as its receiver, "" if none is known."""
    for edge in view.outgoing.get(site.scope, ()):
        if edge.type in _NAMING and edge.line <= site.line:
            symbol = view.symbols[edge.target]
            is_there = (
                edge.line == site.line or symbol.language != "python"
            )  # elsewhere a relation has the first line alone
            if is_there and symbol.name == name and symbol.kind in _VARIABLES and not symbol.external:
                return symbol.key
    return ""


def _used_members(view: View, variable: Symbol, texts: FileLines) -> set[str]:
    """Return the names behind a variable in the lines that name it."""
    places = {(view.symbols[e.source].file, e.line) for e in view.incoming.get(variable.key, ()) if e.type in _NAMING}
    member = re.compile(rf"(?<![\w$]){re.escape(variable.name)}\s{{0,4}}(?:\?\.|\.|->|::)\s{{0,4}}([A-Za-z_]\w*[?!]?)")
    return {name for file, line in places for name in member.findall(texts.line(file, line))}


class _Members:
    """The members of classes, their own and inherited ones."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._known: dict[str, dict[str, str]] = {}

    def of(self, owner: str) -> dict[str, str]:
        """Return the keys of the members of a class by name."""
        if owner not in self._known:
            found: dict[str, str] = {}
            for cls in self._with_bases(owner):
                for edge in of_type(self._view.outgoing.get(cls, []), "DEFINES"):
                    found.setdefault(self._view.symbols[edge.target].name, edge.target)
            self._known[owner] = found
        return self._known[owner]

    def owner_of(self, names: set[str]) -> Iterator[tuple[str, float]]:
        """Yield the class that has these members, or all but a few of many, with how sure that is: of classes that derive from each
        other the base. None if several classes have them."""
        having = {name: owners for name in names if 0 < len(owners := self._defining(name)) <= _COMMON}
        if len(having) < _FEWEST:
            return
        fewest = len(names) - len(names) // _MOST_MISSING
        counts: defaultdict[str, int] = defaultdict(int)
        defining = set[str]().union(*having.values())
        for owner in {heir for each in defining for heir in self._below(each)}:
            counts[owner] = sum(name in self.of(owner) for name in names)
        best = max(counts.values())
        fitting = {owner for owner, count in counts.items() if count == best}
        roots = [owner for owner in fitting if fitting.isdisjoint(list(self._with_bases(owner))[1:])]
        if best >= max(fewest, _FEWEST) and len(roots) == 1:
            yield roots[0], _SURE if best >= _MANY else _LESS_SURE

    def _defining(self, name: str) -> set[str]:
        view, found = self._view, set[str]()
        for symbol in view.named.get(name, ()):
            owner = view.symbols.get(view.parent.get(symbol.key, ""))
            if owner is not None and owner.kind in CLASSES and owner.key not in view.tests and not symbol.external:
                found.add(owner.key)
        return found

    def _with_bases(self, key: str) -> Iterator[str]:
        yield from _reached(key, lambda each: (e.target for e in of_type(self._view.outgoing.get(each, []), "EXTENDS")))

    def _below(self, key: str) -> Iterator[str]:
        yield from _reached(key, lambda each: (e.source for e in of_type(self._view.incoming.get(each, []), "EXTENDS")))


def _reached(key: str, following: Callable[[str], Iterator[str]]) -> Iterator[str]:
    seen, rest = {key}, [key]
    for each in rest:  # grows
        yield each
        fresh = [other for other in following(each) if other not in seen]
        seen.update(fresh)
        rest += fresh
