"""Tests that a class of tests inherits: a runner runs the tests of a base or of a mixin again for each class below it, in whatever
file it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphmem.codegraph.tests_of import is_test_case
from graphmem.codegraph.view import CLASSES, View
from graphmem.model.code import Symbol

_DERIVES = frozenset({"EXTENDS", "IMPLEMENTS"})  # of Ruby's modules, as well
_MOST = 200  # classes below one


def inherited_tests(view: View, tests: Iterable[Symbol]) -> Iterator[tuple[Symbol, Symbol]]:
    """Yield (test, the same test of a class that inherits it): with the name and the place of that class. Those that a class
    overrides it does not inherit."""
    below: dict[str, list[Symbol]] = {}
    for test in tests:
        owner = view.symbols.get(view.parent.get(test.key, ""))
        if owner is None or owner.kind not in CLASSES or not is_test_case(test):
            continue
        if owner.key not in below:
            below[owner.key] = list(_below(view, owner.key))
        own: set[str] = set()  # classes below which another test has the name
        for heir in below[owner.key]:
            if f"{heir.key}.{test.name}" in view.symbols or not own.isdisjoint(_bases(view, heir.key)):
                own.add(heir.key)
                continue
            yield (
                test,
                test._replace(
                    key=f"{heir.key}.{test.name}",
                    qualified_name=f"{heir.qualified_name}.{test.name}",
                    file=heir.file,
                    line=heir.line,
                    end_line=heir.line,
                ),
            )


def _below(view: View, key: str) -> Iterator[Symbol]:
    """Yield the classes derived from a class, the nearest first."""
    seen, rest = {key}, [key]
    for each in rest:  # grows
        for edge in view.incoming.get(each, ()):
            if edge.type in _DERIVES and edge.source not in seen and len(seen) < _MOST:
                seen.add(edge.source)
                rest.append(edge.source)
                heir = view.symbols[edge.source]
                if heir.kind in CLASSES:
                    yield heir


def _bases(view: View, key: str) -> Iterator[str]:
    return (edge.target for edge in view.outgoing.get(key, ()) if edge.type in _DERIVES)
