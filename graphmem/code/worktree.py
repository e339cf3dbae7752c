"""The work tree as it is now, whatever the index knows of it: what it has changed since a commit, and the graph of its code."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

from graphmem.code import index_store
from graphmem.codegraph.build import build
from graphmem.codegraph.impact import Range, hunks, touched
from graphmem.codegraph.scan import scan
from graphmem.codegraph.view import View
from graphmem.context import StoreContext
from graphmem.extract.git import git
from graphmem.model.code import Symbol


class Difference(NamedTuple):
    """What differs between a commit and the work tree."""

    now: list[Range]  # lines that are new
    then: list[Range]  # lines that are gone, as they were numbered
    renamed: dict[str, str]  # new paths of files by their old ones


def difference(root: Path, commit: str) -> Difference | None:
    """What the files below `root` have changed since a commit, new ones that git does not track yet among them; None where
    that is nothing."""
    new = _names(git(root, "ls-files", "--others", "--exclude-standard", "-z"))
    patch = _patch(root, commit, "--src-prefix=a/", "--dst-prefix=b/")
    if not new and not patch.strip():
        return None
    told = _names(git(root, "diff", "--relative", "--name-status", "-M", "--diff-filter=R", "-z", commit, "--"))
    renamed = dict(zip(told[1::3], told[2::3], strict=True))
    now = [*hunks(patch, added=True), *((path, 1, sys.maxsize) for path in new)]
    then = hunks(_patch(root, commit, "-R", "--src-prefix=b/", "--dst-prefix=a/"), added=True)
    return Difference(now, then, renamed)


class Left(NamedTuple):
    """What is left of the symbols that lost lines, or whose file was renamed: those that are still there, as they are now, and
    those that are not, as they were."""

    changed: list[Symbol]
    gone: list[Symbol]


def left(now: View, then: View, what: Difference) -> Left:
    """What a difference left of the code as it was."""
    there = {(s.file, s.qualified_name): s for path in what.renamed.values() for s in now.by_file.get(path, ())}

    def kept(symbol: Symbol) -> Symbol | None:
        return now.symbols.get(symbol.key) or there.get((what.renamed.get(symbol.file, ""), symbol.qualified_name))

    changed = [same for symbol in touched(then, what.then) if (same := kept(symbol))]
    lines = [*what.then, *((path, 1, sys.maxsize) for path in what.renamed)]
    concerned = [
        s for file, first, last in lines for s in then.by_file.get(file, ()) if s.line <= last and first <= s.end_line
    ]
    return Left(changed, [symbol for symbol in dict.fromkeys(concerned) if not kept(symbol)])


def view(context: StoreContext, indexed: View) -> View:
    """The code as it is now: what was indexed, or, where files differ from that, a graph of its own, known from names, imports
    and types where they do. Nothing of it is kept."""
    root = indexed.index.root
    if {source.path: source for source in scan(root)} == indexed.index.sources:
        return indexed
    index, _ = index_store.load(context, Path(root))
    return View(build(root, previous=index, flow=False))


def _patch(root: Path, commit: str, *way: str) -> str:
    patch = git(root, "diff", "--relative", "--no-color", "--no-ext-diff", "-M", *way, commit, "--")
    return patch.decode("utf-8", "replace")


def _names(answer: bytes) -> list[str]:
    return [os.fsdecode(name) for name in answer.split(b"\0") if name]
