"""Commands for logs on a PostgreSQL server: join one, and keep the projections of many up to date."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmem import settings
from graphmem.plurals import counted

_STORE = typer.Option(help="store directory (default: the store of the current repository)", envvar="GRAPHMEM_STORE")
_URL = Annotated[str, typer.Argument(help="URL of a log, as in `log.url`: postgresql://db.example/team?schema=crane")]
_FOLDER = typer.Option(help="folder with a store for each log (default: `projector` among the stores of this user)")


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the commands. `fail` prints an error and exits."""

    @app.command(
        "join", help="Make a new store share a log on a PostgreSQL server, starting with a snapshot if there is one."
    )
    def join(url: _URL, store: Annotated[Path | None, _STORE] = None) -> None:
        try:
            location, shared_logs = _load("store.location"), _load("store.shared_logs")
            place = location.locate(store, settings.stores_home()).store
            found = shared_logs.join_log(place, url)
            started = (
                f"It starts with a snapshot of {counted(found.position, 'event')}."
                if found
                else "There is no snapshot that fits."
            )
            typer.echo(f"The store {place} shares this log now. {started} `graphmem process` brings it up to date.")
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (no traceback reaches a user)
            fail(error, as_json=False)

    @app.command("projector", help="Keep up to date what is derived from the logs of a PostgreSQL database.")
    def projector(
        url: _URL,
        folder: Annotated[Path | None, _FOLDER] = None,
        once: Annotated[bool, typer.Option("--once", help="end when all logs of its share are up to date")] = False,
    ) -> None:
        try:
            stopping = threading.Event()
            _load("owner.daemon").stop_at_signals(stopping)
            _load("interfaces.longrunning").prepare_to_serve()
            work = _load("owner.projector").Projector(url, folder or settings.stores_home() / "projector", typer.echo)
            work.run(stopping, once=once)
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (no traceback reaches a user)
            fail(error, as_json=False)


def _load(name: str) -> Any:
    """Return a module that a command uses. The help needs none of it."""
    return import_module(f"graphmem.{name}")
