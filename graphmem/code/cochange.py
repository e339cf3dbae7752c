"""Finds what changed together: files with a file, and tests with a symbol. A test that starts the built program never calls the
code it tests, so only history connects the two."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from graphmem import resources
from graphmem.code.line_history import symbol_history
from graphmem.codegraph.tests_of import is_test_case
from graphmem.codegraph.view import FUNCTIONS, View
from graphmem.context import StoreContext
from graphmem.gitprocess import run
from graphmem.model.code import Symbol
from graphmem.privacy import redact

_NEWEST = 50  # commits of a symbol that are considered
_LARGEST = 60  # symbols; a larger commit (a rename, a formatter) connects nothing
_SMALL = 30  # files; a larger commit says little about each
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


class Together(NamedTuple):
    """How many commits changed a path, and the other files that they changed: (path, commits, those of at most 30 files), most
    first."""

    commits: int
    files: list[tuple[str, int, int]]


def files_changed_with(root: Path, path: str, timeout_s: float) -> Together:
    """Return the files that the commits of a path changed, as git has them: merges are left out and renames not followed, so that
    anybody who counts gets the same. Raises SourceError if git fails or times out."""
    wanted = ("log", "--no-merges", "--no-renames", "--full-diff", "--name-only", "--relative", "-z", "--format=%x01")
    answer = run(root, *wanted, "--", path, timeout_s=timeout_s).decode("utf-8", "replace")
    commits, small = Counter[str](), Counter[str]()
    changes = [[file for part in one.split("\0") if (file := part.strip("\n"))] for one in answer.split("\1")[1:]]
    for files in changes:
        commits.update(files)
        small.update(files if len(files) <= _SMALL else ())
    rows = [(redact(file).text, count, small[file]) for file, count in commits.items() if file != path]
    return Together(len(changes), sorted(rows, key=lambda row: (-row[1], -row[2], row[0])))
