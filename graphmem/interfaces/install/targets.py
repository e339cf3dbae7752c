"""The table of supported programs and the location of their configuration files on each platform."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Form = Literal["json", "toml"]


@dataclass(frozen=True, slots=True)
class Machine:
    """The platform (as `sys.platform`), home directory and environment to configure."""

    home: Path = field(default_factory=Path.home)
    platform: str = sys.platform
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def applications(self) -> Path:
        """Return the folder where desktop programs keep their settings."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environment.get("APPDATA") or self.home / "AppData" / "Roaming")
        return Path(self.environment.get("XDG_CONFIG_HOME") or self.home / ".config")

    def named(self, variable: str, usual: str) -> Path:
        """Return a directory that an environment variable may override."""
        return Path(self.environment.get(variable) or self.home / usual)


@dataclass(frozen=True, slots=True)
class Target:
    """A program: its user file, its project file if any, the key of the servers, and whether an entry names its
    transport. `hooks` is the file with hooks, for programs whose hooks graphmem supports."""

    name: str
    title: str
    user: Callable[[Machine], Path]
    project: str | None
    servers: str = "mcpServers"
    form: Form = "json"
    typed: bool = False
    hooks: Callable[[Machine], Path] | None = None
    project_hooks: str | None = None


def _claude(machine: Machine) -> Path:
    """Return the path of `.claude.json`: in `CLAUDE_CONFIG_DIR` if set, otherwise in the home directory."""
    moved = machine.environment.get("CLAUDE_CONFIG_DIR")
    return Path(moved) / ".claude.json" if moved else machine.home / ".claude.json"


TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target(
            "claude-code", "Claude Code", _claude, ".mcp.json", typed=True,
            hooks=lambda m: m.named("CLAUDE_CONFIG_DIR", ".claude") / "settings.json",
            project_hooks=".claude/settings.json",
        ),
        Target(
            "claude-desktop", "Claude Desktop",
            lambda m: m.applications() / "Claude" / "claude_desktop_config.json", None,
        ),
        Target("cursor", "Cursor", lambda m: m.home / ".cursor" / "mcp.json", ".cursor/mcp.json"),
        Target(
            "codex", "Codex CLI", lambda m: m.named("CODEX_HOME", ".codex") / "config.toml", ".codex/config.toml",
            servers="mcp_servers", form="toml",
        ),
        Target("gemini", "Gemini CLI", lambda m: m.home / ".gemini" / "settings.json", ".gemini/settings.json"),
        Target(
            "vscode", "VS Code", lambda m: m.applications() / "Code" / "User" / "mcp.json", ".vscode/mcp.json",
            servers="servers", typed=True,
        ),
    )
}  # fmt: skip
