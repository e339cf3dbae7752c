"""Sixteen clients of a shared server at once: eight agents over MCP, four machines that send what hooks recorded, four browsers;
they are four accounts in two projects. `graphmem bench load-shared --count 600` runs them for so many seconds. With
`GRAPHMEM_SERVER__LOG_URL`, each store keeps its log in that PostgreSQL database. At the end, everything that was acknowledged must
be in the logs once."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from graphmem.bench.load import (
    AGENTS,
    BROWSERS,
    ENTRY,
    HOOKS,
    Ask,
    Run,
    Work,
    children_mb,
    end_owner,
    owner_mb,
    report,
    sentence,
    verify_log,
)
from graphmem.bench.viewer import run_server
from graphmem.errors import SourceError

ACCOUNTS, PROJECTS = ("ada", "bob", "cyd", "eve"), ("crane", "dock")
_PATHS = (
    "/",
    "/api/stats",
    "/api/sessions",
    "/api/search?query={words}&k=10",
    "/api/events?limit=50",
    "/api/tasks/list",
    "/api/cypher?query=MATCH%20(s:Session)%20RETURN%20count(*)",
)
_SENT = 4  # turns in a batch
_BATCH_PAUSE_S = 2.0
_MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


def main(seconds: int) -> None:
    """Measure and print one line of JSON. Raises SourceError if an answer was an error, or something was lost or kept twice."""
    with tempfile.TemporaryDirectory(prefix="graphmem-load-") as folder:
        home, run = Path(folder) / "server", Run(seconds)
        with _serve(home) as (port, tokens):
            figures = run.measure(_work(run, port, tokens), partial(_sample, home))
        stores = _stores(home)
        try:
            figures |= verify_log(stores, run.acknowledged)
        finally:
            for store in stores:
                end_owner(store)
    figures["log"] = "postgresql" if os.environ.get("GRAPHMEM_SERVER__LOG_URL") else "sqlite"
    report(figures, run.errors)


@contextmanager
def _serve(home: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Context manager: a shared server with accounts that have no limits; yields its port and their tokens."""
    environment = {
        **os.environ,
        "GRAPHMEM_SHARED": str(home),
        **{f"GRAPHMEM_SERVER__{name}_PER_MINUTE": "0" for name in ("REQUESTS", "WRITES")},
    }
    tokens = {}
    for name in ACCOUNTS:
        words = [*ENTRY, "users", "add", name, *(word for project in PROJECTS for word in ("--project", project))]
        added = subprocess.run(words, env=environment, capture_output=True, text=True)
        if added.returncode:
            raise SourceError(f"no account was made: {added.stderr.strip()}")
        tokens[name] = added.stdout.split()[0]
    with run_server("--shared", str(home), lines=4, environment=environment) as port:
        yield port, tokens


def _work(run: Run, port: int, tokens: dict[str, str]) -> list[Work]:
    """Return the work of all clients. Each has an account and a project."""
    kinds = ["agent"] * AGENTS + ["machine"] * HOOKS + ["browser"] * BROWSERS
    work: list[Work] = []
    for number, kind in enumerate(kinds):
        prefix = f"/p/{PROJECTS[number // len(ACCOUNTS) % len(PROJECTS)]}"
        headers = {"Authorization": f"Bearer {tokens[ACCOUNTS[number % len(ACCOUNTS)]]}"}
        if kind == "agent":
            work.append(partial(run.work_as_agent, _agent(port, prefix, headers)))
        elif kind == "machine":
            work.append(partial(_push, run, port, prefix, headers))
        else:
            paths = [prefix + path for path in _PATHS]
            work.append(partial(run.browse, port, headers | {"Accept": "text/html, */*"}, paths))
    return work


def _agent(port: int, prefix: str, headers: dict[str, str]) -> Ask:
    """Return what calls a tool over MCP."""

    def ask(tool: str, given: dict[str, Any]) -> dict[str, Any]:
        parameters = {"name": tool, "arguments": given}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}
        status, answer = _post(port, f"{prefix}/mcp", message, headers | _MCP)
        return answer if status == 200 else {"error": answer}

    return ask


def _push(run: Run, port: int, prefix: str, headers: dict[str, str], number: int) -> None:
    """Send turns as `graphmem team push` does."""
    for turn, chance in run.turns(number, _BATCH_PAUSE_S):
        contents = [f"Person {number} said in turn {turn}.{one}: {sentence(chance)}" for one in range(_SENT)]
        items = [
            {"key": f"key-{number}-{turn}-{one}", "type": "turn", "content": content, "session": f"h{number}",
             "visibility": ("private", "team")[one % 2]}
            for one, content in enumerate(contents)
        ]  # fmt: skip
        with run.timed("machine"):
            status, answer = _post(port, f"{prefix}/api/push", {"items": items}, headers)
        if status != 200:
            run.fail(f"push: {status} {answer}")
            continue
        for content in contents:
            run.keep(content)


def _post(port: int, path: str, body: Any, headers: dict[str, str]) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("POST", path, json.dumps(body), headers | {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")
    finally:
        connection.close()


def _sample(home: Path) -> dict[str, float]:
    sizes = [owner_mb(store) for store in _stores(home)]
    return {"server": children_mb("serve"), "largest owner": max(sizes, default=0.0), "all owners": sum(sizes)}


def _stores(home: Path) -> list[Path]:
    return [log.parent for log in sorted(home.glob("projects/**/log.db"))]
