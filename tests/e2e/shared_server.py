"""A running shared server over a folder of its own, for tests: accounts by the commands that administrators use, and clients with
their tokens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
from support import STOP_S, end_owner, wait_until

ENTRY = [sys.executable, "-m", "graphmem.interfaces.entry"]


class SharedServer:
    """The server, its folder, and the token of each account."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.home = folder / "server"
        self.log = folder / "server.log"  # what it prints
        self.tokens: dict[str, str] = {}
        self.port = 0
        (folder / "run").mkdir(mode=0o700, exist_ok=True)
        self.environment = {
            **os.environ,
            "GRAPHMEM_HOME": str(folder / "home"),
            "XDG_RUNTIME_DIR": str(folder / "run"),
            **{f"GRAPHMEM_SERVER__{name.upper()}": value for name, value in settings.items()},
        }

    def run(self, *words: str, status: int = 0) -> str:
        """What a command of graphmem on the host prints."""
        done = subprocess.run(
            [*ENTRY, *words], env=self.environment | {"GRAPHMEM_SHARED": str(self.home)}, text=True, capture_output=True
        )
        assert done.returncode == status, done.stderr
        return (done.stdout if status == 0 else done.stderr).strip()

    def add(self, name: str, *projects: str, right: str = "write") -> None:
        """Create an account with a token."""
        self.tokens[name] = self.run(
            "users", "add", name, "--right", right, *(word for each in projects for word in ("--project", each))
        )

    def start(self) -> None:
        """Run the server and wait until it answers; again on the same port."""
        command = [*ENTRY, "serve", "--shared", str(self.home), "--port", str(self.port)]
        if not self.port:
            command[-1] = "0"
        with self.log.open("w") as log:  # a pipe that nobody reads would stop the server once it is full
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=subprocess.STDOUT)
        wait_until(lambda: "clients" in self.log.read_text() or self.process.poll() is not None)
        found = re.search(r"on (http://127\.0\.0\.1:(\d+))", self.log.read_text())
        assert found, self.log.read_text()
        self.url, self.port = found[1], int(found[2])

    def client(self, name: str, **headers: str) -> httpx.Client:
        """A client with the token of an account."""
        return httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {self.tokens[name]}"} | headers,
            timeout=STOP_S,
            limits=httpx.Limits(
                max_keepalive_connections=0
            ),  # none that the server closes while the next request is sent
        )

    def stop(self) -> None:
        """End the server and the owners of its stores."""
        self.process.terminate()
        self.process.wait(STOP_S)
        self.end_owners()

    def kill(self) -> None:
        """End the server without a chance to say so."""
        self.process.kill()
        self.process.wait(STOP_S)

    def end_owners(self) -> None:
        """End the owners of all its stores."""
        for log in self.home.glob("projects/*/**/log.db"):
            end_owner(log.parent)


def ask_mcp(client: httpx.Client, method: str, path: str = "/mcp", /, **given: Any) -> httpx.Response:
    """The answer to a request over MCP."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    return client.post(path, json=body, headers=headers)


def call_tool(client: httpx.Client, name: str, path: str = "/mcp", /, **given: Any) -> tuple[str, bool]:
    """The text of a tool's answer over MCP, and whether it is an error."""
    answer = ask_mcp(client, "tools/call", path, name=name, arguments=given)
    if answer.status_code != 200:
        return answer.text, True
    result = answer.json().get("result") or {"content": [{"text": answer.text}], "isError": True}
    return result["content"][0]["text"], bool(result.get("isError"))
