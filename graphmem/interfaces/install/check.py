"""Tests an installation: starts the hook and the MCP server as the agent would, and checks their answers."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from graphmem.interfaces.install.installer import command, installed
from graphmem.interfaces.install.targets import TARGETS, Machine

_PATIENCE = 30  # seconds


@dataclass(frozen=True, slots=True)
class Health:
    """One line of `status`: what was checked, whether it works, and the finding."""

    what: str
    well: bool
    found: str


def status(machine: Machine, project: Path | None = None, start: list[str] | None = None) -> list[Health]:
    """Check every connected program of the user (or only the project in this folder, with `project`), and test hook
    and server with a real round trip."""
    lines = []
    for name, chosen in TARGETS.items():
        for folder in (project,) if project else (None, Path.cwd()):
            if folder is None or chosen.project is not None:
                found = installed(name, machine, folder)
                lines += [Health(chosen.title, True, path) for path, there in found.items() if there]
    start = start or command()
    return [*dict.fromkeys(lines), _hook(start), _server(start)]


def _hook(start: list[str]) -> Health:
    try:
        done = subprocess.run(
            [*start, "hook", "Status"], input=b"{}", capture_output=True, timeout=_PATIENCE, check=False
        )
        well = done.returncode == 0 and json.loads(done.stdout) == {}
        return Health("hook", well, "answers" if well else done.stderr.decode("utf-8", "replace").strip()[-200:])
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return Health("hook", False, str(error))


def _server(start: list[str]) -> Health:
    import anyio
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def ask() -> int:
        with anyio.fail_after(_PATIENCE):
            async with Client(
                stdio_client(StdioServerParameters(command=start[0], args=[*start[1:], "mcp"]))
            ) as client:
                return len((await client.list_tools()).tools)

    try:
        return Health("server", True, f"offers {anyio.run(ask)} tools")
    except Exception as error:  # noqa: BLE001 - whatever it is, the server does not answer
        return Health("server", False, str(error) or type(error).__name__)
