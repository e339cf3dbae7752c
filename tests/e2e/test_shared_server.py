"""The shared server: what each account may reach, by every path, and that what ends, ends at once."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from foreign_requests import TOPICS, Attack, Harbour, attack
from shared_server import SharedServer, ask_mcp, call_tool
from support import STOP_S, wait_until
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from graphmem import Memory
from graphmem.interfaces.team import pushing
from graphmem.interfaces.team.connection import Connection, require_connection, save_connection
from graphmem.interfaces.team.pushing import Pushed, push

pytest.importorskip("limits", reason="needs the extra `server`")


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harbour]:
    server = SharedServer(
        tmp_path_factory.mktemp("shared"), requests_per_minute="0", writes_per_minute="0", logins_per_minute="1000"
    )
    try:
        yield Harbour(server)
    finally:
        server.stop()


def test_nobody_reads_or_changes_what_another_account_keeps_private(harbour: Harbour) -> None:
    attack(harbour, 60, seed=1)
    intact(harbour)


@pytest.mark.deep
def test_two_thousand_requests_for_private_memories_of_others_get_none(harbour: Harbour) -> None:
    with ThreadPoolExecutor(4) as pool:
        asked = sum(pool.map(lambda seed: attack(harbour, 500, seed), range(2, 6)), Counter[str]())
    intact(harbour)
    assert all(asked[f"{method} {path}"] for path, method in harbour.routes), asked  # by every path
    assert all(asked[tool["name"]] for tool in harbour.tools), asked


def test_a_websocket_to_a_project_of_others_is_refused_without_an_error_of_the_server(harbour: Harbour) -> None:
    for project in ("dock", "nothing", "crane/private"):
        address = f"{harbour.server.url.replace('http', 'ws')}/p/{project}/ws"
        with (
            pytest.raises(InvalidStatus),
            connect(
                address, additional_headers={"Authorization": harbour.cyd.headers["Authorization"]}, open_timeout=STOP_S
            ),
        ):
            pass
    assert "Traceback" not in harbour.server.log.read_text()


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


def test_the_same_requests_by_their_owner_are_answered(harbour: Harbour) -> None:
    """Otherwise the test before would pass on a server that answers nobody."""
    made = Attack(harbour, seed=1)
    made.prefix = lambda: ""  # type: ignore[method-assign]
    drawn = ("read", "list", "cypher") * 10
    answered = sum("MARK" in getattr(made, draw)(harbour.bob, {"visibility": "private"}, {}) for draw in drawn)
    assert answered >= 10
    for tool, given in (
        ("cypher", {"query": "MATCH (n:Fact) RETURN n.content"}),
        ("search", {"query": "code of bob"}),
        ("details", {"ids": [harbour.names[0]]}),
    ):
        assert "MARK" in call_tool(harbour.bob, tool, visibility="private", **given)[0]
    exported = harbour.bob.get("/api/export").text
    assert exported.count("MARK") >= 2 * len(TOPICS)


def test_rights_are_kept(harbour: Harbour) -> None:
    """Who may read may not write; who may write forgets only the own; only an administrator sees the audit log."""
    said = {"content": "The dock opens at six.", "visibility": "team"}
    assert harbour.cyd.post("/api/remember", json=said).json()["error"]["code"] == "AccessDenied"
    text, failed = call_tool(harbour.cyd, "remember", content="The dock opens at six.")
    assert failed and "needs the right to write" in text
    id = harbour.ada.post("/p/crane/api/remember", json=said).json()["data"]["id"]
    event = harbour.cyd.get(f"/api/events/{id}").json()["data"]
    assert event["actor"] == "agent's program ada"
    wanted = {"id": id, "confirm": True}
    answer = harbour.bob.post("/api/forget", json=wanted)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "AccessDenied")
    assert (
        harbour.bob.get("/api/audit").status_code == 403
        and harbour.eve.get("/p/crane/api/search?query=x").status_code == 403
    )
    own = harbour.bob.post("/api/remember", json={"content": "The dock closes at nine.", "visibility": "team"}).json()[
        "data"
    ]["id"]
    assert harbour.bob.post("/api/forget", json={"id": own, "confirm": True}).status_code == 200
    assert harbour.ada.post("/p/crane/api/forget", json=wanted).status_code == 200
    rows = harbour.ada.get("/p/crane/api/audit").json()["data"]
    told = {(row["account"], row["action"], row["outcome"]) for row in rows}
    assert {("cyd", "remember", "refused"), ("bob", "forget", "done"), ("ada", "forget", "done")} <= told
    for name in ("init", "ingest", "capture", "merge", "move"):
        assert harbour.ada.post(f"/p/crane/api/{name}", json={}).status_code == 404
    assert harbour.ada.patch("/p/crane/api/config", json={"changes": {"model.url": "http://x"}}).status_code == 403


def test_what_is_of_the_host_is_not_told_and_what_it_opens_is_closed(harbour: Harbour) -> None:
    for client, store in ((harbour.bob, "private"), (harbour.ada, "team")):
        told = client.get("/p/crane/api/config", params={"visibility": store})
        keys = {entry["key"] for entry in told.json()["data"]}
        assert "graph.engine" in keys and not keys & {"log.url", "server.log_url", "graph.url", "model.url"}
    for _ in range(3):
        assert harbour.bob.get("/api/export").status_code == 200
    wait_until(lambda: not [name for name in opened_files(harbour.server.process.pid) if "graphmem-export-" in name])
    deep = harbour.bob.post("/api/remember", content="[" * 100_000, headers={"Content-Type": "application/json"})
    assert 400 <= deep.status_code < 500


def opened_files(pid: int) -> list[str]:
    """Return the names of the files that a process has open (none outside of Linux)."""
    names = []
    for file in Path(f"/proc/{pid}/fd").glob("*"):
        with suppress(FileNotFoundError):  # closed since it was listed
            names.append(str(file.readlink()))
    return names


def test_a_search_merges_both_stores_and_publishing_moves_a_memory(harbour: Harbour) -> None:
    ids = [
        harbour.bob.post("/api/remember", json={"content": f"The lantern burns {oil}.", "visibility": store}).json()[
            "data"
        ]["id"]
        for oil, store in (("whale oil", "private"), ("paraffin", "team"))
    ]
    hits = harbour.bob.get("/api/search", params={"query": "what does the lantern burn"}).json()["data"]["hits"]
    assert {hit["visibility"] for hit in hits[:2]} == {"private", "team"}
    seen = harbour.cyd.get("/api/search", params={"query": "lantern burns"}).json()["data"]["hits"]
    assert "paraffin" in seen[0]["content"] and not any("whale" in hit["content"] for hit in seen)
    assert harbour.cyd.post("/api/publish", json={"id": ids[0]}).status_code == 403
    assert harbour.bob.post("/api/publish", json={"id": ids[0]}).status_code == 200
    seen = harbour.cyd.get("/api/search", params={"query": "lantern whale oil"}).json()["data"]["hits"]
    assert any("whale oil" in hit["content"] for hit in seen)
    own = harbour.bob.get("/api/search", params={"query": "lantern whale oil"}).json()["data"]["hits"]
    assert [hit["visibility"] for hit in own if "whale" in hit["content"]] == ["team"]


def test_mcp_lists_tools_and_remembers_for_its_account(harbour: Harbour) -> None:
    listed = ask_mcp(harbour.bob, "tools/list").json()
    remember = next(tool for tool in listed["result"]["tools"] if tool["name"] == "remember")
    assert remember["inputSchema"]["properties"]["visibility"]["enum"] == ["private", "team"]
    text, failed = call_tool(harbour.bob, "remember", content="The pump needs a new gasket.", visibility="team")
    assert not failed and text.startswith("Saved as")
    text, failed = call_tool(harbour.cyd, "search", query="pump gasket")
    assert not failed and "new gasket" in text
    rows = harbour.cyd.get("/api/events", params={"limit": 20, "type": "memory_remembered"}).json()["data"]
    assert [row["actor"] for row in rows if "gasket" in row["text"]] == ["agent bob"]


def test_a_revoked_token_ends_everywhere_at_once(harbour: Harbour) -> None:
    server = harbour.server
    server.tokens["brief"] = server.run("users", "token", "bob", "brief")
    client = server.client("brief")
    page = client.post("/login", data={"key": server.tokens["brief"]}, headers={"Origin": server.url})
    cookie = {"Cookie": page.headers["set-cookie"].split(";")[0], "Sec-Fetch-Site": "same-origin", "Origin": server.url}
    address = server.url.replace("http", "ws") + "/ws"
    token = {"Authorization": client.headers["Authorization"]}
    with ExitStack() as stack:
        sockets = [
            stack.enter_context(connect(address, additional_headers=one, open_timeout=STOP_S))
            for one in (token, cookie)
        ]
        for socket in sockets:
            socket.send(json.dumps({"subscribe": ["events"]}))
            assert "subscribed" in str(socket.recv(STOP_S))
        ended_at_once(harbour, client, cookie, sockets)
    with pytest.raises(InvalidStatus), connect(address, additional_headers=cookie, open_timeout=STOP_S):
        pass


def ended_at_once(harbour: Harbour, client: httpx.Client, cookie: dict[str, str], sockets: list[Any]) -> None:
    """Revoke the token of a client whose connections are open."""
    server = harbour.server
    assert httpx.get(f"{server.url}/api/stats", headers=cookie, timeout=STOP_S).status_code == 200
    assert client.get("/api/me").status_code == 200 and not call_tool(client, "search", query="crane")[1]
    server.run("users", "revoke", "bob", "brief")
    assert client.get("/api/search?query=crane").status_code == 401
    assert httpx.get(f"{server.url}/api/stats", headers=cookie, timeout=STOP_S).status_code == 401
    assert call_tool(client, "search", query="crane")[1]
    for socket in sockets:
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                socket.recv(STOP_S)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008


def test_what_was_granted_ends_at_once_too(harbour: Harbour) -> None:
    server = harbour.server
    server.add("fay", "crane", "dock")
    fay = server.client("fay")
    assert fay.get("/p/dock/api/stats").status_code == fay.get("/p/crane/api/stats").status_code == 200
    server.run("users", "withdraw", "fay", "--project", "dock")
    assert fay.get("/p/dock/api/stats").status_code == 403 and fay.get("/p/crane/api/stats").status_code == 200
    server.run("users", "disable", "fay")
    assert fay.get("/p/crane/api/stats").status_code == 401
    server.run("users", "enable", "fay")
    assert fay.get("/p/crane/api/stats").status_code == 200
    server.run("users", "remove", "fay", "--confirm")
    assert fay.get("/p/crane/api/stats").status_code == 401
    assert "is taken" in server.run("users", "add", "fay", "--project", "crane", status=2)


def test_forgetting_oneself_erases_what_one_wrote_and_nothing_else(harbour: Harbour) -> None:
    server = harbour.server
    server.add("gil", "crane")
    gil = server.client("gil")
    for store in ("private", "team"):
        assert (
            gil.post("/api/remember", json={"content": f"Gil likes XYPLUGH{store}.", "visibility": store}).status_code
            == 200
        )
        assert (
            gil.post("/api/observe", json={"content": f"I am Gil XYPLUGH{store}.", "visibility": store}).status_code
            == 200
        )
    assert gil.post("/api/tasks/create", json={"title": "Paint the XYPLUGH mast"}).status_code == 200
    kept = harbour.ada.post(
        "/p/crane/api/remember", json={"content": "Gil wrote nothing of this.", "visibility": "team"}
    ).json()["data"]["id"]
    assert gil.post("/api/forget-me", json={}).status_code == 422
    done = gil.post("/api/forget-me", json={"confirm": True})
    assert done.status_code == 200 and done.json()["data"]["events"] == 3, done.text
    assert "XYPLUGH" not in harbour.ada.get("/p/crane/api/export?visibility=team").text
    assert "XYPLUGH" not in gil.get("/api/search?query=XYPLUGH").json()["data"].__str__().replace("query", "")
    assert harbour.ada.get(f"/p/crane/api/events/{kept}").status_code == 200
    for file in server.home.glob("projects/crane/**/*"):
        assert not file.is_file() or b"XYPLUGH" not in file.read_bytes(), file


def test_a_browser_logs_in_chooses_its_project_and_sees_its_pages(harbour: Harbour) -> None:
    server = harbour.server
    page = httpx.post(
        f"{server.url}/login", data={"key": server.tokens["ada"]}, headers={"Origin": server.url}, timeout=STOP_S
    )
    headers = {
        "Cookie": page.headers["set-cookie"].split(";")[0],
        "Sec-Fetch-Site": "same-origin",
        "Origin": server.url,
    }
    browser = httpx.Client(base_url=server.url, headers=headers, timeout=STOP_S)
    assert page.status_code == 303 and "HttpOnly" in page.headers["set-cookie"]
    assert "crane" in browser.get("/projects").text and browser.get("/api/me").json()["data"]["project"] == "crane"
    assert browser.post("/projects", data={"project": "dock", "visibility": "team"}).status_code == 303
    assert browser.get("/api/me").json()["data"]["project"] == "dock"
    assert browser.post("/projects", data={"project": "quay", "visibility": "team"}).status_code == 403
    assert "dock" in browser.get("/", headers={"Accept": "text/html"}).text
    id = browser.post("/api/remember", json={"content": "The dock has two cranes."}).json()["data"]["id"]
    assert browser.get(f"/api/events/{id}").json()["data"]["actor"] == "user ada"


@pytest.mark.deep
def test_a_server_that_is_killed_while_clients_write_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients record into their own stores and send; what the server acknowledged is there once, and the rest follows."""
    server = SharedServer(tmp_path, requests_per_minute="0", writes_per_minute="0")
    names = ("ada", "bob")
    for name in names:
        server.add(name, "crane")
    server.start()
    monkeypatch.setenv("GRAPHMEM_HOME", server.environment["GRAPHMEM_HOME"])
    monkeypatch.setattr(pushing, "_BATCH", 4)
    stores = {name: tmp_path / name for name in names}
    for name, store in stores.items():
        with Memory.open(store, project="crane") as mem:
            for number in range(60):
                mem.remember(
                    f"{name} notes the number {number:04}.", tags=["team"] if number % 2 else [], ref=f"{name}-{number}"
                )
        save_connection(Connection(str(store.resolve()), server.url, "crane", name, server.tokens[name]))
    errors: list[str] = []
    ask, answered, may_end = pushing.ask, Counter[str](), threading.Event()

    def ask_in_parts(connection: Connection, *words: Any, **given: Any) -> Any:
        """Send no last quarter before the last kill, however slow the test is: that kill meets clients that still send."""
        if answered[connection.store] >= 12 and not may_end.wait(STOP_S):
            raise AssertionError("nobody killed the server")
        answer = ask(connection, *words, **given)
        answered[connection.store] += 1
        return answer

    monkeypatch.setattr(pushing, "ask", ask_in_parts)

    def send(store: Path) -> None:
        while (done := push(store)).waiting:
            errors.append(done.error)
            time.sleep(0.1)

    with ThreadPoolExecutor(len(names)) as pool:
        sent = [pool.submit(send, store) for store in stores.values()]
        for least in (8, 32):
            wait_until(lambda least=least: require_connection(stores["bob"]).position >= least)  # type: ignore[misc]
            server.kill()
            if least == 32:
                may_end.set()
                wait_until(lambda: any("does not answer" in error for error in errors))
            server.start()
        for each in sent:
            each.result(STOP_S)
    assert any("does not answer" in error for error in errors)
    try:
        for name in names:
            client = server.client(name)
            query = {"limit": 1_000, "type": "memory_remembered"}
            told = {
                store: [
                    row["text"]
                    for row in client.get("/api/events", params={**query, "visibility": store}).json()["data"]
                ]
                for store in ("private", "team")
            }
            for number in range(60):
                text = f"{name} notes the number {number:04}."
                assert (told["private"].count(text), told["team"].count(text)) == (1 - number % 2, number % 2), text
            assert push(stores[name]).sent == 0
    finally:
        server.stop()
    server_away = push_after(stores["ada"])
    assert server_away.sent == 0 and server_away.waiting == 1 and "does not answer" in server_away.error


def push_after(store: Path) -> Pushed:
    """Record one more memory while the server is away, and try to send it."""
    with Memory.open(store, project="crane") as mem:
        mem.remember("The server is away.")
    return push(store)


def test_quotas_and_requests_at_a_time_are_limited_for_each_account(tmp_path: Path) -> None:
    server = SharedServer(tmp_path, quota_events="2", concurrent_requests="1")
    for name in ("ada", "bob"):
        server.add(name, "crane")
    server.start()
    try:
        ada, bob = server.client("ada"), server.client("bob")
        said = [{"content": f"The winch of ada has {number} gears."} for number in range(3)]
        ids = [ada.post("/api/remember", json=one).json()["data"]["id"] for one in said[:2]]
        refused = ada.post("/api/remember", json=said[2])
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "LimitReached")
        assert "retry-after" not in refused.headers  # waiting does not help
        text, failed = call_tool(ada, "remember", content="The winch turns.")
        assert failed and "quota of 2 events" in text
        batch = {"items": [{"key": "some-key-0", "type": "memory", "content": "The winch turns."}]}
        assert ada.post("/api/push", json=batch).status_code == 429
        assert ada.get("/api/me").json()["data"]["written"]["events"] == 2
        assert ada.post("/api/forget", json={"id": ids[0], "confirm": True}).status_code == 200
        assert ada.post("/api/remember", json=said[2]).status_code == 200
        assert bob.post("/api/remember", json=said[0]).status_code == 200
        with ThreadPoolExecutor(60) as pool:
            many = [pool.submit(ada.get, "/api/search", params={"query": f"gears {number}"}) for number in range(60)]
            assert bob.get("/api/search", params={"query": "winch"}).status_code == 200
            answers = [each.result() for each in many]
        assert {answer.status_code for answer in answers} == {200, 429}
        assert all(answer.headers["retry-after"] == "2" for answer in answers if answer.status_code == 429)
    finally:
        server.stop()


def test_turns_that_are_sent_again_are_there_once(harbour: Harbour) -> None:
    turns = [
        {"key": f"some-turn-{number}", "type": "turn", "content": f"The tide is {number} feet high.", "session": "tides",
         "at": "2026-11-20T12:00:00+09:00", "visibility": ("team", "private")[number // 3]}
        for number in range(6)
    ]  # fmt: skip
    memory = {
        "key": "some-memory",
        "type": "memory",
        "content": "The tide is measured at the pier.",
        "visibility": "team",
    }
    sent = [*turns[:2], memory, *turns[2:]]
    first, again = (harbour.bob.post("/api/push", json={"items": sent}) for _ in range(2))
    assert first.status_code == 200 and first.json() == again.json()
    for store, numbers in (("team", range(3)), ("private", range(3, 6))):
        rows = harbour.bob.get("/api/events", params={"sessionId": "tides", "visibility": store}).json()["data"]
        assert sorted(row["text"] for row in rows) == [turns[number]["content"] for number in numbers]
        assert all(row["actor"].split()[-1] == "bob" and row["at"].startswith("2026-11-20T03:00") for row in rows), rows
    refused = harbour.bob.post(
        "/api/push", json={"items": [turns[0], {**memory, "kind": "turn", "key": "another-key"}]}
    )
    assert refused.status_code == 400
