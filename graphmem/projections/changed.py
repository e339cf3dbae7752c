"""Which commit changed which symbol: today's line ranges are carried back through the history, hunk by hunk, from the
newest commit to the oldest, renames followed. Exact along a line of commits; where branches ran side by side, a range can
be off by what the other branch inserted above it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphmem.model.code import Symbol
from graphmem.model.sources import Hunk


class Touched(NamedTuple):
    """A commit changed a symbol. `change` is A where the symbol was born, else M."""

    commit: str
    symbol: str
    change: str
    additions: int
    deletions: int


class Change(NamedTuple):
    """A file of a commit, as far as line ranges need it."""

    path: str
    kind: str
    previous: str
    hunks: tuple[Hunk, ...]


class _Range(NamedTuple):
    key: str
    start: int
    end: int


def touched(commits: Iterable[tuple[str, Iterable[Change]]], symbols: Iterable[Symbol]) -> Iterator[Touched]:
    """`commits` as (hash, files), newest first; merges bring no files. Modules and external symbols are left out."""
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
            before: list[_Range] = []
            first = min((hunk.new_start for hunk in file.hunks), default=0)
            last = max((hunk.new_start + max(hunk.new_lines - 1, 0) for hunk in file.hunks), default=0)
            shift = sum(hunk.old_lines - hunk.new_lines for hunk in file.hunks)
            for found in ranges:
                if file.kind == "A" or not (found.end < first or last < found.start):
                    yield from _changes(commit, found, file, before)
                elif found.end < first or not shift:  # all that changed lies below, or above and kept its length
                    before.append(found)
                else:
                    before.append(_Range(found.key, found.start + shift, found.end + shift))
            if before and file.kind != "A":
                moved[file.previous or file.path] = before
        live |= moved


def _changes(commit: str, found: _Range, file: Change, before: list[_Range]) -> Iterator[Touched]:
    """What the commit did to one symbol; appends where the symbol stood before, if it did."""
    hits = [hunk for hunk in file.hunks if _hits(hunk, found)]
    start, end = _old_line(found.start, file.hunks, first=True), _old_line(found.end, file.hunks, first=False)
    born = file.kind == "A" or start > end
    if not born:
        before.append(_Range(found.key, start, end))
    if born or hits:
        added = sum(
            min(h.new_start + h.new_lines, found.end + 1) - max(h.new_start, found.start) for h in hits if h.new_lines
        )
        yield Touched(commit, found.key, "A" if born else "M", added, sum(h.old_lines for h in hits))


def _hits(hunk: Hunk, found: _Range) -> bool:
    if hunk.new_lines:
        return hunk.new_start <= found.end and hunk.new_start + hunk.new_lines > found.start
    return found.start <= hunk.new_start < found.end  # lines went between new_start and the next one


def _old_line(line: int, hunks: Iterable[Hunk], *, first: bool) -> int:
    """The line before the commit; inside a hunk, the edge of what the hunk replaced."""
    shift = 0
    for hunk in hunks:
        if hunk.new_lines and hunk.new_start <= line < hunk.new_start + hunk.new_lines:
            below = hunk.old_start + (hunk.old_lines == 0)  # an insertion stands behind old_start
            return below if first else below + hunk.old_lines - 1
        if hunk.new_start + max(hunk.new_lines - 1, 0) >= line and not (hunk.new_lines == 0 and hunk.new_start < line):
            break
        shift += hunk.old_lines - hunk.new_lines
    return line + shift
