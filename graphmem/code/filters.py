"""Filters rows of answers about code by path and by tests: those below a path, with or without tests. Sources come
before tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os.path import normpath, relpath
from pathlib import Path, PurePath

from graphmem.code.text_search import path_filter
from graphmem.codegraph.languages import all_languages
from graphmem.codegraph.tests_of import is_example, is_outside_sources
from graphmem.codegraph.view import View
from graphmem.errors import NotFound
from graphmem.model.code import Symbol
from graphmem.workdir import current_directory

Filter = Callable[[Symbol], bool]


def accept_all(symbol: Symbol) -> bool:
    """Return True for every symbol."""
    return True


def symbol_filter(view: View, path: str | None, *, no_tests: bool) -> Filter:
    """Return a predicate for symbols: those in a folder, a file, or files that match a glob (`*.py`). With `no_tests`,
    tests and examples are rejected, but not examples if `path` is their folder. Raises NotFound if no indexed file matches."""
    below = _below(view, path) if path else None
    among_examples = path is not None and is_example(f"{path.rstrip('/')}/")

    def is_wanted(symbol: Symbol) -> bool:
        is_rejected = no_tests and (symbol.key in view.tests if among_examples else is_of_tests(view, symbol))
        return not is_rejected and (below is None or below(symbol.file))

    return is_wanted


def file_filter(view: View, path: str | None, *, no_tests: bool) -> Callable[[str], bool]:
    """Return a predicate for paths of indexed files, like `symbol_filter`. Raises NotFound if no indexed file matches."""
    below = _below(view, path) if path else None
    records = view.index.records

    def is_wanted(file: str) -> bool:
        of_tests = no_tests and file in records and is_outside_sources(file, records[file].language)
        return not of_tests and (below is None or below(file))

    return is_wanted


def _below(view: View, path: str) -> Callable[[str], bool]:
    for meant in (path, *path_candidates(Path(view.index.root), path)):
        wanted = path_filter(meant, None)
        if any(map(wanted, view.index.records)):
            return wanted
    raise NotFound(f"no indexed file is at or below `{path}`: `graphmem code files` lists indexed files", file=path)


def path_candidates(root: Path, path: str) -> Iterator[str]:
    """Yield the possible meanings of a path: relative to the root, relative to the working directory, and with links
    resolved."""
    if "\0" not in path:
        here = current_directory() / path
        yield PurePath(normpath(path)).as_posix()
        yield PurePath(relpath(normpath(here), root)).as_posix()
        yield PurePath(relpath(here.resolve(), root.resolve())).as_posix()


def is_of_tests(view: View, symbol: Symbol) -> bool:
    """Return whether a symbol belongs to a test or an example."""
    if symbol.key in view.tests:
        return True
    return symbol.language in all_languages() and is_outside_sources(symbol.file, symbol.language)
