"""Commands for the HTTP server, the viewer and access tokens. Dependencies are imported when a command runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem import settings
from graphmem.interfaces.cli.grouped import CommandLine
from graphmem.ports.callers import refuse_agents

if TYPE_CHECKING:
    from graphmem.interfaces.http.tokens import Tokens

_STORE = typer.Option(help="store directory (default: the store of the current repository)", envvar="GRAPHMEM_STORE")
_PORT = typer.Option(help="port; 0 selects a free one", envvar="GRAPHMEM_PORT", min=0, max=65_535)

_NAME = Annotated[str, typer.Argument(help="token name")]


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the commands. `fail` prints an error and exits."""

    @app.command("serve", help="Run the viewer and the HTTP API on this machine.")
    def serve(
        store: Annotated[Path | None, _STORE] = None,
        project: Annotated[
            str | None, typer.Option(help="project name (default: that of the store, or of the current repository)")
        ] = None,
        port: Annotated[int, _PORT] = 37_777,
        host: Annotated[
            str, typer.Option(help="address to listen on; other than loopback, other machines can connect")
        ] = "127.0.0.1",
        show: Annotated[bool, typer.Option("--open", help="open a browser")] = False,
        also: Annotated[
            list[Path] | None, typer.Option(help="another store, to switch to at the top of the viewer; repeatable")
        ] = None,
        shared: Annotated[
            Path | None,
            typer.Option(help="folder of a shared server: serve its projects to the accounts of `graphmem users`"),
        ] = None,
        create: Annotated[
            bool, typer.Option("--create", help="create the folder of --shared if no server is there yet")
        ] = False,
    ) -> None:
        try:
            if shared is not None:
                _serve_shared(shared, host, 8_470 if port == 37_777 else port, create)
                return
            from graphmem.interfaces.server import serve as run

            run(store, project, host=host, port=port, show=show, others=also or ())
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (no traceback reaches a user)
            fail(error, as_json=False)

    tokens = CommandLine(help="Manage access tokens for the API of `graphmem serve`.")
    app.add_typer(tokens, name="token")
    _register_tokens(tokens, fail)


def _serve_shared(home: Path, host: str, port: int, create: bool) -> None:
    from graphmem.interfaces.tenancy.server import serve

    serve(home, host=host, port=port, create=create)


def _register_tokens(app: typer.Typer, fail: Callable[..., None]) -> None:
    @app.command("new", help="Create a token and print it. It is shown only once.")
    def new(name: _NAME = "default") -> None:
        _attempt(lambda tokens: typer.echo(tokens.create(name)), fail, for_person=True)

    @app.command("rotate", help="Replace a token and print the new one. The old one becomes invalid immediately.")
    def rotate(name: _NAME = "default") -> None:
        _attempt(lambda tokens: typer.echo(tokens.rotate(name)), fail, for_person=True)

    @app.command("revoke", help="Revoke a token, also on running servers.")
    def revoke(name: _NAME) -> None:
        _attempt(lambda tokens: tokens.revoke(name), fail)

    @app.command("list", help="List token names and creation times.")
    def show() -> None:
        _attempt(
            lambda tokens: typer.echo("".join(f"{one.name}\t{one.created}\n" for one in tokens.read()), nl=False), fail
        )


def _attempt(call: Callable[[Tokens], object], fail: Callable[..., None], *, for_person: bool = False) -> None:
    try:
        if for_person:  # whoever has a token can log in to the viewer, and decide there as the user
            refuse_agents("create access tokens")
        from graphmem.interfaces.http.tokens import Tokens

        call(Tokens(settings.stores_home()))
    except Exception as error:  # noqa: BLE001 (no traceback reaches a user)
        fail(error, as_json=False)
