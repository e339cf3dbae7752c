"""The current work tree, independent of the index: its difference to a commit, and its code graph."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

from graphmem.code import index_store
from graphmem.codegraph.build import build
from graphmem.codegraph.impact import Range, parse_hunks, touched_symbols
from graphmem.codegraph.scan import is_text, scan_tree
from graphmem.codegraph.view import View
from graphmem.context import StoreContext
from graphmem.gitprocess import run as git
from graphmem.model.code import Symbol


class WorktreeDiff(NamedTuple):
    """The difference between a commit and the work tree."""

    now: list[Range]  # new lines
    then: list[Range]  # removed lines, by their old numbers
    renamed: dict[str, str]  # new paths of files by their old ones


def diff_worktree(root: Path, commit: str) -> WorktreeDiff | None:
    """Return what changed below `root` since a commit, including untracked files; None if nothing changed."""
    new = _names(git(root, "ls-files", "--others", "--exclude-standard", "-z"))
    patch = _patch(root, commit, "--src-prefix=a/", "--dst-prefix=b/")
    if not new and not patch.strip():
        return None
    told = git(root, "diff", "--relative", "--name-status", "-M", "--diff-filter=R", "-z", commit, "--").split(b"\0")
    pairs = (_names(b"\0".join(pair)) for pair in zip(told[1::3], told[2::3], strict=True))
    renamed = {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
    now = [*parse_hunks(patch, added=True), *((path, 1, sys.maxsize) for path in new)]
    then = parse_hunks(_patch(root, commit, "-R", "--src-prefix=b/", "--dst-prefix=a/"), added=True)
    return WorktreeDiff(now, then, renamed)


class RemainingSymbols(NamedTuple):
    """Symbols that lost lines, or whose file was renamed: those that still exist, in their current form, and those that
    do not, in their old form."""

    changed: list[Symbol]
    gone: list[Symbol]


def remaining_symbols(now: View, then: View, what: WorktreeDiff) -> RemainingSymbols:
    """Return what a difference left of the former code."""
    there = {(s.file, s.qualified_name): s for path in what.renamed.values() for s in now.by_file.get(path, ())}

    def kept(symbol: Symbol) -> Symbol | None:
        return now.symbols.get(symbol.key) or there.get((what.renamed.get(symbol.file, ""), symbol.qualified_name))

    changed = [same for symbol in touched_symbols(then, what.then) if (same := kept(symbol))]
    lines = [*what.then, *((path, 1, sys.maxsize) for path in what.renamed)]
    concerned = [
        s for file, first, last in lines for s in then.by_file.get(file, ()) if s.line <= last and first <= s.end_line
    ]
    return RemainingSymbols(changed, [symbol for symbol in dict.fromkeys(concerned) if not kept(symbol)])


def worktree_view(context: StoreContext, indexed: View) -> View:
    """Return the current code: the index, or if files differ from it, a temporary graph in which these are resolved by
    names, imports and types only."""
    root = indexed.index.root
    if {source.path: source for source in scan_tree(root)} == indexed.index.sources:
        return indexed
    index, _ = index_store.load_index(context, Path(root))
    return View(build(root, previous=index, flow=False))


def _patch(root: Path, commit: str, *way: str) -> str:
    patch = git(root, "diff", "--relative", "-M", *way, commit, "--")
    return patch.decode("utf-8", "replace")


def _names(answer: bytes) -> list[str]:
    """Return decoded names; undecodable ones are skipped."""
    return [name for part in answer.split(b"\0") if part and is_text(name := os.fsdecode(part))]
