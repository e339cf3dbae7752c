"""Finds tests that changed together with a symbol. A test that starts the built program never calls the code it tests, so
only history connects the two."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from graphmem import resources
from graphmem.code.line_history import symbol_history
from graphmem.codegraph.tests_of import is_test_case
from graphmem.codegraph.view import FUNCTIONS, View
from graphmem.context import StoreContext
from graphmem.model.code import Symbol

_NEWEST = 50  # commits of a symbol that are considered
_LARGEST = 60  # symbols; a larger commit (a rename, a formatter) connects nothing
_LEAST = 0.1  # weight: one commit that changed ten symbols, or more that changed more


def tests_changed_with(
    context: StoreContext, view: View, root: Path, symbols: Sequence[Symbol], limit: int
) -> list[tuple[Symbol, int]]:
    """Return the tests that the same commits changed, with the number of these commits. A commit that changed little else
    counts more."""
    hashes = [row[0] for row in symbol_history(context, root, symbols).rows[:_NEWEST]]
    query = resources.text("queries/graph/read/symbols_of_commits.cypher")
    changed = defaultdict(list)
    for commit, name, file in context.graph.query(query, {"hashes": hashes}).rows if hashes else ():
        changed[commit].append((name, file))
    weights: dict[str, float] = defaultdict(float)
    commits: dict[str, int] = defaultdict(int)
    for places in changed.values():
        if len(places) > _LARGEST:
            continue
        for name, file in places:
            for symbol in view.find(name):
                if (
                    symbol.file == file
                    and symbol.key in view.tests
                    and symbol.kind in FUNCTIONS
                    and is_test_case(symbol)
                ):
                    weights[symbol.key] += 1 / len(places)
                    commits[symbol.key] += 1
    ranked = sorted((key for key in weights if weights[key] >= _LEAST), key=lambda key: (-weights[key], key))
    return [(view.symbols[key], commits[key]) for key in ranked[:limit]]
