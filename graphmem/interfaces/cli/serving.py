"""The commands that serve the API and the viewer, and that keep the tokens for it. They import what they need when they run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem import settings

if TYPE_CHECKING:
    from graphmem.interfaces.http.tokens import Tokens

_STORE = typer.Option(help="the directory of the store (default: that of the repository here)", envvar="GRAPHMEM_STORE")
_PORT = typer.Option(help="0 for any that is free", envvar="GRAPHMEM_PORT", min=0, max=65_535)

_NAME = Annotated[str, typer.Argument(help="what it is called")]


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the command; `fail` ends the program with a sentence."""

    @app.command("serve", help="Serve the viewer and the HTTP API on this machine.")
    def serve(
        store: Annotated[Path | None, _STORE] = None,
        project: Annotated[str | None, typer.Option(help="the project to look at")] = None,
        port: Annotated[int, _PORT] = 37_777,
        host: Annotated[
            str, typer.Option(help="the address to serve on; others than loopback see it then")
        ] = "127.0.0.1",
        show: Annotated[bool, typer.Option("--open", help="open a browser")] = False,
    ) -> None:
        try:
            from graphmem.interfaces.server import serve as run

            run(store, project, host=host, port=port, show=show)
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (no traceback reaches a user)
            fail(error, as_json=False)

    tokens = typer.Typer(
        help="Tokens with which programs use the API of `graphmem serve`.", no_args_is_help=True, rich_markup_mode=None
    )
    app.add_typer(tokens, name="token")
    _register_tokens(tokens, fail)


def _register_tokens(app: typer.Typer, fail: Callable[..., None]) -> None:
    @app.command("new", help="Make a token and print it; it is shown once.")
    def new(name: _NAME = "default") -> None:
        _attempt(lambda tokens: typer.echo(tokens.create(name)), fail)

    @app.command("rotate", help="Replace a token and print the new one; the old one is refused at once.")
    def rotate(name: _NAME = "default") -> None:
        _attempt(lambda tokens: typer.echo(tokens.rotate(name)), fail)

    @app.command("revoke", help="Refuse a token from now on, also on servers that run.")
    def revoke(name: _NAME) -> None:
        _attempt(lambda tokens: tokens.revoke(name), fail)

    @app.command("list", help="Names of the tokens, and when each was made.")
    def show() -> None:
        _attempt(
            lambda tokens: typer.echo("".join(f"{one.name}\t{one.created}\n" for one in tokens.read()), nl=False), fail
        )


def _attempt(call: Callable[[Tokens], object], fail: Callable[..., None]) -> None:
    try:
        from graphmem.interfaces.http.tokens import Tokens

        call(Tokens(settings.stores_home()))
    except Exception as error:  # noqa: BLE001 (no traceback reaches a user)
        fail(error, as_json=False)
