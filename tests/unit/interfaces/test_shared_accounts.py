"""Accounts, limits and logins of the shared server, without the server itself."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from support import STOP_S, wait_until
from typer.testing import CliRunner

from graphmem.errors import AccessDenied, LimitReached, UsageError
from graphmem.interfaces.cli.main import build
from graphmem.interfaces.http.access import IDLE_S
from graphmem.interfaces.tenancy import stores
from graphmem.interfaces.tenancy.accounts import Accounts
from graphmem.interfaces.tenancy.facade import _extent
from graphmem.interfaces.tenancy.guard import SharedGuard
from graphmem.interfaces.tenancy.lanes import TenantLanes
from graphmem.interfaces.tenancy.limiting import Limiter
from graphmem.interfaces.tenancy.oidc import Provider
from graphmem.interfaces.tenancy.policy import METHODS, SERVICES
from graphmem.interfaces.tenancy.rights import Right
from graphmem.interfaces.tenancy.sessions import SharedAccess
from graphmem.interfaces.tenancy.slots import Slots
from graphmem.interfaces.tenancy.stores import Place, StorePool
from graphmem.interfaces.tenancy.tenant import Host, Tenant
from graphmem.memory import Memory
from graphmem.settings import Server

pytest.importorskip("limits", reason="needs the extra `server`")


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Accounts]:
    opened = Accounts(tmp_path, Clock())
    opened.add("ada")
    opened.grant("ada", "crane", Right.ADMIN)
    opened.grant("ada", "dock", Right.READ)
    yield opened
    opened.close()


def test_a_token_is_at_most_what_its_account_may(accounts: Accounts) -> None:
    value = accounts.create_token("ada", "laptop", right=Right.WRITE, projects=["crane", "quay"])
    caller = accounts.caller_with_token(value)
    assert caller is not None and caller.rights == {"crane": Right.WRITE}
    assert caller.right("dock") is None and caller.right("quay") is None
    accounts.grant("ada", "crane", Right.READ)
    caller = accounts.caller_with_token(value)
    assert caller is not None and caller.right("crane") is Right.READ
    with pytest.raises(AccessDenied, match="no access"):
        caller.require("dock", Right.READ)
    assert accounts.caller_with_token(value + "x") is None


def test_a_token_expires_and_its_logins_with_it(accounts: Accounts) -> None:
    clock = accounts._clock
    value = accounts.create_token("ada", "brief", right=Right.READ, days=1)
    access = SharedAccess(accounts)
    session = access.log_in(value, "host")
    assert session and access.knows_session(session, "host") and not access.knows_session(session, "other")
    clock.now += 86_399  # type: ignore[attr-defined]
    assert access.knows_session(session, "host")
    clock.now += 2  # type: ignore[attr-defined]
    assert accounts.caller_with_token(value) is None and not access.knows_session(session, "host")


def test_values_are_stored_nowhere_and_the_audit_log_is_only_appended_to(accounts: Accounts, tmp_path: Path) -> None:
    value = accounts.create_token("ada", "laptop", right=Right.READ)
    accounts.ledger.note("remember", account="ada", project="crane")
    assert all(value.encode() not in file.read_bytes() for file in tmp_path.iterdir())
    db = sqlite3.connect(tmp_path / "accounts.db")
    for statement in ("DELETE FROM audit", "UPDATE audit SET account = 'bob'"):
        with pytest.raises(sqlite3.IntegrityError, match="only appended"):
            db.execute(statement)
    db.close()
    assert (tmp_path / "accounts.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "a..b", "x" * 65, ".hidden", "a\0b", "*"])
def test_names_that_could_lead_elsewhere_are_refused(accounts: Accounts, name: str) -> None:
    with pytest.raises(UsageError):
        accounts.add(name)
    with pytest.raises(UsageError):
        Place(Path("/srv")).team(name)
    if name != "*":
        with pytest.raises(UsageError):
            accounts.grant("ada", name, Right.READ)


def test_limits_and_quotas(accounts: Accounts) -> None:
    caller = accounts.caller_named("ada")
    assert caller is not None
    limiter = Limiter(Server(requests_per_minute=3, writes_per_minute=0, quota_events=5), accounts.ledger)
    for _ in range(3):
        limiter.count_request(caller)
    with pytest.raises(LimitReached) as reached:
        limiter.count_request(caller)
    assert 1 <= reached.value.data["retry_after_s"] <= 60
    for _ in range(10):
        limiter.count_failed_login("10.0.0.1")
    limiter.check_logins("10.0.0.2")
    with pytest.raises(LimitReached):
        limiter.check_logins("10.0.0.1")


def test_a_quota_is_used_up_and_what_is_forgotten_is_given_back(accounts: Accounts) -> None:
    caller = accounts.caller_named("ada")
    assert caller is not None
    ledger = accounts.ledger
    limiter = Limiter(Server(writes_per_minute=0, quota_events=5, quota_mb=1), ledger)
    limiter.count_write(caller, "crane", 4, 100)
    with pytest.raises(LimitReached, match="quota of 5 events"):
        limiter.count_write(caller, "crane", 2, 100)
    with pytest.raises(LimitReached, match="quota of 1,048,576 bytes"):
        limiter.count_write(caller, "crane", 1, 1 << 20)
    assert ledger.usage(caller.id, "crane") == (4, 100)  # what was refused counts nothing
    limiter.count_write(caller, "dock", 5, 100)
    limiter.count_write(caller, "dock", 0, 0)  # such as forgetting
    ledger.give_back(caller.id, "crane", 3)
    assert ledger.usage(caller.id, "crane") == (1, 25)
    limiter.count_write(caller, "crane", 4, 100)
    ledger.give_back(caller.id, "crane", 50)
    assert ledger.usage(caller.id, "crane") == (0, 0)


def test_a_quota_counts_all_texts_of_a_call() -> None:
    named = {"tags": ["x" * 500, "é"], "metadata": {"note": ["z" * 20]}, "at": None, "k": 3}
    assert _extent("remember", ("kept",), named) == (1, 4 + 502 + 20)
    assert _extent("observe_many", ([{"content": "four", "ref": "r" * 10}],), {}) == (1, 14)
    assert _extent("forget", ("kept",), {}) == (0, 0)


def test_what_a_quota_refuses_does_not_use_up_the_rate(accounts: Accounts) -> None:
    caller = accounts.caller_named("ada")
    assert caller is not None
    limiter = Limiter(Server(writes_per_minute=2, requests_per_minute=2, quota_events=1), accounts.ledger)
    limiter.count_write(caller, "crane", 1, 10)
    for _ in range(5):
        with pytest.raises(LimitReached, match="quota of 1 events"):
            limiter.count_write(caller, "crane", 1, 10)
    accounts.ledger.give_back(caller.id, "crane", 1)
    limiter.count_write(caller, "crane", 1, 10)
    with pytest.raises(LimitReached, match="more than 2 writing calls"):
        limiter.count_write(caller, "crane", 1, 10)
    limiter.count_write(caller, "crane", 0, 0)  # forgetting has a rate of its own


def test_refused_requests_are_in_the_audit_log_once_a_minute_and_forgetting_goes_on(
    accounts: Accounts, tmp_path: Path
) -> None:
    settings = Server(requests_per_minute=3)
    host = Host(Place(tmp_path), accounts, StorePool(2), Limiter(settings, accounts.ledger), settings, Slots(1))
    token = accounts.create_token("ada", "laptop", right=Right.READ)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    guard = SharedGuard(app, SharedAccess(accounts), host, {"host"}, "cookie", ("http",), None)

    def ask(path: str, accept: str = "application/json") -> int:
        headers = {"host": "host", "authorization": f"Bearer {token}", "accept": accept}
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "client": ("10.0.0.1", 1),
                 "headers": [(name.encode(), value.encode()) for name, value in headers.items()]}  # fmt: skip
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.request"}

        asyncio.run(guard(scope, receive, send))
        return int(sent[0]["status"])

    assert [ask("/p/quay/tasks", "text/html") for _ in range(2)] == [403, 403]  # a page
    assert [ask("/p/crane/api/stats") for _ in range(4)] == [200, 429, 429, 429]
    assert ask("/p/crane/api/forget") == 200
    told = [entry[2:10] for entry in accounts.ledger.audit(account="ada")]
    assert told == [
        ("ada", "laptop", "10.0.0.1", "crane", "", "request", "refused", "requests in a minute"),
        ("ada", "laptop", "10.0.0.1", "quay", "", "request", "refused", ""),
    ]
    accounts._clock.now += 61  # type: ignore[attr-defined]
    assert ask("/p/crane/api/stats") == 429 and len(accounts.ledger.audit(account="ada")) == 3


def test_what_a_grant_does_not_lift_is_named_and_the_host_is_who_did_it(accounts: Accounts, tmp_path: Path) -> None:
    for name, right, projects in (
        ("reader", Right.READ, None),
        ("dock", Right.ADMIN, ["dock"]),
        ("all", Right.ADMIN, None),
    ):
        accounts.create_token("ada", name, right=right, projects=projects)
    accounts.create_token("ada", "gone", right=Right.READ)
    accounts.revoke("ada", "gone")
    run = partial(CliRunner().invoke, build(), env={"GRAPHMEM_SHARED": str(tmp_path), "USER": "root"})
    granted = run(["users", "grant", "ada", "write", "--project", "crane"])
    assert granted.exit_code == 0, granted.output
    told = granted.stderr.splitlines()
    assert [line.split(": a token")[0] for line in told] == [
        "The token reader of ada may only read",
        "The token dock of ada may not reach crane",
    ]
    assert run(["users", "forget", "ada", "--project", "crane", "--confirm"]).exit_code == 0
    rows = json.loads(run(["users", "audit", "ada", "--json"]).stdout)  # also what the host did to this account
    assert [(row["account"], row["action"], row["detail"]) for row in rows] == [
        ("host:root", "forget_account", "ada"),
        ("host:root", "grant", "ada write crane"),
    ]


def test_a_mistyped_folder_does_not_become_another_server(tmp_path: Path) -> None:
    wrong = tmp_path / "graphmen"
    for words in (
        ["serve", "--shared", str(wrong), "--port", "0"],
        ["users", "list", "--home", str(wrong)],
        ["users", "audit", "--home", str(wrong)],
        ["users", "stores", "--home", str(wrong)],
        ["users", "setting", "server.quota_mb", "5", "--home", str(wrong)],
        ["users", "token", "ada", "laptop", "--home", str(wrong)],
        ["users", "add", "ada", "--home", str(wrong)],  # no project is named
    ):
        done = CliRunner().invoke(build(), words)
        assert done.exit_code == 2 and f"there is no shared server in {wrong}" in done.stderr, done.output
        assert not wrong.exists()


def test_a_connection_to_a_dead_address_promises_nothing(tmp_path: Path) -> None:
    words = ["team", "connect", "http://127.0.0.1:1", "--store", str(tmp_path / "store")]
    done = CliRunner().invoke(build(), words, env={"GRAPHMEM_TEAM_TOKEN": "graphmem_x", "GRAPHMEM_HOME": str(tmp_path)})
    assert done.exit_code == 1 and "does not answer; this store is not connected" in done.stderr, done.output
    assert not list(tmp_path.iterdir())


def test_addresses_that_failed_to_log_in_are_not_kept_for_ever(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    limiter, now = Limiter(Server(), accounts.ledger), time.time()
    for number in range(200):
        limiter.count_failed_login(f"10.0.0.{number}")
    monkeypatch.setattr(time, "time", lambda: now + 61)
    limiter.count_failed_login("10.0.1.1")  # the library looks for what ended soon after a request

    def only_the_last_is_kept() -> bool:
        limiter.drop_unused()
        return len(limiter._storage.events) == 1

    wait_until(only_the_last_is_kept)


def test_a_request_is_checked_while_something_is_written(accounts: Accounts) -> None:
    """Writing waits for the disk, and requests are checked in the event loop."""
    token = accounts.create_token("ada", "laptop", right=Right.READ)
    assert accounts.caller_with_token(token) is not None  # its first use is noted
    found = []
    with accounts._file.writing() as db:
        db.execute("UPDATE tokens SET revoked = 1")
        asking = threading.Thread(target=lambda: found.append(accounts.caller_with_token(token)))
        asking.start()
        asking.join(STOP_S)
        assert len(found) == 1 and found[0] is not None
    assert accounts.caller_with_token(token) is None


@pytest.mark.parametrize("most", (0, 2))
def test_an_account_that_asks_for_too_much_at_once_does_not_keep_others_waiting(
    accounts: Accounts, tmp_path: Path, most: int
) -> None:
    """More of its calls than the server has threads never end meanwhile. Without a limit, the other account waits."""
    settings = Server(concurrent_requests=most)
    slots = Slots(most)
    pool = StorePool(2)
    host = Host(Place(tmp_path), accounts, pool, Limiter(settings, accounts.ledger), settings, slots)
    accounts.add("bob")
    accounts.grant("bob", "crane", Right.WRITE)
    lanes = {}
    for name in ("ada", "bob"):
        caller = accounts.caller_named(name)
        assert caller is not None
        lanes[name] = TenantLanes(partial(Tenant, host, caller, "crane"))
    ended, pages = threading.Event(), lanes["ada"].bound()

    async def ask() -> tuple[bool, list[Any]]:
        calls = [asyncio.ensure_future(lanes["ada"].run(lambda memory: ended.wait(STOP_S))) for _ in range(60)]
        other = asyncio.ensure_future(lanes["bob"].run(lambda memory: memory.project))
        await asyncio.wait([other], timeout=STOP_S if most else 0.2)
        was_answered = other.done() and other.result() == "crane"
        if most:  # what its pages ask is counted apart, and not refused
            assert await asyncio.wait_for(pages.run(lambda memory: memory.project), STOP_S) == "crane"
        ended.set()
        await other
        return was_answered, await asyncio.gather(*calls, return_exceptions=True)

    was_answered, results = asyncio.run(ask())
    assert was_answered is bool(most)
    refused = [result for result in results if isinstance(result, LimitReached)]
    assert len(refused) == (60 - 18 if most else 0)  # two run, sixteen wait, and the rest is told so at once
    assert all(result is True for result in results if result not in refused) and not len(slots)
    pool.close()


def test_sessions_that_ended_are_dropped(accounts: Accounts) -> None:
    clock = Clock()
    access = SharedAccess(accounts, clock=clock)
    caller = accounts.caller_named("ada")
    assert caller is not None
    access.begin(caller, "host")
    clock.now += IDLE_S - 1
    kept = access.begin(caller, "host")
    clock.now += 2
    access.drop_ended()
    assert list(access._logins) == [kept]


def test_open_stores_are_bounded_and_closed_when_nobody_uses_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = StorePool(2)
    try:
        for name in ("one", "two", "three"):
            with pool.lease(tmp_path / name, name) as executor, executor.borrow("quick") as memory:
                memory.remember(f"This is store {name}.")
        assert {path.name for path in pool.paths} == {"two", "three"}
        with pool.lease(tmp_path / "one", "one") as executor, executor.borrow("quick") as memory:
            assert memory.head == 1
        pool.close_unneeded()
        assert len(pool.paths) == 2
        monkeypatch.setattr(stores, "_IDLE_S", 0.0)
        pool.close_unneeded()
        assert not pool.paths and not any((tmp_path / name / "owner.json").exists() for name in ("one", "two", "three"))
    finally:
        pool.close()


def test_every_method_of_a_memory_is_listed_or_refused() -> None:
    """A new method is not offered before somebody decided who may call it."""
    own = {"code", "tasks", "tree", "endless", "project", "location", "head", "allowed", "meant", "used",
           "damage_warning", "follow_moved_log"}  # fmt: skip
    refused = {"open", "close", "init", "ingest", "capture", "index_code", "watch", "export", "merge", "move", "schedule", "configure",
               "bug_report"}  # fmt: skip
    assert {name for name in dir(Memory) if not name.startswith("_")} == own | refused | METHODS.keys()
    assert not (refused & METHODS.keys())
    assert SERVICES["tasks"].keys().isdisjoint({"load", "absorb", "sync", "settle"})


class Identity:
    """A small OpenID Connect provider on loopback: real keys, codes for one person, and PKCE."""

    def __init__(self) -> None:
        from joserfc.jwk import RSAKey

        self.key = RSAKey.generate_key(2048, parameters={"kid": "first", "alg": "RS256", "use": "sig"})
        self.codes: dict[str, dict[str, str]] = {}
        self.claims: dict[str, Any] = {"email": "ada@example.org", "email_verified": True}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.reply(provider.found(self.path))

            def do_POST(self) -> None:
                given = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.reply(provider.exchanged({name: values[0] for name, values in given.items()}))

            def reply(self, body: Any) -> None:
                data = json.dumps(body).encode()
                self.send_response(400 if "error" in body else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *words: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def found(self, path: str) -> Any:
        if path == "/keys":
            return {"keys": [self.key.as_dict(private=False)]}
        return {"issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys"}  # fmt: skip

    def approve(self, address: str) -> str:
        """What the provider sends the browser back with."""
        given = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        self.codes["code"] = given
        return f"code=code&state={given['state']}"

    def exchanged(self, given: dict[str, str]) -> Any:
        import base64
        import hashlib

        begun = self.codes.pop(given.get("code", ""), None)
        digest = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        if begun is None or base64.urlsafe_b64encode(digest).decode().rstrip("=") != begun["code_challenge"]:
            return {"error": "invalid_grant"}
        return {"access_token": "x", "token_type": "Bearer", "id_token": self.signed(nonce=begun["nonce"])}

    def signed(self, key: Any = None, **more: Any) -> str:
        from joserfc import jwt

        claims = {"iss": self.url, "aud": "graphmem", "sub": "1", "exp": int(time.time()) + 300, **self.claims, **more}
        return str(jwt.encode({"alg": "RS256", "kid": "first"}, claims, key or self.key))


def test_a_login_with_an_identity_provider(accounts: Accounts) -> None:
    pytest.importorskip("authlib", reason="needs the extra `server`")
    jwk = pytest.importorskip("joserfc.jwk")
    identity = Identity()
    settings = Server(oidc_issuer=identity.url, oidc_client="graphmem")
    provider = Provider(settings, "http://127.0.0.1:1/login/oidc/callback")
    accounts.link("ada", "ada@example.org")
    access = SharedAccess(accounts, provider)

    def log_in() -> str:
        address = provider.start()
        return provider.finish(identity.approve(address), provider.state_of(address))

    assert log_in() == "ada@example.org"
    address = provider.start()
    with pytest.raises(AccessDenied):  # another browser's login
        provider.finish(identity.approve(address), "other")
    with pytest.raises(AccessDenied):
        provider.finish("code=code&state=none", "none")
    caller = access.caller_of(identity.signed())
    assert caller is not None and caller.account == "ada" and caller.expires is not None
    stranger = jwk.RSAKey.generate_key(2048, parameters={"kid": "first"})
    for token in (
        identity.signed(key=stranger), identity.signed(aud="other"), identity.signed(iss="https://elsewhere.example"),
        identity.signed(exp=int(time.time()) - 600), identity.signed(email="eve@example.org"), "a.b.c", "..",
    ):  # fmt: skip
        assert access.caller_of(token) is None
    identity.claims["email_verified"] = False
    assert log_in() == "" and access.caller_of(identity.signed()) is None
    identity.server.shutdown()
    with pytest.raises(UsageError, match="https"):
        Provider(replace(settings, oidc_issuer="http://identity.example"), "x")
