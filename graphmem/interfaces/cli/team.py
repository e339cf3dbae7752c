"""Commands of a client of a shared server: connect the store of this repository, send what it recorded, and ask the server."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from graphmem import settings
from graphmem.errors import GraphmemError, UsageError
from graphmem.interfaces import envelope
from graphmem.interfaces.cli.grouped import CommandLine
from graphmem.interfaces.team.connection import (
    Connection,
    remove_connection,
    require_connection,
    save_connection,
)
from graphmem.plurals import counted

_TOKEN = "GRAPHMEM_TEAM_TOKEN"
Where = Annotated[
    Path | None,
    typer.Option(
        "--store", help="store directory (default: the store of the current repository)", envvar="GRAPHMEM_STORE"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON envelope")]
Confirm = Annotated[bool, typer.Option("--confirm", help="required: this cannot be undone")]


@dataclass(frozen=True)
class _Client:
    """What these commands load: nothing of it is needed for the help."""

    ask: Callable[..., Any]
    push: Callable[[Path], Any]
    count_waiting: Callable[[Path], int]
    check_send: Callable[[str], str]
    locate: Callable[..., Any]
    stop_owner: Callable[[Path], bool]
    start_owner: Callable[[Path, str], None]


def _load() -> _Client:
    from graphmem.interfaces.team.client import ask
    from graphmem.interfaces.team.pushing import check_send, count_waiting, push
    from graphmem.store import adoption, location, start_owner

    return _Client(ask, push, count_waiting, check_send, location.locate, adoption.stop_owner, start_owner)


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the commands. `fail` prints an error and exits."""
    group = CommandLine(help="Share memories with a team: connect to a shared server, send, search, publish.")
    app.add_typer(group, name="team")

    @contextmanager
    def attempt(as_json: bool = False) -> Iterator[_Client]:
        try:
            yield _load()
        except typer.Exit:
            raise
        except (GraphmemError, OSError) as error:
            fail(error, as_json=as_json)

    _register_connection(group, attempt)
    _register_requests(group, attempt)


def _register_connection(app: typer.Typer, attempt: Callable[..., Any]) -> None:
    @app.command("connect", help="Connect the store of this repository to a project of a shared server.")
    def connect(
        url: Annotated[str, typer.Argument(help="address of the server")],
        project: Annotated[str | None, typer.Option(help="project there (default: the only one of your token)")] = None,
        send: Annotated[
            str, typer.Option(help="memories (explicit ones), or all: also the turns of conversations")
        ] = "memories",
        store: Where = None,
    ) -> None:
        with attempt() as client:
            _check_url(url)
            place = client.locate(store, settings.stores_home())
            asked = Connection(
                str(place.store.resolve()), url.rstrip("/"), "", "", _read_token(), client.check_send(send)
            )
            me = client.ask(asked, "GET", "/api/me")
            connection = replace(
                asked, account=me["account"], project=_project(project, me), visibility=me["visibility"]
            )
            place.store.mkdir(parents=True, exist_ok=True, mode=0o700)
            save_connection(connection)
            client.stop_owner(place.store)  # the next one sends
            client.start_owner(place.store, place.project)
            typer.echo(
                f"Connected to {connection.project} on {url} as {me['account']}: what is not tagged `team` is {me['visibility']}."
            )

    @app.command("status", help="Show the connection, and how much waits to be sent.")
    def status(store: Where = None, as_json: AsJson = False) -> None:
        with attempt(as_json) as client:
            connection = require_connection(_store(client, store))
            waiting = client.count_waiting(Path(connection.store))
            rows = {"url": connection.url, "project": connection.project, "account": connection.account, "send": connection.send,
                    "waiting": waiting, "error": connection.error}  # fmt: skip
            if as_json:
                typer.echo(envelope.success(rows, verb="team status"))
                return
            typer.echo(
                f"{connection.account} in {connection.project} on {connection.url}; {waiting:,} waiting to be sent"
            )
            if connection.error:
                typer.echo(f"last attempt: {connection.error}")

    @app.command("push", help="Send now what waits. An owner process sends by itself every few seconds.")
    def push(store: Where = None) -> None:
        with attempt() as client:
            done = client.push(_store(client, store))
            typer.echo(f"{done.sent:,} sent, {done.waiting:,} waiting{f': {done.error}' if done.error else ''}")
            if done.error:
                raise typer.Exit(1)

    @app.command("disconnect", help="End the connection of this store. Nothing is deleted, here or on the server.")
    def disconnect(store: Where = None) -> None:
        with attempt() as client:
            place = _store(client, store)
            typer.echo("Disconnected." if remove_connection(place) else "This store was not connected.")
            client.stop_owner(place)


def _register_requests(app: typer.Typer, attempt: Callable[..., Any]) -> None:
    @app.command("search", help="Search the team's memories and your private ones on the server.")
    def search(
        query: Annotated[str, typer.Argument(help="what to look for")],
        k: Annotated[int, typer.Option("--k", "-k", help="maximum number of hits")] = 10,
        store: Where = None,
        as_json: AsJson = False,
    ) -> None:
        with attempt(as_json) as client:
            connection = require_connection(_store(client, store))
            found = client.ask(connection, "GET", "/api/search", params={"query": query, "k": k})
            if as_json:
                typer.echo(envelope.success(found, verb="team search"))
                return
            for hit in found["hits"]:
                typer.echo(
                    f"{hit['citation']} {hit['visibility']} {hit['kind']} {hit['probability']:.2f} {hit['summary']}"
                )
            if not found["hits"]:
                typer.echo("No results.")

    @app.command("publish", help="Move one of your private memories on the server to the team.")
    def publish(id: Annotated[str, typer.Argument(help="id or citation")], store: Where = None) -> None:
        with attempt() as client:
            connection = require_connection(_store(client, store))
            done = client.ask(connection, "POST", "/api/publish", json={"id": id.strip("[]").removeprefix("mem:")})
            typer.echo(f"Published as {done['id']}.")

    @app.command(
        "forget", help="Forget a memory on the server: one of your own, or as an administrator any of the team."
    )
    def forget(
        id: Annotated[str, typer.Argument(help="id or citation")], confirm: Confirm = False, store: Where = None
    ) -> None:
        with attempt() as client:
            connection = require_connection(_store(client, store))
            done = client.ask(connection, "POST", "/api/forget", json={"id": id, "confirm": confirm})
            typer.echo(f"Forgotten: {counted(done['events'], 'event')}.")

    @app.command("forget-me", help="Erase all that you wrote to the project on the server, in both stores.")
    def forget_me(confirm: Confirm = False, store: Where = None) -> None:
        with attempt() as client:
            if not confirm:
                raise UsageError("forgetting cannot be undone: add --confirm")
            connection = require_connection(_store(client, store))
            done = client.ask(connection, "POST", "/api/forget-me", json={"confirm": True})
            typer.echo(f"Forgotten: {counted(done['events'], 'memory')} of the team, and all private ones.")


def _store(client: _Client, store: Path | None) -> Path:
    path: Path = client.locate(store, settings.stores_home()).store
    return path


def _project(chosen: str | None, me: dict[str, Any]) -> str:
    """Return the project to connect to. Raises UsageError."""
    known = list(me["rights"])
    if chosen is None and len(known) == 1:
        return str(known[0])
    if chosen is None or chosen not in known:
        raise UsageError(f"name a project of your token with --project: {', '.join(known) or 'it has none'}")
    return chosen


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise UsageError(f"`{url}` is not the address of a server, such as https://memory.example", url=url)


def _read_token() -> str:
    """Return the token from the environment, a pipe, or a hidden prompt: never from the command line, which others can see."""
    given = os.environ.get(_TOKEN) or (
        sys.stdin.readline() if not sys.stdin.isatty() else typer.prompt("Token", hide_input=True)
    )
    if not given.strip():
        raise UsageError(f"the token is empty: set {_TOKEN}, or type it when asked")
    return str(given).strip()
