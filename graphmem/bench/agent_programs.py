"""How `graphmem bench agent-runs` starts an agent and reads what it printed: Claude Code, Codex, or any command that reads a prompt
from standard input and prints an answer.

With graphmem, an agent gets what `graphmem install` gives it, nothing more: the prompt is the same. Both kinds of run leave out the
settings and servers of the user's account, so that nothing else differs."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphmem.errors import NotFound

GRAPHMEM = [sys.executable, "-P", "-m", "graphmem.interfaces.entry"]
CLAUDE, CODEX = "claude-code", "codex"
SERVERS = "GRAPHMEM_BENCH_SERVERS"  # tells a command of your own which file lists its MCP servers
_PROGRAMS = {CLAUDE: "claude", CODEX: "codex"}
_TOOLS = "Bash,Read,Grep,Glob,Edit,Write,mcp__graphmem"
_SHOWN = 300  # characters of a reason


@dataclass(frozen=True, slots=True)
class Said:
    """What a run came to: the agent's last words, tokens read and written, turns, seconds, or why it failed. A figure is None if
    the agent does not report it. `read` counts what came out of a cache, too."""

    text: str = ""
    read: int | None = None
    written: int | None = None
    turns: int | None = None
    seconds: float = 0.0
    model: str = ""
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """An agent: its kind ("" for a command of your own), and the command with its additional arguments."""

    kind: str
    command: tuple[str, ...]

    def version(self) -> str:
        """Return what `--version` says first, or ""."""
        try:
            done = subprocess.run(
                [self.command[0], "--version"], capture_output=True, text=True, timeout=60, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return next(iter(done.stdout.splitlines()), "") if done.returncode == 0 else ""

    def connect(self, folder: Path, *, is_connected: bool, environment: Mapping[str, str]) -> list[str]:
        """Write the configuration of a run to a folder, and return the whole command."""
        (folder / ".claude").mkdir(parents=True, exist_ok=True)
        if is_connected:
            words = [
                "install",
                "--for",
                CLAUDE,
                "--folder",
                str(folder),
            ]  # its file of servers is one that most programs read
            subprocess.run([*GRAPHMEM, *words], capture_output=True, check=True)
        else:
            (folder / ".mcp.json").write_text('{"mcpServers": {}}')
            (folder / ".claude" / "settings.json").write_text("{}")
        first, *more = self.command
        if self.kind == CLAUDE:
            return [first, "-p", "--output-format", "json", "--no-session-persistence", "--setting-sources", "project",
                    "--settings", str(folder / ".claude" / "settings.json"), "--strict-mcp-config",
                    "--mcp-config", str(folder / ".mcp.json"), "--allowedTools", _TOOLS, *more]  # fmt: skip
        if self.kind == CODEX:
            servers = _codex_server(folder, environment) if is_connected else []
            return [first, "exec", "--json", "--ephemeral", "--ignore-user-config", "-s", "workspace-write", *servers,
                    *more, "-"]  # fmt: skip
        return list(self.command)

    def run(self, prompt: str, tree: Path, folder: Path, environment: Mapping[str, str], seconds: float, *,
            is_connected: bool) -> Said:  # fmt: skip
        """Run the agent in a tree. What goes wrong is a result."""
        command = self.connect(folder, is_connected=is_connected, environment=environment)
        started = time.perf_counter()
        try:
            done = subprocess.run(
                command, input=prompt.encode(), cwd=tree, capture_output=True, timeout=seconds, check=False,
                env={**environment, SERVERS: str(folder / ".mcp.json")},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Said(seconds=seconds, failed=f"not finished after {seconds:.0f} s")
        except OSError as error:
            return Said(failed=f"{command[0]}: {error.strerror}")
        took = time.perf_counter() - started
        printed, complaint = (part.decode("utf-8", "replace").strip() for part in (done.stdout, done.stderr))
        said = {CLAUDE: read_claude, CODEX: read_codex}.get(self.kind, read_other)(printed)
        failed = said.failed
        if not printed and not done.returncode:
            failed = "printed nothing"
        if done.returncode and (not failed or not printed):
            failed = f"ended with status {done.returncode}: {' '.join((complaint or printed).split())[-_SHOWN:]}"
        return Said(said.text, said.read, said.written, said.turns, round(took, 2), said.model, failed[:_SHOWN])


def find_program(words: str) -> Program:
    """Return the agent for `claude-code`, `codex` or a command, each with arguments of its own. Raises NotFound if it is not
    installed."""
    first, *more = shlex.split(words) or [""]
    kind = first if first in _PROGRAMS else ""
    found = shutil.which(_PROGRAMS.get(first, first))
    if found is None:
        raise NotFound(f"there is no command `{_PROGRAMS.get(first, first)}`: install it, or give its path", name=first)
    return Program(kind, (str(Path(found).absolute()), *more))


def _codex_server(folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Return the options that add the server. Codex starts servers without the environment."""
    server = json.loads((folder / ".mcp.json").read_text("utf-8"))["mcpServers"]["graphmem"]
    given = {name: value for name, value in environment.items() if name.startswith("GRAPHMEM_")}
    table = ", ".join(f"{name} = {json.dumps(value)}" for name, value in given.items())
    options = {"command": json.dumps(server["command"]), "args": json.dumps(server["args"]), "env": f"{{{table}}}"}
    return [word for name, value in options.items() for word in ("-c", f"mcp_servers.graphmem.{name}={value}")]


def read_claude(printed: str) -> Said:
    """Read the JSON of `claude -p --output-format json`."""
    told = _object(printed)
    if told.get("type") != "result":
        return Said(failed="printed no result")
    used = told.get("usage") or {}
    read = sum(int(used.get(name) or 0) for name in
               ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"))  # fmt: skip
    text = str(told.get("result") or "")
    failed = "" if not told.get("is_error") and told.get("subtype") == "success" else text or str(told.get("subtype"))
    models = ", ".join(sorted(told.get("modelUsage") or {}))
    return Said(text, read, int(used.get("output_tokens") or 0), told.get("num_turns"), model=models, failed=failed)


def read_codex(printed: str) -> Said:
    """Read the events of `codex exec --json`: a turn is a thing that it did, or a message."""
    text, failed, turns, read, written = "", "", 0, 0, 0
    is_complete = False
    for line in printed.splitlines():
        event = _object(line)
        item, kind = event.get("item") or {}, event.get("type")
        if kind == "item.completed" and item.get("type") != "error":
            turns += item.get("type") != "reasoning"
            text = str(item.get("text") or "") if item.get("type") == "agent_message" else text
        elif kind == "turn.completed":
            used, is_complete = event.get("usage") or {}, True
            read, written = read + int(used.get("input_tokens") or 0), written + int(used.get("output_tokens") or 0)
        elif kind == "turn.failed":
            failed = str((event.get("error") or {}).get("message") or "turn failed")
        elif kind == "error":
            failed = str(event.get("message") or "error")
    return Said(text, read, written, turns, failed="" if is_complete else failed or "printed no result")


def read_other(printed: str) -> Said:
    """Read the answer of any command: text, or a JSON object with "answer" and, if known, "read", "written" and "turns"."""
    told = _object(printed)
    if "answer" not in told:
        return Said(printed)
    numbers = {name: told[name] for name in ("read", "written", "turns") if isinstance(told.get(name), int)}
    return Said(str(told["answer"]), model=str(told.get("model") or ""), **numbers)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
