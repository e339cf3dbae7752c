"""Finds gotchas that concern what an agent is about to do: the same command that failed before, or files with open
failures. Uses full-text lookups only, because hooks must be fast."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphmem import gitprocess
from graphmem.cognify.episodes import command_keys
from graphmem.cognify.gotchas import NOT_FOUND, RETURNED, has_fix
from graphmem.cognify.misnamed import without_starters
from graphmem.errors import SourceError
from graphmem.extract.terminal import join_dots
from graphmem.model.changes import Item
from graphmem.ports.text import ItemFilter, Stored
from graphmem.text.toolcalls import relative_path, tests_run_by

if TYPE_CHECKING:
    from graphmem.context import HookContext

_SEEN = 60  # gotchas that are checked
_RAN = 300  # latest tool calls in which the same command is looked for
_FILES = 40  # files at hand that are looked up
_COMMITS = 3  # latest commits, if there are no uncommitted changes
_PATIENCE = 1.0  # seconds for git
_PRINTED, _LINES = 8_000, 4  # characters at the end of an output, and informative lines in it, that are checked
_FAILS = re.compile(
    r"error|exception|fail|fatal|cannot|can't|not found|no such|denied|refused|undefined|unable|오류|실패", re.I
)
_VARIES = re.compile(r"0x[0-9a-f]+|\d+")
_LOCATION = re.compile(  # of a compiler, with numbers replaced: `src/a.ts:#:#`, `src/a.ts(#,#):`
    r"(?:^|(?<=\s))[\w./\\@-]+\.\w+(?::#(?::#)?|\(#(?:,\s?#)?\))(?::|\s+-)?(?=\s|$)"
)
_TRIGGER = re.compile(r"`([^`]+)` failed")
_AFTERWARDS = re.compile(r"Resolution: `([^`]+)` succeeded(?! instead)")
_INSTEAD = re.compile(r"Resolution: `([^`]+)` succeeded instead")
_PLACE = re.compile(r"^\s*cd\s+\S+\s*(?:&&|;)\s*")
_SHOWN = re.compile(  # how much of the output is shown, and where it goes
    r"(?:\s*(?:\d?>&\d|(?:\d|&)?>>?\s*[^\s|;&]+|\|&?\s*(?:tail|head|less|more|cat|tee|grep|rg|wc|sort)\b[^|;&]*))+$"
)


def gotchas_for_command(host: HookContext, command: str) -> list[Stored]:
    """Return gotchas of this command that would recur: those without a fix, fixed by another command, or returned. If a change
    made the same command succeed, it may be run."""
    wanted = _plain(command)
    found = []
    for stored in _gotchas(host, command):
        trigger = _TRIGGER.match(stored.item.text)
        passed = None if RETURNED in stored.item.text else _AFTERWARDS.search(stored.item.text)
        if trigger and _same(wanted, trigger[1]) and not (passed and _same(wanted, passed[1])):
            found.append(stored)
    return [stored for stored in found if has_fix(stored.item.text) or not _has_passed(host, wanted)]


def _has_passed(host: HookContext, command: str) -> bool:
    """Return whether a command succeeded when it ran last, in whichever session."""
    calls = host.log.pages.newest(_RAN, types=("tool_observation",))
    own = (call.payload for call in calls if call.project == host.project)
    latest = next((ran for ran in own if _plain(str(ran.get("command") or "")) == command), None)
    return latest is not None and not latest.get("failed")


def is_resolution(gotcha: str, command: str) -> bool:
    """Return whether a command is the one that succeeded instead of the failed one, by the text of a gotcha."""
    instead = _INSTEAD.search(gotcha)
    mended = [without_starters(key) for key in command_keys(instead[1])] if instead else []
    return bool(mended) and mended == [without_starters(key) for key in command_keys(command)]


def open_gotchas_for_files(host: HookContext, paths: Iterable[str]) -> list[Stored]:
    """Return open gotchas that name one of these files, newest first."""
    return _of_files(host, paths, fixed=False)


def fixed_gotchas_for_files(host: HookContext, paths: Iterable[str]) -> list[Stored]:
    """Return gotchas with a fix that name one of these files, newest first. A test that failed until the files were changed is
    finished work."""
    return [stored for stored in _of_files(host, paths, fixed=True) if not _is_test_passed_by_change(stored.item.text)]


def _is_test_passed_by_change(gotcha: str) -> bool:
    trigger, passed = _TRIGGER.match(gotcha), _AFTERWARDS.search(gotcha)
    return bool(
        trigger
        and passed
        and RETURNED not in gotcha
        and tests_run_by(trigger[1])
        and _same(_plain(trigger[1]), passed[1])
    )


def _of_files(host: HookContext, paths: Iterable[str], *, fixed: bool) -> list[Stored]:
    found: dict[int, Stored] = {}
    for path in list(paths)[:_FILES]:
        for stored in _gotchas(host, path):
            wanted = has_fix(stored.item.text) if fixed else NOT_FOUND in stored.item.text
            if wanted and _names(stored.item, path):
                found[stored.row] = stored
    return sorted(found.values(), key=lambda stored: (-stored.item.at, stored.row))


def gotchas_for_output(host: HookContext, output: str) -> list[Stored]:
    """Return gotchas with a fix whose error occurs in command output, ignoring numbers."""
    lines = [line for line in output[-_PRINTED:].splitlines() if len(line.split()) > 1]
    printed = [_error(line) for line in lines]
    found: dict[int, Stored] = {}
    for line in [line for line in lines if _FAILS.search(line)][-_LINES:]:
        for stored in _gotchas(host, line):
            error = _error(stored.item.title)
            if has_fix(stored.item.text) and error and any(error in one for one in printed):
                found.setdefault(stored.row, stored)
    return sorted(found.values(), key=lambda stored: (-stored.item.at, stored.row))


def _error(line: str) -> str:
    """Return the part of an error that stays the same when it recurs, also in another file."""
    return " ".join(_LOCATION.sub(" ", _VARIES.sub("#", join_dots(line).lower())).split())


def changed_paths(folder: str) -> list[str]:
    """Return paths (relative to the repository root) with uncommitted changes, otherwise those of the latest commits.
    Empty outside of a repository, or if git is slow."""
    changed = _git(folder, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal")
    paths = [entry[3:] for entry in changed.split("\0") if len(entry) > 3]
    if not paths:
        names = _git(folder, "log", f"-{_COMMITS}", "--format=", "--name-only", "-z")
        paths = [name.strip() for name in names.split("\0") if name.strip()]
    return list(dict.fromkeys(paths))[:_FILES]


def relative_to(path: str, folder: str) -> str:
    """Return a path as gotchas name it: relative to the root of the repository that contains `folder`."""
    root = _git(folder, "rev-parse", "--show-toplevel").strip() if folder else ""
    return relative_path(path, [each for each in (root, folder) if each])


def current_branch(folder: str) -> str:
    """Return the branch of the repository that contains a folder; "" outside of one."""
    return _git(folder, "rev-parse", "--abbrev-ref", "HEAD").strip() if folder else ""


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
    return " ".join(_SHOWN.sub("", _PLACE.sub("", command).strip()).split())


def _same(command: str, trigger: str) -> bool:
    """Return whether a command is the one that a gotcha names, which may be shortened."""
    head, mark, tail = _plain(trigger).partition(" […] ")
    return command.startswith(head) and command.endswith(tail) if mark else command == head


def _git(folder: str, *arguments: str) -> str:
    try:
        return gitprocess.run(Path(folder or "."), *arguments, timeout_s=_PATIENCE).decode("utf-8", "replace")
    except (SourceError, ValueError):  # ValueError: an invalid folder name
        return ""
