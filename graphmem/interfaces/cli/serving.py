"""The command that serves the API and the viewer. It imports them when it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

_STORE = typer.Option(help="the directory of the store (default: that of the repository here)", envvar="GRAPHMEM_STORE")
_PORT = typer.Option(help="0 for any that is free", envvar="GRAPHMEM_PORT", min=0, max=65_535)


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the command; `fail` ends the program with a sentence."""

    @app.command("serve", help="Look at your memory in a browser; the API is beside it.")
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
            from graphmem.interfaces.http.server import serve as run

            run(store, project, host=host, port=port, show=show)
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (no traceback reaches a user)
            fail(error, as_json=False)
