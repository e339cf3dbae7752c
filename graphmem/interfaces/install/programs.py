"""Connects an agent program to the memory, disconnects it, and checks which programs are connected."""

from __future__ import annotations

from pathlib import Path

from graphmem import settings
from graphmem.errors import UsageError
from graphmem.interfaces.install import bundle, installer
from graphmem.interfaces.install.check import round_trip
from graphmem.interfaces.install.installer import Change
from graphmem.interfaces.install.overview import Health, connection_overview
from graphmem.interfaces.install.targets import TARGETS, Machine

_BUNDLED = "claude-code"  # the program that takes a plugin


def connect(name: str, project: Path | None, *, plugin: bool) -> list[Change]:
    """Write the server and, where supported, the hooks into the files of a program. Raises UsageError for an unknown
    program, or one without plugins."""
    machine = Machine()
    if not plugin:
        if name == _BUNDLED and not project:
            bundle.uninstall_bundle(machine, settings.stores_home())
        return installer.install(name, machine, project)
    if name != _BUNDLED:
        raise UsageError(f"{name} has no plugins: omit --plugin")
    undone = installer.uninstall(name, machine)  # or every hook would run twice
    return undone + bundle.install_bundle(machine, settings.stores_home())


def disconnect(name: str, project: Path | None) -> list[Change]:
    """Remove what `connect` added. Raises UsageError for an unknown program."""
    machine = Machine()
    changes = installer.uninstall(name, machine, project)
    if name == _BUNDLED and project is None:
        changes += bundle.uninstall_bundle(machine, settings.stores_home())
    return changes


def title_of(name: str) -> str:
    """Return the name of a program as its makers write it."""
    return TARGETS[name].title


def check(project: Path | None, *, tested: bool) -> list[Health]:
    """Return what is connected, not connected and paused; with `tested`, also whether hook and server respond."""
    return [*connection_overview(Machine(), project), *(round_trip() if tested else ())]
