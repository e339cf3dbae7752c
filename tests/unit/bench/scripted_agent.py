"""An agent without a model, for the harness alone: a script that uses the servers it was given as any MCP client does, and `git grep`
without one. It says so in its answer and proves nothing about agents."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

NAMES = re.compile(r"`(\w+)`")


async def ask(server: dict, calls: list[tuple[str, dict]]) -> list[str]:
    parameters = StdioServerParameters(command=server["command"], args=server["args"], env=dict(os.environ))
    async with Client(stdio_client(parameters)) as client:
        return [(await client.call_tool(tool, given)).content[0].text for tool, given in calls]


def work(prompt: str) -> dict[str, object]:
    servers = json.loads(Path(os.environ["GRAPHMEM_BENCH_SERVERS"]).read_text("utf-8"))["mcpServers"]
    words = prompt.partition("\n")[0]
    name = NAMES.search(words)
    if not servers:
        printed = [
            subprocess.run(
                ["git", "grep", "-n", "-p", "-w", name[1] if name else "-"], capture_output=True, text=True
            ).stdout
        ]
    elif name:
        printed = anyio.run(ask, servers["graphmem"], [("code", {"action": "callers", "symbol": [name[1]]})])
    else:
        printed = anyio.run(ask, servers["graphmem"], [("search", {"query": words})])
    whole = "\n".join(printed)
    if "Make the change" in prompt and (rate := re.search(r"the rate is (\d+)", whole)):
        Path("shop/rate.py").write_text(f"RATE = {rate[1]}\n")
    answer = " ".join(whole.split()) if name else "none"
    return {"answer": f"ANSWER: {answer}", "read": len(whole) // 4, "written": len(answer) // 4, "turns": len(printed),
            "model": "a script, no model"}  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(work(sys.stdin.read())))
