"""The programs that can be connected, and where each keeps its configuration on each platform. A table; nothing here reads
or writes."""

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
    """Whose configuration is meant: the platform (as `sys.platform`), the home directory and the environment."""

    home: Path = field(default_factory=Path.home)
    platform: str = sys.platform
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def applications(self) -> Path:
        """Where desktop programs keep their settings."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environment.get("APPDATA") or self.home / "AppData" / "Roaming")
        return Path(self.environment.get("XDG_CONFIG_HOME") or self.home / ".config")

    def named(self, variable: str, usual: str) -> Path:
        """A directory that an environment variable may move."""
        return Path(self.environment.get(variable) or self.home / usual)


@dataclass(frozen=True, slots=True)
class Target:
    """One program: its file for the user and, where it has one, for a project; the key of the servers; whether an entry
    names its transport. `hooks` is the file with hooks, for the one program whose hooks we answer."""

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
    """Beside the home directory's own folder, or inside a folder that was named."""
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
