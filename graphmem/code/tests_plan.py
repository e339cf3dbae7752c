"""Which tests to run for a symbol: those that reach it, those that classes inherit, and the command that runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from graphmem.code.calls import is_partial, unresolved_calls
from graphmem.code.cochange import tests_changed_with
from graphmem.code.filters import is_of_tests
from graphmem.code.test_commands import test_command
from graphmem.codegraph.impact import MAY_CALL, find_impact
from graphmem.codegraph.tests_of import is_test_case
from graphmem.codegraph.view import FUNCTIONS, View, importers, keys
from graphmem.context import StoreContext
from graphmem.model.answers import Place
from graphmem.model.code import TITLED_SUITE, CodeEdge, Symbol
from graphmem.model.code_answers import TestPlan

_POSSIBLE = 0.4  # that an unresolved call is one of the symbol
_FEW_CALLS = 20  # unresolved calls of a name that are followed
_STEPS = 8  # calls from a test to the symbol
_SURE = 0.5  # confidence below which tests come after the others
_HELPERS = 3  # functions of tests through which tests reach a symbol
_RELATED = 10  # tests that history connects with a symbol


def plan_tests(
    context: StoreContext,
    view: View,
    found: list[Symbol],
    limit: int,
    further: Sequence[CodeEdge],
    requests: Sequence[CodeEdge] = (),
) -> TestPlan:
    """Return the tests that reach symbols (overloads of one name). `further` are relations that the view does not record,
    `requests` those to handlers of routes; few unresolved calls of their name are followed, too."""
    further = [*further, *_possible_calls(view, found)]
    reached = find_impact(view, keys(found), depth=_STEPS, whole=True, further=[*further, *requests])
    directly = find_impact(view, keys(found), depth=_STEPS, whole=True, further=[*further, *requests], direct=True)
    sure = {test.key for test in directly.tests}
    calling = (
        find_impact(view, keys(found), depth=_STEPS, whole=True, further=further).tests if requests else reached.tests
    )
    depths = {each.symbol.key: each.depth for each in reached.reached}
    unsure = {each.symbol.key for each in reached.reached if each.confidence < _SURE}
    cases = _without_helper_files(view, [test for test in reached.tests if is_test_case(test)])

    def order(test: Symbol) -> tuple[bool, bool, int, bool, str, int]:
        is_suite = test.decorators == (TITLED_SUITE,)  # which only prepares its tests
        return test.key not in sure, test.key in unsure, depths.get(test.key, _STEPS), is_suite, test.file, test.line

    tests = sorted(cases or reached.tests, key=order)
    helpers = [test for test in reached.tests if cases and not is_test_case(test) and test.kind in FUNCTIONS]
    helpers.sort(key=lambda helper: (depths.get(helper.key, _STEPS), helper.file, helper.line))
    modules = _importing_modules(view, found[0].file) if found[0].kind == "module" else []
    others = tuple(Place.of(module) for module in modules if not is_of_tests(view, module))
    importing = _importing_tests(view, modules)
    if not tests:
        related = tests_changed_with(context, view, Path(view.index.root), found, min(limit, _RELATED))
        command = test_command(
            view, tuple(dict.fromkeys(test.file for test, _ in related)), [test for test, _ in related]
        )
        changed_with = tuple((Place.of(test), commits) for test, commits in related)
        return TestPlan(
            Place.of(found[0]), (), 0, (), command, changed_with, others, importing, is_partial=is_partial(view),
            open_calls=_open_calls(view, {symbol.file for symbol in (*found, *(each.symbol for each in reached.reached))}),
        )  # fmt: skip
    files = tuple(dict.fromkeys(test.file for test in tests))
    direct_files = {test.file for test in tests if test.key in sure}
    calls = {each.symbol.key: each.line for each in reached.reached if each.symbol.kind == "module"}
    places = (replace(Place.of(test), line=calls.get(test.key, test.line)) for test in tests[:limit])
    rows = tuple((place, depths.get(test.key, _STEPS)) for place, test in zip(places, tests, strict=False))
    command, through = test_command(view, files, tests[:limit]), tuple(map(Place.of, helpers[:_HELPERS]))
    dispatched = tuple(file for file in files if file not in direct_files)
    by_call = {test.file for test in calling}
    return TestPlan(
        Place.of(found[0]), rows, len(tests), files, command, (), others, importing, through, len(helpers), dispatched,
        is_partial(view), by_request=tuple(file for file in files if file not in by_call),
    )  # fmt: skip


def _without_helper_files(view: View, cases: list[Symbol]) -> list[Symbol]:
    """Return test cases; where some have titles, without the bodies and function literals of files that have no such test."""
    if not any(test.has_title for test in cases):
        return cases
    unnamed = {test.file for test in cases if test.kind == "module" or test.name.startswith("<")}
    helpers = {file for file in unnamed if not any(symbol.has_title for symbol in view.by_file[file])}
    return [
        test for test in cases if test.file not in helpers or not (test.kind == "module" or test.name.startswith("<"))
    ]


def _possible_calls(view: View, found: Sequence[Symbol]) -> list[CodeEdge]:
    """Return the unresolved calls of the name of symbols as calls of each, if there are few."""
    sites = unresolved_calls(view, {symbol.name for symbol in found if symbol.kind in FUNCTIONS})
    edges = [
        CodeEdge("CALLS", site.scope, symbol.key, site.line, MAY_CALL, _POSSIBLE) for site in sites for symbol in found
    ]
    return edges if len(sites) <= _FEW_CALLS else []


def _open_calls(view: View, files: set[str]) -> int:
    """Return how many calls of tests that import one of these files are unresolved."""
    modules = [module for file in sorted(files) for module in _importing_modules(view, file)]
    tests = {path for path, _ in _importing_tests(view, modules)}
    return sum(site.file in tests for sites in view.open_sites.values() for site in sites)


def _importing_modules(view: View, file: str) -> list[Symbol]:
    """Return a symbol of each file that imports a file, the module itself where that is known."""
    return [view.symbols[key] for key in dict.fromkeys(edge.source for edge in importers(view, file))]


def _importing_tests(view: View, modules: Sequence[Symbol]) -> tuple[tuple[str, int], ...]:
    """Return the test files among modules that import a file (1), then those that import one of these modules (2)."""
    direct = sorted({each.file for each in modules if is_of_tests(view, each)})
    over = {other.file for each in modules for other in _importing_modules(view, each.file) if is_of_tests(view, other)}
    return (*((file, 1) for file in direct), *((file, 2) for file in sorted(over.difference(direct))))
