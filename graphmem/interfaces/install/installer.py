"""Connects programs to graphmem and disconnects them. Entries are merged into the configuration files; installing
twice changes nothing, and removal restores every other character."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.install import files, jsonc, toml
from graphmem.interfaces.install.targets import TARGETS, Machine, Target

NAME = "graphmem"
# Event, the tools it applies to, and the timeout in seconds after which the agent continues without the hook.
HOOKS: tuple[tuple[str, str | None, int], ...] = (
    ("SessionStart", None, 5),
    ("UserPromptSubmit", None, 5),
    ("PreToolUse", "Agent|Bash|Edit|MultiEdit|NotebookEdit|Task|Write", 5),
    ("PostToolUse", "*", 5),
    ("PostToolUseFailure", "*", 5),
    ("Stop", None, 10),
    ("PreCompact", None, 10),
    ("SessionEnd", None, 10),
)
_OURS = re.compile(r"graphmem(\.interfaces\.entry|\.exe|\.cmd)?['\"]?\s+hook\s")


@dataclass(frozen=True, slots=True)
class Change:
    """The outcome for one file: "added", "unchanged", "removed" or "absent"."""

    path: str
    outcome: str


def installed_command() -> list[str]:
    """Return the command of this installation with absolute paths, because programs start servers with a different
    PATH."""
    script = Path(sys.executable).with_name("graphmem.exe" if sys.platform == "win32" else "graphmem")
    found = str(script) if script.exists() else shutil.which("graphmem")
    return [found] if found else [sys.executable, "-P", "-m", "graphmem.interfaces.entry"]


def find_program(name: str) -> Target:
    """Return a program by name. Raises NotFound."""
    if name not in TARGETS:
        raise NotFound(f"unknown program `{name}`: choose one of {', '.join(TARGETS)}", name=name)
    return TARGETS[name]


def install(name: str, machine: Machine, project: Path | None = None, start: list[str] | None = None) -> list[Change]:
    """Add the server (and hooks, if supported) for the user or a project. Raises UsageError if a file is malformed;
    then nothing is changed."""
    chosen, start = find_program(name), start or installed_command()
    plans = []
    for path, text, edit, undo in _files(chosen, machine, project):
        with _naming(path):
            plans.append((path, edit(text, chosen, start), undo(text, chosen) == text))
    return [_apply(*plan) for plan in plans]


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file in the error of its content."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}", path=str(path)) from error


def uninstall(name: str, machine: Machine, project: Path | None = None) -> list[Change]:
    """Remove what `install` added."""
    chosen = find_program(name)
    changes = []
    for path, text, _, undo in _files(chosen, machine, project):
        if files.read(path) is None:
            changes.append(Change(str(path), "absent"))
            continue
        with _naming(path):
            bare = undo(text, chosen)
        if bare == text:
            changes.append(Change(str(path), "unchanged"))
            continue
        _restore(path, bare, _pruned(bare, chosen))
        changes.append(Change(str(path), "removed"))
    return changes


def configuration_state(name: str, machine: Machine, project: Path | None = None) -> dict[str, bool]:
    """Return each configuration file of a program, and whether it contains our entries."""
    chosen, found = find_program(name), dict[str, bool]()
    for path, text, _, undo in _files(chosen, machine, project):
        with _naming(path):
            found[str(path)] = undo(text, chosen) != text
    return found


Edit = Callable[[str, Target, list[str]], str]
Undo = Callable[[str, Target], str]


def _files(chosen: Target, machine: Machine, project: Path | None) -> list[tuple[Path, str, Edit, Undo]]:
    """Return (path, text, add, remove) for each file of a program; `add` and `remove` are functions."""
    if project is not None and chosen.project is None:
        raise UsageError(f"{chosen.title} has no project configuration: install it for the user (omit --folder)")
    servers = project / str(chosen.project) if project else chosen.user(machine)
    found: list[tuple[Path, Edit, Undo]] = [(servers, _add_server, _remove_server)]
    if chosen.hooks is not None:
        hooks = project / str(chosen.project_hooks) if project else chosen.hooks(machine)
        found.append((hooks, _add_hooks, _remove_hooks))
    return [(path, files.read(path) or "", add, undo) for path, add, undo in found]


def _apply(path: Path, text: str, first: bool) -> Change:
    """Write the text; keep a backup from before the first installation."""
    before = files.read(path)
    if before == text:
        return Change(str(path), "unchanged")
    if before is not None and first:
        files.save_backup(path, before)
    files.write(path, text)
    return Change(str(path), "added")


def _restore(path: Path, bare: str, pruned: str) -> None:
    """Restore the text without our entries, or the backup if it matches. A file that we created is deleted."""
    backup = files.backup_of(path)
    kept = files.read(backup)
    text = kept if kept is not None and kept.strip() in (bare.strip(), pruned.strip()) else pruned
    if kept is None and text.strip() in ("", "{}"):
        path.unlink()
    else:
        files.write(path, text)
    backup.unlink(missing_ok=True)


# -- servers


def server_entry(chosen: Target, start: list[str]) -> dict[str, Any]:
    """Return the configuration entry of the server."""
    kind = {"type": "stdio"} if chosen.typed else {}
    return kind | {"command": start[0], "args": [*start[1:], "mcp"]}


def _add_server(text: str, chosen: Target, start: list[str]) -> str:
    if chosen.form == "toml":
        return toml.put(text, chosen.servers, NAME, server_entry(chosen, start))
    return jsonc.put(_json(text), (chosen.servers, NAME), server_entry(chosen, start))


def _remove_server(text: str, chosen: Target) -> str:
    if chosen.form == "toml":
        return toml.remove(text, chosen.servers, NAME)
    return jsonc.remove(text, (chosen.servers, NAME)) if text.strip() else text


def _json(text: str) -> str:
    return text if text.strip() else "{}\n"


# -- hooks


def hook_entry(start: list[str], event: str, matcher: str | None, seconds: int) -> dict[str, Any]:
    """Return the configuration entry of one hook."""
    quoted = subprocess.list2cmdline(start) if sys.platform == "win32" else shlex.join(start)
    run = {"type": "command", "command": f"{quoted} hook {event}", "timeout": seconds}
    return ({"matcher": matcher} if matcher else {}) | {"hooks": [run]}


def _add_hooks(text: str, chosen: Target, start: list[str]) -> str:
    text = _json(text)
    wanted = {event: hook_entry(start, event, matcher, seconds) for event, matcher, seconds in HOOKS}
    there = jsonc.parse(text).value
    hooks = there.get("hooks", {}) if isinstance(there, dict) else {}
    if isinstance(hooks, dict) and all(item in (hooks.get(event) or ()) for event, item in wanted.items()):
        return text
    text = _remove_hooks(text, chosen)  # entries of an older installation
    for event, item in wanted.items():
        text = jsonc.append(text, ("hooks", event), item)
    return text


def _remove_hooks(text: str, chosen: Target) -> str:
    if not text.strip():
        return text
    hooks = jsonc.parse(text).child("hooks")
    for event in [child.key for child in hooks.children] if hooks else ():
        path = ("hooks", event)
        text = jsonc.remove(text, path, lambda group: _all_ours(group.value))
        text = _remove_inner(text, path)
    return text


def _remove_inner(text: str, path: tuple[str, str]) -> str:
    """Remove our hooks from a group that also has hooks of others."""
    for group in jsonc.parse_at(text, path).children:
        inner = group.child("hooks")
        for one in inner.children if inner else ():
            if _is_ours(one.value):
                return _remove_inner(jsonc.remove_child(text, inner, one.at), path) if inner else text
    return text


def _is_ours(hook: Any) -> bool:
    return isinstance(hook, dict) and bool(_OURS.search(str(hook.get("command", ""))))


def _all_ours(group: Any) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(hooks, list) and bool(hooks) and all(map(_is_ours, hooks))


def _pruned(text: str, chosen: Target) -> str:
    """Remove containers that are empty without our entries."""
    if chosen.form == "toml":
        return text
    for event, _, _ in HOOKS:
        text = _without_empty(text, ("hooks", event))
    for key in ("hooks", chosen.servers):
        text = _without_empty(text, (key,))
    return text


def _without_empty(text: str, path: tuple[str, ...]) -> str:
    node: jsonc.Node | None = jsonc.parse(text)
    for key in path:
        node = node.child(key) if node else None
    return jsonc.remove(text, path) if node is not None and node.value in ({}, []) else text
