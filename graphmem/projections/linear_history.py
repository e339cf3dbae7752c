"""Puts a history with merged branches in a line, so that line numbers can be traced through it commit by commit. The commits
that a merge brought are put before it as if they had been rebased: each hunk is moved by the lines that the mainline inserted
and removed above it since the branch began. Where both sides changed the same lines, the position is approximate, and so it is
of commits that branched off within a branch."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from graphmem.projections.line_ranges import FileChange

Hunks = Sequence[Sequence[int]]
_MOST_BESIDE = 500  # changes of a file that one of a branch is moved over; with more, it stays where it is


class LoggedCommit(NamedTuple):
    """A commit as in the log."""

    hash: str
    parents: Sequence[str]
    files: Sequence[FileChange]


class _Beside(NamedTuple):
    """A change of a file on the mainline: its number, that of the mainline commit that made or merged it, and the path after it."""

    number: int
    at: int
    path: str
    hunks: Hunks


def in_line(commits: Sequence[LoggedCommit], head: str) -> Iterator[tuple[str, Sequence[FileChange]]]:
    """Yield (hash, files) of these commits, newest first. `commits` are oldest first, parents before children. Those from which
    `head` does not descend come last: they have no part in the lines of today."""
    known = {commit.hash: commit for commit in commits}
    order = {commit.hash: number for number, commit in enumerate(commits)}
    mainline = _Mainline()
    for at, tip in enumerate(_first_parents(known, head)):
        for parent in tip.parents[1:]:
            mainline.merge(at, sorted(_unmerged(known, parent, mainline.base), key=lambda each: order[each.hash]))
        mainline.add(at, tip)
    yield from reversed(mainline.line)
    for commit in reversed(commits):
        if commit.hash not in mainline.base:
            yield commit.hash, commit.files


def _first_parents(known: Mapping[str, LoggedCommit], head: str) -> list[LoggedCommit]:
    """Return `head`, its first parent, the first parent of that and so on; oldest first."""
    found: dict[str, LoggedCommit] = {}
    while head in known and head not in found:
        found[head] = known[head]
        head = next(iter(known[head].parents), "")
    return [*reversed(found.values())]


def _unmerged(known: Mapping[str, LoggedCommit], tip: str, merged: Mapping[str, int]) -> list[LoggedCommit]:
    """Return `tip` and the commits from which it descends, but for those that are merged already."""
    found, ahead = dict[str, LoggedCommit](), [tip]
    while ahead:
        each = ahead.pop()
        if each in known and each not in merged and each not in found:
            found[each] = known[each]
            ahead += known[each].parents
    return [*found.values()]


class _Mainline:
    """The line so far. `base` has for each commit in it the last mainline commit that it knows."""

    def __init__(self) -> None:
        self.line: list[tuple[str, Sequence[FileChange]]] = []
        self.base: dict[str, int] = {}
        self._changes: dict[str, list[_Beside]] = {}  # of each path, in order; a rename is one of both its paths
        self._numbers: dict[str, list[int]] = {}

    def add(self, at: int, commit: LoggedCommit) -> None:
        """Add a commit of the mainline, which is this number in it."""
        self.base[commit.hash] = at
        self._append(at, commit.hash, commit.files)

    def merge(self, at: int, branch: Sequence[LoggedCommit]) -> None:
        """Add the commits of a branch, oldest first, as if they had been made on top of the line."""
        beside: dict[
            str, tuple[str, list[_Beside]]
        ] = {}  # by path in the branch: path in the line, and what it changed
        moved: list[tuple[str, Sequence[FileChange]]] = []
        for commit in branch:
            base = max((self.base.get(parent, -1) for parent in commit.parents), default=-1)
            self.base[commit.hash] = base
            moved.append((commit.hash, [self._moved(file, base, beside) for file in commit.files]))
        for hash_, files in moved:
            self.base[hash_] = at
            self._append(at, hash_, files)

    def _append(self, at: int, hash_: str, files: Sequence[FileChange]) -> None:
        number = len(self.line)
        self.line.append((hash_, files))
        for file in files:
            for path in {file.path, file.previous or file.path}:
                self._changes.setdefault(path, []).append(_Beside(number, at, file.path, file.hunks))
                self._numbers.setdefault(path, []).append(number)

    def _moved(self, file: FileChange, base: int, beside: dict[str, tuple[str, list[_Beside]]]) -> FileChange:
        """Return a change of a branch that knows the mainline up to `base`, as it is on top of the line."""
        before = file.previous or file.path
        path, changes = beside.pop(before) if before in beside else self._since(before, base)
        changes = [change for change in changes if change.at > base]
        hunks, passed = file.hunks, list[_Beside]()
        if len(changes) <= _MOST_BESIDE and file.kind not in "AD":
            for change in changes:
                beneath = _moved_by(hunks, change.hunks, is_first=True)
                hunks = _moved_by(change.hunks, hunks, is_first=False)
                passed.append(change._replace(hunks=beneath))
        is_renamed = file.path != before
        beside[file.path] = (file.path if is_renamed else path, passed)
        return FileChange(beside[file.path][0], file.kind, path if is_renamed else file.previous, hunks, file)

    def _since(self, path: str, base: int) -> tuple[str, list[_Beside]]:
        """Return the path that a file has at the end of the line, and its changes since the mainline commit `base`."""
        found, after = list[_Beside](), -1
        while True:
            changes = self._changes.get(path, [])
            for change in changes[bisect_right(self._numbers.get(path, []), after) :]:
                if change.at > base:
                    found.append(change)
                    if change.path != path:  # renamed: it goes on there
                        path, after = change.path, change.number
                        break
            else:
                return path, found


def _moved_by(others: Hunks, hunks: Hunks, *, is_first: bool) -> Hunks:
    """Return hunks as they are where `others`, which are of the same lines, were applied before; without those that both have: a
    commit that was picked from the other side is there once. Of two insertions at one place, these come first or not."""
    if not others or not hunks:
        return hunks
    ends = [start + max(count, 1) - 1 for start, count, _, _ in others]
    shifts = [0, *accumulate(new - old for _, old, _, new in others)]
    same = {(start, old, new) for start, old, _, new in others}
    found, twice = [], 0
    for start, old, new_start, new in hunks:
        if (start, old, new) in same:
            twice += new - old
            continue
        # An insertion is after its line: what replaces that line is above it.
        above = bisect_right(ends, start - 1) if old else (bisect_left if is_first else bisect_right)(ends, start)
        found.append((start + shifts[above], old, new_start + shifts[above] - twice, new))
    return found
