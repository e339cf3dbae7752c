"""Installs the Claude Code plugin that is included in the package (manifest, hooks, commands, server) and registers
it in the user's settings."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from graphmem.errors import UsageError
from graphmem.interfaces.install import files, jsonc
from graphmem.interfaces.install.installer import (
    HOOKS,
    NAME,
    Change,
    find_program,
    hook_entry,
    installed_command,
    server_entry,
)
from graphmem.interfaces.install.targets import Machine

SOURCE = Path(__file__).parent / "plugin"
_KEY = f"{NAME}@{NAME}"


def install_bundle(machine: Machine, home: Path, start: list[str] | None = None) -> list[Change]:
    """Write the plugin to `home` with the paths of this installation, and enable it for the user."""
    start = start or installed_command()
    folder = home / "plugins" / NAME
    try:
        shutil.copytree(SOURCE, folder, dirs_exist_ok=True)
    except OSError as error:
        raise UsageError(f"the plugin cannot be written to {folder}: {error}", path=str(folder)) from error
    hooks = {event: [hook_entry(start, event, matcher, seconds)] for event, matcher, seconds in HOOKS}
    _write(
        folder / "hooks" / "hooks.json",
        {"description": "Records sessions and recalls relevant memories.", "hooks": hooks},
    )
    _write(folder / ".mcp.json", {"mcpServers": {NAME: server_entry(find_program("cursor"), start)}})
    settings = _settings(machine)
    before = files.read(settings)
    text = before if before and before.strip() else "{}\n"
    text = jsonc.put(text, ("extraKnownMarketplaces", NAME), {"source": {"source": "directory", "path": str(folder)}})
    text = jsonc.put(text, ("enabledPlugins", _KEY), True)
    if text == before:
        return [Change(str(folder), "unchanged"), Change(str(settings), "unchanged")]
    files.write(settings, text)
    return [Change(str(folder), "added"), Change(str(settings), "added")]


def uninstall_bundle(machine: Machine, home: Path) -> list[Change]:
    """Disable the plugin and delete its folder."""
    folder, settings = home / "plugins" / NAME, _settings(machine)
    shutil.rmtree(folder, ignore_errors=True)
    text = files.read(settings)
    if not text or not text.strip():
        return []
    bare = jsonc.remove(text, ("extraKnownMarketplaces", NAME))
    bare = jsonc.remove(bare, ("enabledPlugins", _KEY))
    if bare == text:
        return []
    for key in ("extraKnownMarketplaces", "enabledPlugins"):
        node = jsonc.parse(bare).child(key)
        if node is not None and node.value == {}:
            bare = jsonc.remove(bare, (key,))
    files.write(settings, bare)
    return [Change(str(settings), "removed")]


def _settings(machine: Machine) -> Path:
    hooks = find_program("claude-code").hooks
    assert hooks is not None
    return hooks(machine)


def _write(path: Path, value: object) -> None:
    files.write(path, json.dumps(value, indent=2) + "\n")
