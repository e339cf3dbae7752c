"""The Python front end of the code graph: `parse` reads one file, `link` resolves names and calls across all files.
Performs no I/O."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping, Set

from graphmem.codegraph.compiled import search_path
from graphmem.codegraph.records import FileFacts, Linked

__path__ = search_path(__path__[0])


def is_compiled() -> bool:
    """Return whether the modules of this package are compiled."""
    return len(__path__) > 1


def parse(path: str, source: bytes) -> FileFacts:
    """Return the facts of one file. `path` is relative to the indexed root, with "/"."""
    from graphmem.codegraph.python import source as sources
    from graphmem.codegraph.python.lowering import FileLowering

    collecting = gc.isenabled()
    gc.disable()  # syntax trees hold no cycles, and collecting among their many nodes takes longer than parsing
    try:
        text = sources.decode(source)
        tree, errors = sources.read(text)
        module, is_package = module_name(path)
        symbols, summary = FileLowering(path, module, text, tree).result(is_package)
    finally:
        if collecting:
            gc.enable()
    package = module if is_package else module.rpartition(".")[0]
    lines = text.count("\n") + (not text.endswith("\n"))
    return FileFacts(path, "python", symbols, lines, errors, package, summary)


def module_name(path: str) -> tuple[str, bool]:
    """Return the dotted name of a file relative to the root, and whether it is the module of a package."""
    parts = path.rpartition(".")[0].split("/")
    if parts[-1] == "__init__" and len(parts) > 1:
        return ".".join(parts[:-1]), True
    return ".".join(parts), parts[-1] == "__init__"


def link(facts: Mapping[str, FileFacts], *, flow: bool = True, only: Iterable[str] | None = None) -> Linked:
    """Resolve names and calls across all files. With `flow`, values follow calls through the whole program (slower, more
    complete). `only`: the paths whose edges and call sites are wanted; they equal those of a complete run."""
    from graphmem.codegraph.python.linking import link as run

    return run(facts, flow=flow, only=only)


def affected(
    changed: Set[str], facts: Mapping[str, FileFacts], before: Mapping[str, FileFacts] | None = None
) -> set[str]:
    """Return the files whose links, without value flow, may differ after the files `changed` (edited, new or deleted):
    all that import them, transitively. With the facts `before` the change, only the changed files themselves if nothing
    visible to others changed."""
    from graphmem.codegraph.python.dependents import affected as run

    return run(changed, facts, before)
