"""Checks what a memory cites against the code as it is now: files, lines, symbols and commands that are gone, and files that
changed since. Uses only index and file system lookups, because hooks must be fast."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import NamedTuple

from graphmem.foreignfiles import is_inside, read_file
from graphmem.model.changes import Item
from graphmem.plurals import counted
from graphmem.ports.places import Places
from graphmem.text.placenames import file_keys, named_files, named_symbols

_MAX_CITED = 6  # files of a memory that are checked, and symbols
_MAX_COMMITS = 8  # newest items about a file that are searched for commits
_MAX_FILE_BYTES = 400_000  # bytes of a file that is read
_FILE_LINE = re.compile(r"(?<![\w/])((?:[\w.@-]+/)*[\w.@-]+\.\w{1,5}):(\d{1,6})\b")
_PACKAGE_SCRIPT = re.compile(r"`(?:npm|pnpm|yarn|bun) run ([\w:.-]+)[^`]*`")
_MAKE_TARGET = re.compile(r"`make ([\w.-]+)[^`=]*`")


class Check(NamedTuple):
    """What is no longer as a memory says, "" if nothing; and whether all files that it cites are gone."""

    note: str = ""
    is_gone: bool = False


class CitationChecker:
    """Checks memories against the files under `root`. Without a root nothing is checked."""

    def __init__(self, root: str, places: Places | None) -> None:
        self._root = os.path.realpath(root) if root else ""
        self._places = places
        self._known: dict[str, list[int]] = {}
        self._texts: dict[str, str | None] = {}

    def check(self, text: str, at: int) -> Check:
        """Check a memory recorded at `at` (microseconds)."""
        if not self._root or self._places is None:
            return Check()
        cited = [name for name in named_files(text)[:_MAX_CITED] if "/" in name and not os.path.isabs(name)]  # noqa: PTH117
        changed = {name: self._commits(name) for name in cited}
        gone = [name for name in cited if changed[name] and not self._exists(name)]
        if cited and len(gone) == len(cited):
            return Check(f"{', '.join(gone)}: no longer exists", is_gone=True)
        notes = [f"{', '.join(gone)}: no longer exists"] if gone else []
        for name in cited:
            if name not in gone and (later := sum(commit > at for commit in changed[name])):
                notes.append(
                    f"{name}: changed since, {later}{'+' if later == _MAX_COMMITS else ''} commit{'s' * (later > 1)}"
                )
                notes += self._symbols_gone(text, name) if len(cited) == 1 else []
        return Check("; ".join([*notes, *self._lines_gone(text), *self._commands_gone(text)]))

    def _symbols_gone(self, text: str, path: str) -> list[str]:
        """Return notes about symbols that neither the cited file nor the index of the code has any more."""
        here = self._text(path)
        if not here or self._places is None:
            return []
        marked = [name for name in named_symbols(text)[:_MAX_CITED] if f"`{name}" in text]
        missing = [name for name in marked if re.split(r"\.|::|#", name)[-1] not in here]
        known = self._places.symbols([name.lower() for name in missing]) if missing else {}
        return [f"`{name}`: no longer in {path}" for name in missing if name.lower() not in known]

    def _lines_gone(self, text: str) -> list[str]:
        notes = []
        for path, line in dict.fromkeys(_FILE_LINE.findall(text)):
            here = self._text(path)
            if here is not None and here.count("\n") + 1 < int(line):
                notes.append(f"{path}:{line}: the file has only {counted(here.count(chr(10)) + 1, 'line')} now")
        return notes[:_MAX_CITED]

    def _commands_gone(self, text: str) -> list[str]:
        """Return notes about package scripts and make targets that their file no longer defines."""
        notes = []
        for name in _PACKAGE_SCRIPT.findall(text):
            package = self._text("package.json")
            if package and name not in _scripts(package):
                notes.append(f"`{name}`: no such script in package.json")
        for name in _MAKE_TARGET.findall(text):
            makefile = self._text("Makefile")
            if makefile and name not in _targets(makefile):
                notes.append(f"`make {name}`: no such target in Makefile")
        return notes

    def _commits(self, name: str) -> list[int]:
        """Return the times of the newest commits to a file, in microseconds; none if it is unknown."""
        if name not in self._known and self._places is not None:
            self._known[name] = commit_times(self._places, name)
        return self._known[name]

    def _exists(self, name: str) -> bool:
        """Return whether a path of the repository exists. One that leads out of it counts as existing: nothing is said."""
        path = os.path.join(self._root, name)  # noqa: PTH118
        return not is_inside(self._root, path) or os.path.exists(path)  # noqa: PTH110

    def _text(self, name: str) -> str | None:
        """Return the content of a file, None if there is none, it is too large, or no regular file of the repository."""
        if name not in self._texts:
            path = os.path.join(self._root, name)  # noqa: PTH118
            self._texts[name] = None
            with suppress(OSError, ValueError):
                if is_inside(self._root, path):
                    self._texts[name] = read_file(os.path.realpath(path), _MAX_FILE_BYTES).decode("utf-8", "replace")
        return self._texts[name]


def commit_times(places: Places, file: str) -> list[int]:
    """Return the times of the newest commits to a file, newest first, in microseconds; none if no commit is known, or where
    much else was said of it since."""
    return [one.at for one in places.naming([file_keys(file)[0]], _MAX_COMMITS) if one.kind == "commit"]


def last_change(places: Places | None, item: Item) -> int:
    """Return the time of an item; of a symbol, whose own is that of the first indexing, the time of the last commit to its file."""
    if item.kind != "symbol" or places is None:
        return item.at
    return next(iter(commit_times(places, item.ref.rpartition(":")[0])), item.at)


def _targets(makefile: str) -> set[str]:
    """Return the words in front of the first colon of each rule, which are its targets."""
    targets: set[str] = set()
    for line in makefile.splitlines():
        head, colon, _ = line.partition(":")
        if colon and not line.startswith(("\t", "#")) and "=" not in head:
            targets.update(re.split(r"[^\w.-]+", head))
    return targets


def _scripts(package: str) -> dict[str, object]:
    try:
        found = json.loads(package)
    except ValueError:
        return {}
    scripts = found.get("scripts") if isinstance(found, dict) else None
    return scripts if isinstance(scripts, dict) else {}
