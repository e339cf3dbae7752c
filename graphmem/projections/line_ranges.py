"""Determines which commit changed which symbol: current line ranges are traced back through the history, hunk by hunk,
from the newest commit to the oldest, following renames. Exact for a linear history, which `linear_history` makes of others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from graphmem.model.code import Symbol
from graphmem.model.sources import FEWEST_REPLACED


class Rewrite(NamedTuple):
    """A commit wrote most lines of a symbol, the first one among them: perhaps another symbol stood there before. File and
    lines after the commit, its path before, and the hunks inside."""

    commit: str
    path: str
    previous: str
    first: int
    last: int
    hunks: tuple[tuple[int, ...], ...]


class SymbolChange(NamedTuple):
    """A commit changed a symbol. `change` is A if it introduced the symbol, otherwise M. `rewrite` says what to compare to know
    whether it was the same symbol before."""

    commit: str
    symbol: str
    change: str
    additions: int
    deletions: int
    rewrite: Rewrite | None = None


class FileChange(NamedTuple):
    """A changed file of a commit, with what line ranges need. Hunks are as in `Hunk`, ordered by line. `committed` is the change
    as it is in the commit, if this one was moved (`linear_history`)."""

    path: str
    kind: str
    previous: str
    hunks: Sequence[Sequence[int]]
    committed: FileChange | None = None


class _Range(NamedTuple):
    key: str
    start: int
    end: int


def symbol_changes(
    commits: Iterable[tuple[str, Iterable[FileChange]]], symbols: Iterable[Symbol]
) -> Iterator[SymbolChange]:
    """Yield the changes of symbols, each with its commit. `commits` are (hash, files), newest first; merges have no files.
    Modules and external symbols are skipped."""
    live: dict[str, list[_Range]] = {}
    for symbol in symbols:
        if not symbol.external and symbol.kind != "module" and symbol.line:
            live.setdefault(symbol.file, []).append(_Range(symbol.key, symbol.line, symbol.end_line))
    for commit, files in commits:
        moved: dict[str, list[_Range]] = {}
        for file in files:
            ranges = live.pop(file.path, None)
            if ranges is None or file.kind == "D":
                continue
            edits = _Edits(file.hunks)
            before: list[_Range] = []
            for found in ranges:
                shift = edits.shift(found)
                if shift is not None and file.kind != "A":
                    before.append(_Range(found.key, found.start + shift, found.end + shift) if shift else found)
                    continue
                start, end = edits.old_line(found.start, first=True), edits.old_line(found.end, first=False)
                hits = edits.hits(found)
                born = file.kind == "A" or start > end
                if born or hits:
                    rewrite = None if born else _rewrite(commit, file, hits, found)
                    yield SymbolChange(commit, found.key, "A" if born else "M", *_lines(hits, found), rewrite)
                if not born:
                    before.append(_Range(found.key, start, end))
            if before:
                moved[file.previous or file.path] = before
        live |= moved


def without_predecessors(
    changes: Iterable[SymbolChange], is_other: Callable[[Rewrite], bool]
) -> Iterator[SymbolChange]:
    """Yield changes of symbols, newest first, each symbol's up to the commit that put it in the place of another one. `is_other`
    judges a rewrite."""
    ended: set[str] = set()
    for change in changes:
        if change.symbol in ended:
            continue
        if change.rewrite is not None and is_other(change.rewrite):
            ended.add(change.symbol)
            change = change._replace(change="A")
        yield change


def range_before(hunks: Sequence[Sequence[int]], first: int, last: int) -> tuple[int, int]:
    """Return the position of a line range before these hunks; the last line is less than the first if it did not exist."""
    edits = _Edits(hunks)
    return edits.old_line(first, first=True), edits.old_line(last, first=False)


class _Edits:
    """The hunks of one file, indexed by line, so that only hunks near a line are checked."""

    def __init__(self, hunks: Sequence[Sequence[int]]) -> None:
        self._hunks = hunks
        self._starts = [hunk[2] for hunk in hunks]
        self._ends = [start + max(lines - 1, 0) for _, _, start, lines in hunks]
        self._shifts = [0, *accumulate(old - new for _, old, _, new in hunks)]

    def shift(self, found: _Range) -> int | None:
        """Return the offset of a range to its earlier position; None if a hunk is inside it or at its edges."""
        at = bisect_left(self._ends, found.start)  # those before it end above the range
        beside = at == len(self._hunks) or self._hunks[at][2] > found.end
        return self._shifts[at] if beside else None

    def old_line(self, line: int, *, first: bool) -> int:
        """Return the line number before the commit; inside a hunk, the edge of the replaced lines."""
        at = bisect_left(self._ends, line)
        if at < len(self._hunks):
            old_start, old, start, lines = self._hunks[at]
            if lines and start <= line:
                below = old_start + (old == 0)  # an insertion is after old_start
                return below if first else below + old - 1
        return line + self._shifts[at]

    def hits(self, found: _Range) -> list[Sequence[int]]:
        """Return hunks that changed lines of a range, or removed lines inside it."""
        near = slice(bisect_left(self._ends, found.start), bisect_right(self._starts, found.end))
        return [hunk for hunk in self._hunks[near] if hunk[3] or hunk[2] < found.end]


def _rewrite(commit: str, file: FileChange, hunks: list[Sequence[int]], found: _Range) -> Rewrite | None:
    """Return what these hunks rewrote, None if they leave the first line or half of the lines, or only add or remove."""
    added, removed = _lines(hunks, found)
    is_whole = hunks[0][3] and hunks[0][2] <= found.start and 2 * added > found.end - found.start
    if not is_whole or min(added, removed) < FEWEST_REPLACED:
        return None
    told = file.committed or file
    at = [*map(tuple, file.hunks)].index(tuple(hunks[0]))
    there = told.hunks[at : at + len(hunks)]
    shift = there[0][2] - hunks[0][2]
    ends = found.start + shift, found.end + shift
    return Rewrite(commit, told.path, told.previous or told.path, *ends, tuple(map(tuple, there)))


def _lines(hunks: list[Sequence[int]], found: _Range) -> tuple[int, int]:
    """Return the numbers of a symbol's lines that these hunks added and removed."""
    added = sum(min(at + new, found.end + 1) - max(at, found.start) for _, _, at, new in hunks if new)
    return added, sum(hunk[1] for hunk in hunks)
