"""The Python front end of the code graph: `parse` reads one file, `link` resolves names and calls across all files.
Performs no I/O."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping, Set

from graphmem.codegraph.python import module_name
from graphmem.codegraph.python import source as sources
from graphmem.codegraph.python.dependents import affected_files
from graphmem.codegraph.python.linking import link as link_files
from graphmem.codegraph.python.lowering import FileLowering
from graphmem.codegraph.records import FileFacts, Linked


def parse(path: str, source: bytes) -> FileFacts:
    """Return the facts of one file. `path` is relative to the indexed root, with "/"."""
    collecting = gc.isenabled()
    gc.disable()  # syntax trees hold no cycles, and collecting among their many nodes takes longer than parsing
    try:
        text = sources.decode(source)
        tree, errors = sources.parse_text(text)
        module, is_package = module_name(path)
        symbols, summary = FileLowering(path, module, text, tree).result(is_package)
    finally:
        if collecting:
            gc.enable()
    package = module if is_package else module.rpartition(".")[0]
    lines = text.count("\n") + (not text.endswith("\n"))
    return FileFacts(path, "python", symbols, lines, errors, package, summary)


def link(facts: Mapping[str, FileFacts], *, flow: bool = True, only: Iterable[str] | None = None) -> Linked:
    """Resolve names and calls over all files. `flow` lets values follow calls through the whole program (slower, more
    complete). `only`: the paths whose edges and call sites are wanted; they are the same as in the whole."""
    return link_files(facts, flow=flow, only=only)


def affected(
    changed: Set[str], facts: Mapping[str, FileFacts], before: Mapping[str, FileFacts] | None = None
) -> set[str]:
    """Return the files whose links, without value flow, may differ once the files `changed` (edited, new or deleted)
    are as `facts` says: all that import them, directly or not. Given the facts `before` the change, only the changed
    files themselves where nothing that others can see of them has changed."""
    return affected_files(changed, facts, before)
