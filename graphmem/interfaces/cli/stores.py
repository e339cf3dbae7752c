"""Commands for whole stores: stop the owner of one, and take over that of a repository whose folder was renamed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmem import settings
from graphmem.errors import NotFound
from graphmem.interfaces import envelope
from graphmem.plurals import counted
from graphmem.workdir import current_directory

if TYPE_CHECKING:
    from graphmem.store.location import Place

_JSON = typer.Option("--json", help="print one JSON envelope")
_STORE = typer.Option(help="store directory (default: the store of the current repository)", envvar="GRAPHMEM_STORE")


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the commands. `fail` prints an error and exits."""

    @app.command("stop", help="End the owner process of the store; the next command or hook starts it again.")
    def stop(store: Annotated[Path | None, _STORE] = None, as_json: Annotated[bool, _JSON] = False) -> None:
        try:
            directory, stopped = _stop(store)
            said = "The owner has ended." if stopped else "No owner was running."
            _tell("stop", {"store": str(directory), "stopped": stopped}, f"{said} Store: {directory}", as_json)
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (no traceback reaches a user)
            fail(error, as_json=as_json)

    @app.command("adopt", help="Take over the store of this repository from its former folder, which is gone.")
    def adopt(as_json: Annotated[bool, _JSON] = False) -> None:
        try:
            adoption, location = _load_stores()
            home = settings.stores_home()
            found = adoption.adopt_former(location.of_repository(Path.cwd(), home), home)
            more = f", with {counted(found.merged, 'event')} recorded since" if found.merged else ""
            text = f"This repository has the store of {found.folder} again{more}: run `graphmem init` to index its new folder."
            _tell("adopt", found._asdict(), text, as_json)
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (no traceback reaches a user)
            fail(error, as_json=as_json)


def _load_stores() -> tuple[Any, Any]:
    """Return the modules that adopt and locate stores. The help needs neither."""
    from graphmem.store import adoption, location

    return adoption, location


def _stop(store: Path | None) -> tuple[Path, bool]:
    """End the owner of a store; return the store, and whether there was an owner. Raises NotFound, StoreBusy if another program
    has the graph open."""
    adoption, location = _load_stores()
    directory = location.locate(store, settings.stores_home()).store
    if not directory.is_dir():
        raise NotFound(f"no store at {directory}: there is nothing to stop", path=str(directory))
    return directory, adoption.stop_owner(directory)


def _tell(verb: str, value: Any, text: str, as_json: bool) -> None:
    typer.echo(envelope.success(value, verb=verb) if as_json else text)


def describe_former(place: Place) -> str:
    """Return what to do about the store of this repository's former folder, or "" if there is none."""
    adoption, _ = _load_stores()
    found = adoption.find_former(place, settings.stores_home())
    if found is None:
        return ""
    return (
        f"the one of its former folder {found.folder} is still there: `graphmem adopt` takes it over, `graphmem init` makes a"
        " new one"
    )


def describe_overlooked(store: Path | None, around: Any) -> str:
    """Return what to do about the store of the former folder of a repository, if a hook has made a new one in this folder; "" if
    there is none."""
    adoption, location = _load_stores()
    with suppress(NotFound):
        home = settings.stores_home()
        folder = current_directory() / str(around or ".")
        found = adoption.find_overlooked(location.locate(None, home, folder), home) if store is None else None
        if found is not None:
            return (
                f"this store is new, and the one of the repository's former folder {found.folder} is still there:"
                " `graphmem adopt` takes it over, with what was recorded since"
            )
    return ""


def describe_former_of(store: Path | None, around: Any) -> str:
    """Return the same for the repository that a command is about, if that has no store yet."""
    _, location = _load_stores()
    with suppress(NotFound):
        place = location.locate(store, settings.stores_home(), around)
        if store is None and not place.store.exists() and (told := describe_former(place)):
            return f"this repository had a store: {told}"
    return ""
