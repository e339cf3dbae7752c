"""Gotchas that concern what an agent is about to do: the very command that failed before, or files whose trouble is still
open. Found by their words alone, since a hook has no time for more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from graphmem import gitprocess
from graphmem.cognify.gotchas import NOT_FOUND
from graphmem.errors import SourceError
from graphmem.hooks.context import HookContext
from graphmem.model.changes import Item
from graphmem.ports.text import ItemFilter, Stored
from graphmem.text.toolcalls import relative_path

_SEEN = 60  # gotchas that are looked at
_FILES = 40  # files at hand that are looked up
_COMMITS = 3  # commits back, where nothing is changed right now
_PATIENCE = 1.0  # seconds for git
_PRINTED, _LINES = 8_000, 4  # characters at the end of an output, and telling lines in it, that are looked at
_FAILS = re.compile(
    r"error|exception|fail|fatal|cannot|can't|not found|no such|denied|refused|undefined|unable|오류|실패", re.I
)
_VARIES = re.compile(r"0x[0-9a-f]+|\d+")
_TRIGGER = re.compile(r"`([^`]+)` failed")
_AFTERWARDS = re.compile(r"Resolution: `([^`]+)` succeeded(?! instead)")
_PLACE = re.compile(r"^\s*cd\s+\S+\s*(?:&&|;)\s*")


def for_command(host: HookContext, command: str) -> list[Stored]:
    """Gotchas of this very command that running it again would repeat: those without a fix, or whose fix is another
    command. Where a change made the same command pass, it may be run."""
    wanted = _plain(command)
    found = []
    for stored in _gotchas(host, command):
        trigger = _TRIGGER.match(stored.item.text)
        passed = _AFTERWARDS.search(stored.item.text)
        if trigger and _same(wanted, trigger[1]) and not (passed and _same(wanted, passed[1])):
            found.append(stored)
    return found


def for_files(host: HookContext, paths: Iterable[str]) -> list[Stored]:
    """Open gotchas that name one of these files, newest first."""
    return _of_files(host, paths, fixed=False)


def fixed_for_files(host: HookContext, paths: Iterable[str]) -> list[Stored]:
    """Gotchas with a fix that name one of these files, newest first."""
    return _of_files(host, paths, fixed=True)


def _of_files(host: HookContext, paths: Iterable[str], *, fixed: bool) -> list[Stored]:
    found: dict[int, Stored] = {}
    for path in list(paths)[:_FILES]:
        for stored in _gotchas(host, path):
            if (NOT_FOUND not in stored.item.text) == fixed and _names(stored.item, path):
                found[stored.row] = stored
    return sorted(found.values(), key=lambda stored: (-stored.item.at, stored.row))


def for_output(host: HookContext, output: str) -> list[Stored]:
    """Gotchas with a fix whose error is in what a command printed, but for numbers."""
    lines = [line for line in output[-_PRINTED:].splitlines() if len(line.split()) > 1]
    printed = [_error(line) for line in lines]
    found: dict[int, Stored] = {}
    for line in [line for line in lines if _FAILS.search(line)][-_LINES:]:
        for stored in _gotchas(host, line):
            error = _error(stored.item.title)
            if NOT_FOUND not in stored.item.text and error and any(error in one for one in printed):
                found.setdefault(stored.row, stored)
    return sorted(found.values(), key=lambda stored: (-stored.item.at, stored.row))


def _error(line: str) -> str:
    """What of an error stays the same when it comes again."""
    return " ".join(_VARIES.sub("#", line.lower()).split())


def at_hand(folder: str) -> list[str]:
    """Paths (relative to the root of the repository) that are changed right now, else those of the latest commits. Nothing
    outside of a repository, or where git takes long."""
    changed = _git(folder, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal")
    paths = [entry[3:] for entry in changed.split("\0") if len(entry) > 3]
    if not paths:
        names = _git(folder, "log", f"-{_COMMITS}", "--format=", "--name-only", "-z")
        paths = [name.strip() for name in names.split("\0") if name.strip()]
    return list(dict.fromkeys(paths))[:_FILES]


def relative_to(path: str, folder: str) -> str:
    """A path as gotchas name it: relative to the root of the repository around `folder`."""
    root = _git(folder, "rev-parse", "--show-toplevel").strip() if folder else ""
    return relative_path(path, [each for each in (root, folder) if each])


def _gotchas(host: HookContext, words: str) -> Sequence[Stored]:
    text = host.retriever.ports.text
    terms = dict.fromkeys(text.terms(words), 1.0)
    if not terms:
        return ()
    matches = text.search(terms, ItemFilter(kinds=("gotcha",), project=host.project), _SEEN)
    return [stored for stored in text.items([match.row for match in matches]) if stored.status != "superseded"]


def _names(item: Item, path: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", item.text) is not None


def _plain(command: str) -> str:
    return " ".join(_PLACE.sub("", command).split())


def _same(command: str, trigger: str) -> bool:
    """Whether a command is the one that a gotcha names, which may be shortened."""
    head, mark, tail = _plain(trigger).partition(" […] ")
    return command.startswith(head) and command.endswith(tail) if mark else command == head


def _git(folder: str, *arguments: str) -> str:
    try:
        return gitprocess.run(Path(folder or "."), *arguments, timeout_s=_PATIENCE).decode("utf-8", "replace")
    except (SourceError, ValueError):  # ValueError: a folder whose name no system can have
        return ""
