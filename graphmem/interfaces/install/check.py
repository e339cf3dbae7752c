"""Tests an installation: starts the hook and the MCP server as the agent would, and checks their answers."""

from __future__ import annotations

import json
import subprocess

from graphmem.interfaces.install.installer import installed_command
from graphmem.interfaces.install.overview import Health
from graphmem.plurals import counted

_PATIENCE = 30  # seconds


def round_trip(start: list[str] | None = None) -> list[Health]:
    """Start hook and server as an agent would, and return whether they answer."""
    start = start or installed_command()
    return [_hook(start), _server(start)]


def _hook(start: list[str]) -> Health:
    try:
        done = subprocess.run(
            [*start, "hook", "Status"], input=b"{}", capture_output=True, timeout=_PATIENCE, check=False
        )
        well = done.returncode == 0 and json.loads(done.stdout) == {}
        said = done.stderr.decode("utf-8", "replace").strip()[-200:]
        return Health("hook", True, "answers") if well else Health("hook", False, said, "FAIL")
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return Health("hook", False, str(error), "FAIL")


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
        return Health("server", True, f"offers {counted(anyio.run(ask), 'tool')}")
    except Exception as error:  # noqa: BLE001 - whatever it is, the server does not answer
        return Health("server", False, str(error) or type(error).__name__, "FAIL")
