"""Requests of one account of a shared server for what another one keeps private, drawn by chance: by the routes and tools that people
use, by everything else that the server's descriptions offer, by paths and ids that are guessed."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import cycle
from typing import Any

import httpx
from shared_server import SharedServer, ask_mcp, call_tool
from support import STOP_S
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

TOPICS = ("anchor", "ballast", "capstan", "davit", "ensign", "fender", "gangway", "hawser")


_LEFT_OUT = (
    "/health",
    "/api/forget-me",
    "/api/rebuild",
    "/api/memify",
    "/api/doctor",
)  # they erase one's own, or take long
_WORDED = frozenset(
    {"query", "question", "text", "summary_query", "trigger_query", "tag", "content", "title", "pattern"}
)


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
        self.names += [row[0] for row in rows if row[0] and "MARK" not in row[0].upper()]  # errors repeat names
        self.id = server.run("users", "list", "--json")
        self.id = next(one["id"] for one in json.loads(self.id) if one["name"] == "bob")
        said = {"content": "The crane lifts nine tons.", "visibility": "team"}
        assert self.ada.post("/p/crane/api/remember", json=said).status_code == 200
        self.ada.post("/p/crane/api/process", json={})
        self.described = self.ada.get("/api/openapi.json").json()
        self.routes = [(path, method) for path, methods in self.described["paths"].items() for method in methods
                       if path not in _LEFT_OUT]  # fmt: skip
        self.tools = ask_mcp(self.bob, "tools/list").json()["result"]["tools"]


READING = (
    ("search", "query"), ("ask", "question"), ("timeline", "ids"), ("details", "ids"), ("show", "id"), ("neighbours", "id"),
    ("session", "id"), ("around", "ids"), ("events/{}", ""), ("citations/{}", ""), ("citations/{}/related", ""), ("tasks/show", "id"),
    ("explain", "symbol"),
)  # fmt: skip
LISTS = (
    "history?limit=1000", "events?limit=1000", "sessions", "graph", "activity", "stats", "review?all_=true", "categories", "outbox",
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
        self.asked: Counter[str] = Counter()  # kinds of requests, routes and tools
        self.routes, self.tools = (
            cycle(self.chance.sample(found, len(found))) for found in (harbour.routes, harbour.tools)
        )

    def filled(self, text: str) -> str:
        return (
            text.replace("{id}", self.harbour.id)
            .replace("{home}", str(self.harbour.server.home))
            .replace("{name}", self.name())
        )

    def name(self) -> str:
        """A name of bob's, or one that is guessed from it."""
        name = self.chance.choice(self.harbour.names)
        guess: Callable[[], str] = self.chance.choice((
            lambda: name[: max(4, len(name) // 2)], lambda: str(self.chance.randrange(200)), lambda: f"mem:{name[-8:]}",
            lambda: name.upper(), lambda: f"{name[:-1]}{self.chance.choice('0123456789abcdef')}", lambda: f"{name}%",
        ))  # fmt: skip
        return guess() if self.chance.random() < 0.2 else name

    def value(self, name: str, schema: Mapping[str, Any]) -> Any:
        """A value for a parameter of a route or tool: what leads to something of bob's where that is a text."""
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return self.value(name, next(one for one in schema[key] if one.get("type") != "null"))
        if "enum" in schema or "const" in schema:
            return self.chance.choice(schema.get("enum") or [schema["const"]])
        kind = schema.get("type", "string")
        if kind == "array":
            return [self.value(name, schema.get("items", {})) for _ in range(2)]
        if kind in ("integer", "number"):
            return self.chance.choice((1, 10, 500))
        if kind == "boolean":
            return name == "confirm" or self.chance.random() < 0.5
        if kind == "object":
            return {}
        if name in ("before", "as_of", "at"):
            return "2020-01-01"
        return self.words() if name in _WORDED else self.name()

    def values(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments for a tool, or the body of a request: what is required, and some of the rest."""
        required = schema.get("required", ())
        return {
            name: self.value(name, self.resolved(one))
            for name, one in schema.get("properties", {}).items()
            if name in required or self.chance.random() < 0.25
        }

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        found = schema.get("$ref", "").rpartition("/")[2]
        return self.harbour.described["components"]["schemas"][found] if found else schema

    def words(self) -> str:
        topic = self.chance.choice(TOPICS)
        return self.chance.choice(
            (f"code of bob {topic}", f"the {topic} code", "MARK", "bob", "Keep in mind", f"bob-{topic}", self.name())
        )

    def prefix(self) -> str:
        chosen = self.chance.choice(PROJECTS if self.chance.random() < 0.4 else PROJECTS[:2])
        return "" if self.chance.random() < 0.4 else f"/p/{self.filled(chosen)}"

    def draw(self) -> str:
        return self.chance.choice(
            ("read", "list", "cypher", "tool", "write", "socket", "path", "resource", "listed_tool", *["route"] * 4)
        )

    def answer(self) -> str:
        who = self.chance.choice((self.harbour.ada, self.harbour.cyd, self.harbour.eve))
        given: dict[str, Any] = {}
        if chosen := self.filled(self.chance.choice(VISIBILITIES)):
            given["visibility"] = chosen
        headers = (
            {"X-Graphmem-Project": self.filled(self.chance.choice(PROJECTS))} if self.chance.random() < 0.3 else {}
        )
        kind = self.draw()
        self.asked[kind] += 1
        return str(getattr(self, kind)(who, given, headers))

    def route(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        """Any route of the description of the server."""
        path, method = next(self.routes)
        self.asked[f"{method} {path}"] += 1
        described = self.harbour.described["paths"][path][method]
        address = f"{self.prefix()}{path.replace('{id}', self.name())}"
        if method == "get":
            for one in described.get("parameters", ()):
                if one["in"] == "query" and (one.get("required") or self.chance.random() < 0.25):
                    given.setdefault(one["name"], self.value(one["name"], one["schema"]))
            if path == "/api/cypher":
                given |= {"query": self.filled(self.chance.choice(QUERIES))}
            return who.get(address, params=given, headers=headers).text
        schema = self.resolved(described["requestBody"]["content"]["application/json"]["schema"])
        return who.request(method, address, json=self.values(schema) | given, headers=headers).text

    def listed_tool(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        """Any tool that the server lists over MCP."""
        tool = next(self.tools)
        self.asked[tool["name"]] += 1
        return call_tool(who, tool["name"], f"{self.prefix()}/mcp", **self.values(tool["inputSchema"]) | given)[0]

    def resource(self, who: httpx.Client, given: dict[str, Any], headers: dict[str, str]) -> str:
        """A resource over MCP."""
        uri = f"graphmem://{self.chance.choice(('stats', 'schema', 'tasks', *[f'item/{self.name()}'] * 5))}"
        return ask_mcp(who, "resources/read", f"{self.prefix()}/mcp", uri=uri).text

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
                since = {"since": 0} if self.chance.random() < 0.5 else {}
                socket.send(json.dumps({"subscribe": ["events", "stats", "outbox"], **since}))
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


def attack(harbour: Harbour, count: int, seed: int) -> Counter[str]:
    """Send requests and look for bob's texts in each answer; return what was asked. Requests contain no part of them that ends with
    a digit and the mark."""
    made = Attack(harbour, seed)
    for number in range(count):
        found = made.answer()
        assert not re.search(r"\dMARK", found), (number, found)
    return made.asked
