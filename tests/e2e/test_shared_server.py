"""The shared server: what each account may reach, by every path, and that what ends, ends at once."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from shared_server import SharedServer, call_tool
from support import STOP_S
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

pytest.importorskip("limits", reason="needs the extra `server`")

TOPICS = ("anchor", "ballast", "capstan", "davit", "ensign", "fender", "gangway", "hawser")


class Harbour:
    """A server with two projects, and what bob keeps private: texts with a mark, and every name that leads to them."""

    def __init__(self, server: SharedServer) -> None:
        self.server = server
        for name, projects, right in (
            ("ada", ("crane", "dock"), "admin"), ("bob", ("crane",), "write"), ("cyd", ("crane",), "read"), ("eve", ("dock",), "write"),
        ):  # fmt: skip
            server.add(name, *projects, right=right)
        server.start()
        self.ada, self.bob, self.cyd, self.eve = (server.client(name) for name in ("ada", "bob", "cyd", "eve"))
        self.names: list[str] = []
        for number, topic in enumerate(TOPICS):
            told = f"The {topic} code of bob is QZX{number}MARK."
            for path, body in (
                ("/api/remember", {"content": told, "kind": "gotcha" if number % 2 else "fact", "ref": f"bob-{topic}", "file": [f"{topic}.py"]}),
                ("/api/observe", {"content": f"Keep in mind: {told}", "session": f"bob-session-{topic}", "ref": f"turn-{topic}"}),
            ):  # fmt: skip
                answer = self.bob.post(path, json=body)
                assert answer.status_code == 200, answer.text
                self.names += [answer.json()["data"]["id"], str(body["ref"])]
        self.bob.post("/api/process", json={"visibility": "private"})
        found = self.bob.get("/api/search", params={"query": "code of bob", "k": 50}).json()["data"]["hits"]
        assert len(found) >= len(TOPICS) and all(hit["visibility"] == "private" for hit in found)
        self.names += [hit[key] for hit in found for key in ("id", "citation")]
        self.names += [f"bob-session-{topic}" for topic in TOPICS]
        rows = self.bob.get("/api/cypher", params={"query": "MATCH (n) RETURN n.id", "visibility": "private"}).json()[
            "data"
        ]["rows"]
        self.names += [row[0] for row in rows if row[0]]
        self.id = server.run("users", "list", "--json")
        self.id = next(one["id"] for one in json.loads(self.id) if one["name"] == "bob")
        said = {"content": "The crane lifts nine tons.", "visibility": "team"}
        assert self.ada.post("/p/crane/api/remember", json=said).status_code == 200
        self.ada.post("/p/crane/api/process", json={})


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harbour]:
    server = SharedServer(
        tmp_path_factory.mktemp("shared"), requests_per_minute="0", writes_per_minute="0", logins_per_minute="1000"
    )
    try:
        yield Harbour(server)
    finally:
        server.stop()


READING = (
    ("search", "query"), ("ask", "question"), ("timeline", "ids"), ("details", "ids"), ("show", "id"), ("neighbours", "id"),
    ("session", "id"), ("around", "ids"), ("events/{}", ""), ("citations/{}", ""), ("citations/{}/related", ""), ("tasks/show", "id"),
    ("explain", "symbol"),
)  # fmt: skip
LISTS = (
    "history?limit=1000", "events?limit=1000", "sessions", "graph", "activity", "stats", "review?every=true", "categories", "outbox",
    "tree/index", "tree/search?tag=bob", "endless/memories", "endless/working-set", "doctor", "tasks/list", "schema", "audit",
    "export?visibility=team", "export", "export?format=graphml", "config", "memory?id=1",
)  # fmt: skip
QUERIES = (
    "MATCH (n) RETURN n", "MATCH (n:Fact) RETURN n.content", "MATCH (n:Turn) RETURN n.content, n.ref", "MATCH (a)-[r]->(b) RETURN a, b",
    "MATCH (s:Session) RETURN s.ref", "MATCH (n) WHERE n.content CONTAINS 'MARK' RETURN n", "LOAD FROM '{home}/accounts.db' RETURN *",
    "CALL show_tables() RETURN *", "MATCH (n) WHERE n.id = '{name}' RETURN n",
)  # fmt: skip
TOOLS = (
    ("search", "query"), ("ask", "question"), ("details", "ids"), ("timeline", "ids"), ("show", "id"), ("cypher", "query"),
    ("mem-search", "query"), ("mem-details", "ids"), ("forget", "id"), ("remember", "ref"), ("supersede", "old"), ("feedback", "id"),
)  # fmt: skip
PROJECTS = (
    "crane",
    "dock",
    "crane/private/{id}",
    "../crane",
    "crane%2Fprivate%2F{id}",
    "private",
    "*",
    "bob",
    "{id}",
    "team",
    "nothing",
)
VISIBILITIES = ("", "private", "team", "both", "bob", "{id}", "../private")


class Attack:
    """Requests of other accounts for what bob keeps private, drawn by chance. `answer` sends one and returns all that came
    back."""

    def __init__(self, harbour: Harbour, seed: int) -> None:
        self.harbour = harbour
        self.chance = random.Random(seed)

    def filled(self, text: str) -> str:
        return (
            text.replace("{id}", self.harbour.id)
            .replace("{home}", str(self.harbour.server.home))
            .replace("{name}", self.name())
        )

    def name(self) -> str:
        return self.chance.choice(self.harbour.names)

    def words(self) -> str:
        topic = self.chance.choice(TOPICS)
        return self.chance.choice(
            (f"code of bob {topic}", f"the {topic} code", "MARK", "bob", "Keep in mind", f"bob-{topic}", self.name())
        )

    def prefix(self) -> str:
        return "" if self.chance.random() < 0.4 else f"/p/{self.filled(self.chance.choice(PROJECTS))}"

    def draw(self) -> str:
        return self.chance.choice(("read", "read", "list", "cypher", "tool", "tool", "write", "socket", "path"))

    def answer(self) -> str:
        who = self.chance.choice((self.harbour.ada, self.harbour.cyd, self.harbour.eve))
        given: dict[str, Any] = {}
        if chosen := self.filled(self.chance.choice(VISIBILITIES)):
            given["visibility"] = chosen
        headers = (
            {"X-Graphmem-Project": self.filled(self.chance.choice(PROJECTS))} if self.chance.random() < 0.3 else {}
        )
        return str(getattr(self, self.draw())(who, given, headers))

    def read(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        path, parameter = self.chance.choice(READING)
        if parameter:
            given[parameter] = self.words() if parameter in ("query", "question") else self.name()
        return who.get(f"{self.prefix()}/api/{path.replace('{}', self.name())}", params=given, headers=headers).text

    def list(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        path, _, query = self.chance.choice(LISTS).partition("?")
        return who.get(
            f"{self.prefix()}/api/{path}", params=given | dict(httpx.QueryParams(query)), headers=headers
        ).text

    def cypher(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        given["query"] = self.filled(self.chance.choice(QUERIES))
        return who.get(f"{self.prefix()}/api/cypher", params=given, headers=headers).text

    def tool(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        name, parameter = self.chance.choice(TOOLS)
        value: Any = self.words() if parameter in ("query", "question") else self.name()
        given[parameter] = (
            self.filled(self.chance.choice(QUERIES)) if name == "cypher" else [value] if parameter == "ids" else value
        )
        given |= {"forget": {"confirm": True}, "remember": {"content": "Found."}, "supersede": {"new": self.name()},
                  "feedback": {"verdict": "wrong"}}.get(name, {})  # fmt: skip
        return call_tool(who, name, f"{self.prefix()}/mcp", **given)[0]

    def write(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        name = self.name()
        path, body = self.chance.choice((
            ("publish", {"id": name}), ("forget", {"id": name, "confirm": True, "purge": True}), ("archive", {"id": name}),
            ("forget", {"session": name, "confirm": True}), ("remember", {"content": "Replaced.", "ref": name}), ("allow", {"id": name}),
            ("feedback", {"id": name, "verdict": "wrong"}), ("search", {"query": self.words(), "options": {"topK": 50}}),
            ("supersede", {"old": name, "new": self.name()}), ("observe", {"content": "Hello.", "session": name, "ref": name}),
        ))  # fmt: skip
        return who.post(f"{self.prefix()}/api/{path}", json=body | given, headers=headers).text

    def socket(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        query = f"?visibility={given['visibility']}" if given else ""
        address = f"{self.harbour.server.url.replace('http', 'ws')}{self.prefix()}/ws{query}"
        try:
            with connect(
                address,
                additional_headers={"Authorization": who.headers["Authorization"], **headers},
                open_timeout=STOP_S,
            ) as socket:
                socket.send(json.dumps({"subscribe": ["events", "stats", "outbox"]}))
                self.harbour.bob.post(
                    "/api/observe", json={"content": "Bob says QZX9MARK again.", "session": self.name()}
                )
                told = []
                while True:
                    told.append(str(socket.recv(0.4)))
        except (TimeoutError, ConnectionClosed, InvalidStatus, OSError) as error:
            return f"{error}{told if 'told' in locals() else ''}"

    def path(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        path = self.filled(self.chance.choice((
            "/projects/crane/private/{id}/log.db", "/p/crane/projects/crane/private/{id}", "/assets/../../{home}/accounts.db", "/accounts.db",
            "/p/crane/../private/{id}/api/search?query=MARK", "/api/../p/crane/api/history", "//p/crane/api/history", "/p/crane//api/history",
            "/item?id={name}", "/search?q=MARK", "/sessions?id={name}", "/_nicegui/client/{id}", "/api/openapi.json", "/projects",
        )))  # fmt: skip
        return who.get(path, headers=headers).text


def attack(harbour: Harbour, count: int, seed: int) -> None:
    """Send requests and look for the mark in each answer. What was asked for is not echoed: names contain no mark."""
    made = Attack(harbour, seed)
    for number in range(count):
        found = made.answer()
        assert "MARK" not in re.sub(r"MARK'? RETURN|'MARK'|query=MARK|\bMARK\b(?=[\"'`])", "", found), (number, found)


def test_nobody_reads_or_changes_what_another_account_keeps_private(harbour: Harbour) -> None:
    attack(harbour, 150, seed=1)
    intact(harbour)


@pytest.mark.deep
def test_two_thousand_requests_for_private_memories_of_others_get_none(harbour: Harbour) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda seed: attack(harbour, 500, seed), range(2, 6)))
    intact(harbour)


def intact(harbour: Harbour) -> None:
    """Bob's private memories are as they were."""
    rows = harbour.bob.get(
        "/api/cypher", params={"query": "MATCH (n:Fact) RETURN n.content", "visibility": "private"}
    ).json()["data"]["rows"]
    told = " ".join(row[0] for row in rows)
    exported = harbour.bob.get("/api/export").text
    for number, topic in enumerate(TOPICS):
        assert exported.count(f"The {topic} code of bob is QZX{number}MARK.") >= 2
    assert "QZX0MARK" in told
