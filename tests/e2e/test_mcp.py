"""An MCP client as agents have it: the SDK's own, over real standard input and output and over HTTP, with a real owner behind."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from support import STOP_S, with_deep

from graphmem.text.tokens import count_tokens


def with_client(cwd: Path, work: Callable[[Client], Awaitable[None]]) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "graphmem.interfaces.entry", "mcp"], cwd=cwd, env=dict(os.environ)
    )

    async def main() -> None:
        async with Client(stdio_client(parameters)) as client:
            await work(client)

    anyio.run(main)


@contextmanager
def served(cwd: Path) -> Iterator[tuple[str, str]]:
    """The address and the token of a server over HTTP, as it prints them."""
    command = [sys.executable, "-m", "graphmem.interfaces.entry", "mcp", "--port", "0"]
    with subprocess.Popen(command, cwd=cwd, stderr=subprocess.PIPE, text=True) as process:
        try:
            address, _, _, token = process.stderr.readline().split()
            yield address, token
        finally:
            process.terminate()


def over_http(cwd: Path, work: Callable[[Client], Awaitable[None]]) -> None:
    with served(cwd) as (address, token):

        async def main() -> None:
            async with (
                create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http,
                Client(streamable_http_client(address, http_client=http)) as client,
            ):
                await work(client)

        anyio.run(main)


async def ask(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return result.content[0].text


@pytest.mark.usefixtures("default_engine")
@pytest.mark.parametrize("connected", with_deep([with_client], [over_http]))
def test_a_session_from_index_to_forget(repository, connected: Callable[..., None]) -> None:
    repository.commit(
        "Add the cart", {"shop/cart.py": "def total():\n    return tax(1)\n\n\ndef tax(n):\n    return n * 2\n"}
    )

    async def session(client: Client) -> None:
        assert "symbols" in await ask(client, "memory", action="index")
        assert "tax" in await ask(client, "search", query="tax", kind=["symbol"])
        kept = await ask(client, "remember", content="The tax rate must come from the ledger service, never from a constant.",
                         kind="gotcha", tag=["tax"])  # fmt: skip
        assert kept.startswith("Saved as ")
        found = await ask(client, "search", query="where does the tax rate come from?")
        assert found.startswith("<graphmem-recall>\n") and "ledger service" in found and "`details`" in found
        cite = re.search(r"\[mem:(\w+)\] gotcha", found)[1]
        assert "ledger service" in await ask(client, "details", ids=[f"[mem:{cite}]"])
        assert "→" in await ask(client, "timeline", ids=cite)
        assert "ledger" in await ask(client, "mem-search", query="tax rate ledger", topK=3)
        await ask(client, "tasks", action="create", title="Move the tax rate out of the code", priority="high")
        assert "Move the tax rate" in await ask(client, "tasks", action="ready")
        assert "Move the tax rate" in await ask(client, "tasks_ready")  # a verb that is not listed
        reached = await ask(client, "code", action="impact", symbol=["shop.cart.tax"])
        assert "return tax(1)" in reached
        counted = await ask(client, "cypher", query="MATCH (t:Task) RETURN t.title AS title")
        assert "Move the tax rate" in counted and "1 row" in counted
        assert "ledger service" in (await client.read_resource(f"graphmem://item/{cite}")).contents[0].text
        refused = await client.call_tool("memory", {"action": "forget", "id": cite})
        assert refused.is_error and "confirm" in refused.content[0].text
        endless = await client.call_tool("memory", {"action": "show", "id": "ü" * 5_000})
        assert endless.is_error and len(endless.content[0].text) <= 1_000
        assert "Forgotten: 1 event" in await ask(client, "memory", action="forget", id=cite, confirm=True)
        assert "ledger service" not in await ask(client, "search", query="where does the tax rate come from?")

    connected(repository.path, session)


def _shop(functions: int) -> dict[str, str]:
    """A code base in which whole lists would be long: many functions, each with callers and tests."""
    tax = "\n\n".join(
        f'def tax_{n}(amount):\n    """Return the tax of class {n}."""\n    return round(amount * {n})\n'
        for n in range(functions)
    )
    till = "\n\n".join(f"def pay_{n}(bill):\n    return base_rate(bill) + tax_{n}(bill)\n" for n in range(functions))
    tests = "\n\n".join(f"def test_pay_{n}():\n    assert pay_{n}(0) == 0\n" for n in range(functions))
    return {
        "shop/__init__.py": "",
        "shop/tax.py": f"class Rule:\n    limit: int = 3\n\n\ndef base_rate(bill):\n    return bill * Rule().limit\n\n\n{tax}",
        "shop/till.py": f"from shop.tax import *\n\n\n{till}",
        "tests/test_till.py": f"from shop.till import *\n\n\n{tests}",
        "pyproject.toml": '[project]\nname = "shop"\nrequires = ["parser"]\n',
    }


def test_a_session_of_ten_questions_costs_little(repository) -> None:
    repository.commit("Open the shop", _shop(120))
    repository.commit(
        "Pin the parser below 3: it loads slowly", {"pyproject.toml": '[project]\nrequires = ["parser<3"]\n'}
    )
    questions: list[tuple[str, dict[str, Any], str]] = [
        ("code", {"action": "explain", "symbol": ["base_rate"]}, "pay_0"),
        ("code", {"action": "callers", "symbol": ["tax_7"], "no_tests": True}, "pay_7"),
        ("code", {"action": "impact", "symbol": ["tax_7"]}, "test_pay_7"),
        ("code", {"action": "tests", "symbol": ["base_rate"]}, "120 tests in 1 file"),
        ("code", {"action": "path", "symbol": ["test_pay_7", "tax_7"]}, "pay_7"),
        ("code", {"action": "source", "symbol": ["tax_9"]}, "amount * 9"),
        ("code", {"action": "history", "symbol": ["tax_7"]}, "Open the shop"),
        ("code_text", {"pattern": "parser<3", "patches": True}, "Pin the parser"),
        ("ask", {"question": "who introduced `base_rate`?"}, "Open the shop"),
        ("search", {"query": "why is the parser pinned"}, "it loads slowly"),
    ]

    async def session(client: Client) -> None:
        await ask(client, "memory", action="index")
        listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await client.list_tools()).tools]
        read = [client.instructions or "", json.dumps(listed, ensure_ascii=False)]
        assert len(listed) <= 12 and count_tokens(read[1]) <= 1_500
        for tool, arguments, part in questions:
            said = await ask(client, tool, **arguments)
            assert part in said, said
            read += [tool, json.dumps(arguments), said]
        assert sum(map(count_tokens, read)) <= 6_000

    environment = {**os.environ}
    subprocess.run(
        [sys.executable, "-m", "graphmem.interfaces.entry", "init"], cwd=repository.path, env=environment, check=True,
        capture_output=True,
    )  # fmt: skip
    with_client(repository.path, session)


def test_http_is_for_those_with_the_token_and_speaks_plain_json_rpc(repository) -> None:
    """Without any library of the protocol: what a client in another language sends, and a stranger."""
    repository.commit("Start", {"a.py": "x = 1\n"})
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "plain", "version": "1"}}}  # fmt: skip
    with served(repository.path) as (address, token):

        def post(headers: dict[str, str]) -> tuple[int, str]:
            connection = http.client.HTTPConnection(
                "127.0.0.1", int(address.split(":")[2].split("/")[0]), timeout=STOP_S
            )
            accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
            connection.request("POST", "/mcp", json.dumps(hello), accept | headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

        assert post({})[0] == post({"Authorization": "Bearer guess"})[0] == 401
        status, body = post({"Authorization": f"Bearer {token}"})
        assert status == 200 and '"protocolVersion":"2024-11-05"' in body and '"name":"graphmem"' in body


@pytest.mark.deep
def test_two_clients_share_one_store(repository) -> None:
    repository.commit("Start", {"a.py": "x = 1\n"})

    async def first(client: Client) -> None:
        await ask(client, "remember", content="The nightly build needs Java 21.")

        async def second(other: Client) -> None:
            assert "Java 21" in await ask(other, "search", query="nightly build Java")
            await ask(other, "remember", content="Deploys happen on Tuesdays only.")

        parameters = StdioServerParameters(command=sys.executable, args=["-m", "graphmem.interfaces.entry", "mcp"],
                                           cwd=repository.path, env=dict(os.environ))  # fmt: skip
        async with Client(stdio_client(parameters)) as other:
            await second(other)
        assert "Tuesdays" in await ask(client, "search", query="when do deploys happen")

    with_client(repository.path, first)


def test_outside_of_a_repository_the_shared_store_serves(tmp_path: Path) -> None:
    async def session(client: Client) -> None:
        await ask(client, "remember", content="Prefers tabs over spaces.")
        assert "tabs" in await ask(client, "search", query="tabs or spaces")

    with_client(tmp_path, session)
