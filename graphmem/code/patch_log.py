"""Reads the patches of all commits below a folder. In a partial clone git lacks the content of some files; then everything that
it has is read, and the other commits are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from graphmem.errors import SourceError
from graphmem.gitprocess import run

_FORMAT = "--format=%x00%x01%x00%H%x00%ad%x00%an%x00%s%x00"
_MOST = 300  # commits that are read path by path
_NONE = "0" * 40

Patch = tuple[str, str, str, str, str]  # hash, seconds and zone, author, subject, patch


def read_patches(
    root: Path, options: Sequence[str], wanted: Callable[[str], bool], timeout_s: float
) -> tuple[list[Patch], int]:
    """Return the commits reachable from HEAD that `git log -p` lists with these options, newest first, and the number of
    those that could not be read wholly, because git lacks objects of `wanted` paths. Raises SourceError."""
    command = ("log", "-p", "-U0", *options, "--date=raw", _FORMAT)
    try:
        return _patches(run(root, *command, "--", ".", timeout_s=timeout_s)), 0
    except SourceError:
        lacking = _missing_objects(root, timeout_s)
        if not lacking:
            raise
    whole, parts = list[str](), dict[str, list[str]]()
    order, unread = list[str](), 0
    for commit, paths in _changed_paths(root, timeout_s):
        order.append(commit)
        readable = [path for path, blobs in paths if lacking.isdisjoint(blobs)]
        if len(readable) == len(paths):
            whole.append(commit)
            continue
        unread += any(wanted(path) and not lacking.isdisjoint(blobs) for path, blobs in paths)
        if (some := [path for path in readable if wanted(path)]) and len(parts) < _MOST:
            parts[commit] = some
    alone = ("--no-walk=unsorted", "--no-renames")
    given = "".join(f"{commit}\n" for commit in whole).encode()
    found = _patches(run(root, *command, *alone, "--stdin", stdin=given, timeout_s=timeout_s)) if whole else []
    for commit, some in parts.items():
        found += _patches(run(root, *command, *alone, commit, "--", *some, timeout_s=timeout_s))
    rank = {commit: place for place, commit in enumerate(order)}
    return sorted(found, key=lambda each: rank.get(each[0], len(rank))), unread


def _patches(answer: bytes) -> list[Patch]:
    """Return the commits of a log in our format."""
    found = list[Patch]()
    for one in answer.decode("utf-8", "replace").split("\0\1\0")[1:]:
        hash_, at, author, subject, patch = one.split("\0", 4)
        found.append((hash_, at, author, subject, patch))
    return found


def _missing_objects(root: Path, timeout_s: float) -> set[str]:
    """Return the objects of the history of HEAD that git lacks."""
    answer = run(root, "rev-list", "--objects", "--missing=print", "HEAD", timeout_s=timeout_s)
    return {line[1:].decode() for line in answer.split(b"\n") if line.startswith(b"?")}


def _changed_paths(root: Path, timeout_s: float) -> Iterator[tuple[str, list[tuple[str, set[str]]]]]:
    """Yield each commit below the folder, newest first, with its changed paths and their objects before and after; no content
    is read for this."""
    answer = run(
        root, "log", "--raw", "--no-renames", "--no-abbrev", "--relative", "-z", "--format=%x00%x01%H", "--", ".",
        timeout_s=timeout_s,
    )  # fmt: skip
    for one in answer.decode("utf-8", "surrogateescape").split("\1")[1:]:
        commit, *fields = one.replace("\n", "").strip("\0").split("\0")
        paths, at = list[tuple[str, set[str]]](), 0
        while at + 1 < len(fields):
            if not fields[at].startswith(":"):
                at += 1
                continue
            _, _, before, after, _ = fields[at].split(" ")
            paths.append((fields[at + 1], {before, after} - {_NONE}))
            at += 2
        yield commit, paths
