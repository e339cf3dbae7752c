"""What several machines do together with the logs of a PostgreSQL database: they divide the work on them, and start with a snapshot
of each other's projections."""

from __future__ import annotations

import sys
from pathlib import Path

from graphmem import resources
from graphmem.backends.graph.engines import engine_of_new_stores
from graphmem.backends.graph.schema import schema_digest
from graphmem.backends.log.leases import LogLeases, require_log
from graphmem.backends.log.server_url import parse_log_url
from graphmem.backends.log.snapshots import Snapshot, fetch_snapshot, publish_snapshot, snapshot_key
from graphmem.errors import UsageError
from graphmem.log.spool import make_private_folder
from graphmem.settings import Settings, load_settings, save_settings
from graphmem.store.files import LOG


def take_leases(url: str) -> LogLeases:
    """Return the leases of this process on the logs of a database. Raises UsageError for an unusable URL."""
    return LogLeases(url)


def fetch_projections(store: Path, url: str) -> Snapshot | None:
    """Fill a store that has no log yet with the newest snapshot that fits its settings. None if there is none, or this machine has
    no key."""
    key = snapshot_key()
    if key is None or (store / LOG).exists():
        return None
    return fetch_snapshot(url, store, _form(load_settings(store)), key)


def publish_projections(store: Path, url: str, position: int) -> Snapshot | None:
    """Publish the files of a closed store that has all events up to a position; None if this machine has no key."""
    key = snapshot_key()
    return publish_snapshot(url, store, _form(load_settings(store)), position, key) if key else None


def join_log(store: Path, url: str) -> Snapshot | None:
    """Make a new store one of those that share a log; it starts with a snapshot, if there is one. Raises UsageError for a store
    that has a log already, or an unusable URL, NotFound if there is no log at the URL; then nothing is made, here or there."""
    if (store / LOG).exists():
        raise UsageError(
            "this store has a log already: join with a new one (`--store`), then bring over what this one has with"
            " `graphmem export` and `graphmem merge FILE --trust`",
            path=str(store),
        )
    snapshot_key()  # an unusable one is refused before anything is made
    require_log(url)
    make_private_folder(str(store))
    save_settings(store, {"log.url": url})
    return fetch_projections(store, url)


def log_place(store: Path) -> str:
    """Return where the log of a store is: its file, or the PostgreSQL server with database and schema."""
    url = load_settings(store).log.url
    return f"PostgreSQL server {parse_log_url(url).name}" if url else LOG


def _form(settings: Settings) -> str:
    """Return what must be equal for projections of another machine to be used: version, engine, schema, encoder and byte order."""
    engine = engine_of_new_stores(settings.graph.engine)
    encoder = f"{settings.embedding.provider} {settings.embedding.model}"
    return f"{resources.VERSION} {engine} {schema_digest(settings.types)} {encoder} {sys.byteorder}"
