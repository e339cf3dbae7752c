"""The shared server with its logs on PostgreSQL: stores are kept apart, and agents work on while the database or the server is killed,
stopped and started again."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from postgresql_server import PostgresqlServer
from shared_server import SharedServer
from support import STOP_S, wait_until

from graphmem.backends.log.server_url import with_schema
from graphmem.interfaces.tenancy.stores import schema_url

pytest.importorskip("limits", reason="needs the extra `server`")

PATIENCE_S = 60.0  # no answer may take longer, whatever is away


def database(postgresql: PostgresqlServer) -> str:
    """The URL of the database, without a schema."""
    return postgresql.url().partition("&schema=")[0].partition("?schema=")[0]


def test_logs_on_a_database_server_are_kept_apart(tmp_path: Path, postgresql: PostgresqlServer) -> None:
    """Each store has a schema of its own, so what is private stays so there, too."""
    url = postgresql.url().partition("&schema=")[0].partition("?schema=")[0]
    server = SharedServer(tmp_path, log_url=url)
    for name in ("ada", "bob"):
        server.add(name, "crane")
    server.start()
    try:
        ada, bob = server.client("ada"), server.client("bob")
        for store in ("private", "team"):
            answer = ada.post("/api/remember", json={"content": f"The buoy is {store} red.", "visibility": store})
            assert answer.status_code == 200, answer.text
        assert [row["text"] for row in bob.get("/api/events").json()["data"]] == ["The buoy is team red."]
        hits = ada.get("/api/search?query=buoy").json()["data"]["hits"]
        assert {hit["visibility"] for hit in hits} == {"private", "team"}
        listed = {row["of"]: row for row in json.loads(server.run("users", "stores", "--json"))}
        assert listed.keys() == {"team", "private store of ada"} and all(
            row["project"] == "crane" for row in listed.values()
        )
        team = listed["team"]
        assert f"schema {schema_url('x', Path(team['folder'])).rpartition('=')[2]}" in team["log"]
        move_log = partial(server.run, "move", "--store", team["folder"], "--log")
        for place in ("local", with_schema(postgresql.url(), "graphmem_moved")):  # while the server has the store open
            move_log(place)
            answer = ada.post(
                "/api/remember", json={"content": f"The buoy moved to {place[:9]}.", "visibility": "team"}
            )
            assert answer.status_code == 200, answer.text
            assert bob.get("/api/events").json()["data"][0]["text"] == f"The buoy moved to {place[:9]}."
        assert ada.post("/api/forget-me", json={"confirm": True}).status_code == 200
        assert bob.get("/api/search?query=buoy").json()["data"]["hits"] == []
        folders = [log.parent for log in server.home.glob("projects/*/**/log.db")]
        assert all("schema=graphmem_" in (folder / "settings.toml").read_text() for folder in folders)
    finally:
        server.stop()


class Agent(threading.Thread):
    """An agent with the client of the official SDK. It remembers one numbered sentence after another, for the team and for
    itself, and keeps what was acknowledged, what failed and why, and how long each answer took."""

    def __init__(self, server: SharedServer, name: str) -> None:
        super().__init__(daemon=True)
        self.name = name
        self._url = f"{server.url}/p/crane/mcp"
        self._headers = {"Authorization": f"Bearer {server.tokens[name]}"}
        self._ending = threading.Event()
        self.acknowledged: list[str] = []
        self.failed: list[str] = []
        self.errors: list[str] = []
        self.longest_s = 0.0

    def run(self) -> None:
        asyncio.run(self._work())

    async def _work(self) -> None:
        number = 0
        async with httpx2.AsyncClient(headers=self._headers, timeout=PATIENCE_S) as http:
            while not self._ending.is_set():
                try:
                    async with (
                        streamable_http_client(self._url, http_client=http) as streams,
                        ClientSession(streams[0], streams[1]) as session,
                    ):
                        await session.initialize()
                        while not self._ending.is_set():
                            number += 1
                            await self._remember(session, f"{self.name} oils winch number {number:04}.", number)
                except Exception as error:  # noqa: BLE001 (what a client sees of a server that is away)
                    self.errors.append(f"{type(error).__name__}: {error}")
                    await asyncio.sleep(0.2)

    async def _remember(self, session: ClientSession, text: str, number: int) -> None:
        given = {"content": text, "visibility": ("team", "private")[number % 2]}
        begun = time.monotonic()
        self.failed.append(text)  # until the opposite is known
        result = await session.call_tool("remember", given, read_timeout_seconds=PATIENCE_S)
        self.longest_s = max(self.longest_s, time.monotonic() - begun)
        if getattr(result, "is_error", False):
            self.errors.append(str(result.content[0].text))  # type: ignore[union-attr]
        else:
            self.acknowledged.append(self.failed.pop())

    def end(self) -> None:
        self._ending.set()
        self.join(STOP_S)


@contextmanager
def agents_at_work(server: SharedServer) -> Iterator[list[Agent]]:
    agents = [Agent(server, name) for name in ("ada", "bob")]
    for agent in agents:
        agent.start()
    yield agents
    for agent in agents:
        agent.end()


def wait_for_more(agents: list[Agent], of: Callable[[Agent], list[str]], more: int) -> None:
    """Wait until each agent has so many more of something."""
    before = [len(of(agent)) for agent in agents]
    wait_until(lambda: all(len(of(agent)) >= count + more for agent, count in zip(agents, before, strict=True)))


@pytest.mark.deep
def test_agents_outlive_a_database_that_is_killed_and_stopped_and_a_server_that_is_killed(
    tmp_path: Path, postgresql: PostgresqlServer
) -> None:
    """Two agents over MCP; nothing that was acknowledged is lost, nothing is there twice, and errors say what is away."""
    server = SharedServer(tmp_path, log_url=database(postgresql), requests_per_minute="0", writes_per_minute="0")
    for name in ("ada", "bob"):
        server.add(name, "crane")
    server.start()
    try:
        with agents_at_work(server) as agents:
            wait_for_more(agents, lambda agent: agent.acknowledged, 6)
            assert not any(agent.errors for agent in agents), [agent.errors for agent in agents]
            postgresql.kill()
            wait_for_more(agents, lambda agent: agent.errors, 2)
            answer = server.client("ada").post("/api/remember", json={"content": "Meanwhile.", "visibility": "team"})
            assert answer.status_code == 503 and "PostgreSQL server" in answer.json()["error"]["message"], answer.text
            postgresql.start()
            wait_for_more(agents, lambda agent: agent.acknowledged, 6)
            for agent in agents:
                assert all("PostgreSQL server" in error and "\n" not in error for error in agent.errors), agent.errors
                agent.errors.clear()
            postgresql.suspend()  # as if the network were cut: nothing answers, nothing is refused
            try:
                wait_for_more(agents, lambda agent: agent.errors, 1)
            finally:
                postgresql.resume()
            wait_for_more(agents, lambda agent: agent.acknowledged, 6)
            for agent in agents:
                assert all("PostgreSQL server" in error and "\n" not in error for error in agent.errors), agent.errors
            server.kill()
            wait_for_more(agents, lambda agent: agent.errors, 1)
            server.start()
            wait_for_more(agents, lambda agent: agent.acknowledged, 6)
        for agent in agents:
            assert agent.longest_s < PATIENCE_S
            client, found = server.client(agent.name), Counter[str]()
            for store in ("private", "team"):
                query = {"limit": 1_000, "type": "memory_remembered", "visibility": store}
                found.update(row["text"] for row in client.get("/api/events", params=query).json()["data"])
            assert {text: found[text] for text in agent.acknowledged} == dict.fromkeys(agent.acknowledged, 1)
            assert all(found[text] <= 1 for text in agent.failed)
            last = agent.acknowledged[-1]
            hits = client.get("/api/search", params={"query": last}).json()["data"]["hits"]
            assert last in [hit["content"] for hit in hits]  # what is derived has caught up
    finally:
        server.stop()
