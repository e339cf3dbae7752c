"""Divides the logs in a PostgreSQL database among the processes that work on them: each log has an advisory lock, which its holder
loses with its connection, and everyone takes an equal share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from graphmem.backends.log.postgresql import lock_number
from graphmem.backends.log.server_connection import ServerConnection, connect
from graphmem.backends.log.server_url import LogPlace, parse_log_url, with_schema
from graphmem.errors import NotFound

if TYPE_CHECKING:
    import psycopg

_WORK, _PEERS = "projector", "projectors"  # names of locks: of one log, and of all that work
_NAMED = 8  # logs in a message
# A log that was moved back into a store refuses events, and has no work.
_LOGS = """SELECT n.nspname FROM pg_namespace n
WHERE has_schema_privilege(n.oid, 'USAGE') AND to_regclass(format('%I.derivations', n.nspname)) IS NOT NULL
  AND to_regclass(format('%I.events', n.nspname)) IS NOT NULL AND to_regclass(format('%I.payloads', n.nspname)) IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = to_regclass(format('%I.events', n.nspname)) AND t.tgname = 'moved')
ORDER BY n.nspname"""
# Not of snapshots alone, and also one that was moved away: whoever joins is told so.
_LOG = "SELECT to_regclass(format('%%I.events', %s::text)) IS NOT NULL"
_COUNT = """SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND classid = (%s::bigint >> 32 & 4294967295)::oid AND objid = (%s::bigint & 4294967295)::oid"""


class LogLeases:
    """What one process works on. Not safe for concurrent threads."""

    def __init__(self, url: str) -> None:
        """`url` is that of any log in the database. Raises UsageError for an unusable URL."""
        self._url, self._place = url, parse_log_url(url)
        self._db: psycopg.Connection[Any] | None = None
        self._held: list[str] = []

    def renew(self) -> dict[str, str]:
        """Take an equal share of all logs, and give back what is more than that. Return the logs that this process holds now, by
        schema, with their URLs. Raises StoreError while the server is away; then it holds none."""
        with self._connected() as db:
            names = [str(row[0]) for row in db.execute(_LOGS.encode())]
            peers = _number(self._place, _PEERS)
            (others,) = db.execute(_COUNT.encode(), (peers, peers)).fetchone() or (1,)
            most = -(-len(names) // max(1, others))
            for name in [name for name in self._held if name not in names] + self._held[most:]:
                if name in self._held:
                    db.execute("SELECT pg_advisory_unlock(%s)", (self._lock(name),))
                    self._held.remove(name)
            for name in names:
                if len(self._held) < most and name not in self._held:
                    (is_mine,) = db.execute("SELECT pg_try_advisory_lock(%s)", (self._lock(name),)).fetchone() or (
                        False,
                    )
                    self._held += [name] if is_mine else []
            return {name: with_schema(self._url, name) for name in self._held}

    def head(self, name: str) -> int:
        """Return the last position of a log. Raises StoreError."""
        from psycopg import sql

        with self._connected() as db:
            query = sql.SQL("SELECT coalesce(max(position), 0) FROM {}.events").format(sql.Identifier(name))
            return int((db.execute(query).fetchone() or (0,))[0])

    def _lock(self, name: str) -> int:
        return lock_number(self._place._replace(schema=name), _WORK)

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        try:
            with ServerConnection(self._place).translate_errors():
                if self._db is None:
                    self._db = connect(self._place)
                    self._db.execute("SELECT pg_advisory_lock_shared(%s)", (_number(self._place, _PEERS),))
                yield self._db
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give back all logs."""
        if self._db is not None:
            self._db.close()
        self._db, self._held = None, []


def require_log(url: str) -> None:
    """Raise NotFound if there is no log at a URL, and change nothing there. Raises UsageError for an unusable URL, StoreError
    while the server is away."""
    place = parse_log_url(url)
    with ServerConnection(place).translate_errors(), connect(place) as db:
        if db.execute(_LOG.encode(), (place.schema,)).fetchone() == (True,):
            return
        names = [str(row[0]) for row in db.execute(_LOGS.encode())]
    some = f"{', '.join(names[:_NAMED])}{', …' if len(names) > _NAMED else ''}"
    raise NotFound(
        f"there is no log on the PostgreSQL server ({place.name}): correct `schema=`"
        + (f" (there are logs in {some})" if names else "")
        + ", or move the log of a store there with `graphmem move --log URL`",
        schema=place.schema,
    )


def _number(place: LogPlace, name: str) -> int:
    """Return the number of a lock that is common to all logs of a database."""
    return lock_number(place._replace(schema=""), name)
