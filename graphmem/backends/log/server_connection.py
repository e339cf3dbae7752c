"""A connection to the PostgreSQL server of a log. It is opened again after it was lost, and its errors are one sentence."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphmem.backends.log.bounded_waits import STATEMENT_S, connection_class
from graphmem.backends.log.connection import Cursor
from graphmem.backends.log.server_url import LogPlace
from graphmem.errors import LogUnreachable, NotInstalled, StoreBusy, StoreError

if TYPE_CHECKING:
    import psycopg

_CONNECT_S = 5  # seconds to wait for the server
_UNACKNOWLEDGED_MS = 10_000  # time after which a cut network is noticed
_KEEPALIVE_S = 10  # the same while nothing is sent: when the other side is asked whether it is there
_AWAY_S = (
    1.0  # seconds for which a server that did not answer is not asked again: those who waited meanwhile fail at once
)
_LOCK_S, _IDLE_S = 30, 300  # seconds to wait for a lock, and that a stopped program can keep one
_UNSURE_S, _AGAIN_S = 5.0, 0.2  # seconds to ask what became of a commit, and between two attempts
_FETCH = 2_000  # rows of one message while all of a table is read
_LONG_MESSAGE = 200  # characters


class UnfitValue(StoreError, ValueError):
    """A value that no column of the log can hold."""


class ServerConnection:
    """A connection with the statements of SQLite: `?` marks a parameter. Not safe for concurrent threads."""

    def __init__(self, place: LogPlace) -> None:
        """`place` says where. Nothing is opened before the first statement."""
        self.place = place
        self._open: psycopg.Connection[Any] | None = None
        self._away_since = float("-inf")  # when the server last did not answer (monotonic)
        self._is_writing = False
        self._is_closed = False

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        """Run a statement, outside a transaction again if the server was away before. Raises StoreError."""
        with self.translate_errors():
            cursor: Cursor = self._retry(lambda db: db.execute(_with_format_marks(sql), parameters))
            return cursor

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Cursor:
        """Run a statement with each of these rows. Raises StoreError."""
        rows = list(parameters)
        with self.translate_errors():
            cursor = self._connected().cursor()
            if rows:
                cursor.executemany(_with_format_marks(sql), rows)
            return cursor

    def run_script(self, script: str) -> None:
        """Run several statements without parameters."""
        with self.translate_errors():
            self._connected().execute(script.encode())

    @contextmanager
    def transaction(self, lock: int, channel: str = "") -> Iterator[None]:
        """Context manager: commit what the block writes, or nothing if it raises. No other process that takes the same advisory
        `lock` writes meanwhile. With a `channel`, those who listen to it are notified. A commit whose answer was lost is
        looked up: it is repeated by nobody, and nothing is reported as lost that was stored."""
        with self.translate_errors():
            self._retry(lambda db: db.execute("BEGIN"))
            db = self._connected()
        self._is_writing = True
        try:
            with self.translate_errors():
                db.execute("SELECT pg_advisory_xact_lock(%s)", (lock,))
                (transaction,) = db.execute("SELECT pg_current_xact_id()::text").fetchone() or ("",)
            yield
            with self.translate_errors():
                if channel:
                    db.execute("SELECT pg_notify(%s, '')", (channel,))
                self._commit(db, str(transaction))
        except BaseException:
            self._undo(db)
            raise
        finally:
            self._is_writing = False

    def _commit(self, db: psycopg.Connection[Any], transaction: str) -> None:
        import psycopg

        try:
            db.execute("COMMIT")
        except psycopg.OperationalError:
            if not db.closed:
                raise
            until = time.monotonic() + _UNSURE_S
            while not self._was_committed(transaction):
                if time.monotonic() > until:
                    raise LogUnreachable(
                        f"the PostgreSQL server ({self.place.name}) was lost before it said whether this was stored: look before"
                        " you repeat it"
                    ) from None
                time.sleep(_AGAIN_S)

    def _was_committed(self, transaction: str) -> bool:
        """Return whether a transaction was committed; False while the server is away. Raises StoreError if it was not."""
        import psycopg

        try:
            with connect(self.place) as db:
                (status,) = db.execute("SELECT pg_xact_status(%s::xid8)", (transaction,)).fetchone() or ("",)
        except psycopg.OperationalError:
            return False
        if status == "aborted":
            raise LogUnreachable(f"the PostgreSQL server ({self.place.name}) was lost")
        return bool(status == "committed")

    @staticmethod
    def _undo(db: psycopg.Connection[Any]) -> None:
        import psycopg

        try:
            if not db.closed:
                db.execute("ROLLBACK")
        except psycopg.Error:
            db.close()

    def _retry(self, run: Any) -> Any:
        import psycopg

        try:
            return run(self._connected())
        except psycopg.errors.ConnectionTimeout:
            raise  # each further attempt takes as long
        except psycopg.OperationalError:
            if self._is_writing or self._open is None or not self._open.closed:
                raise
            return run(self._connected())  # the server was started again since the last statement

    def _connected(self) -> psycopg.Connection[Any]:
        if self._is_closed:
            raise StoreError("this memory was closed: open it again with `Memory.open`")
        if self._open is not None and self._open.closed and not self._is_writing:
            self._open = None
        if self._open is None:
            if time.monotonic() - self._away_since < _AWAY_S:
                raise LogUnreachable(_silence(self.place))
            self._open = connect(self.place)
        return self._open

    @contextmanager
    def without_time_limit(self) -> Iterator[None]:
        """Context manager: statements may take as long as they need, while the server answers others."""
        with self.translate_errors():
            db: Any = self._connected()
            db.execute("SET statement_timeout = 0")
            db.may_take_long = True
        try:
            yield
        finally:
            db.may_take_long = False
            if not db.closed:
                db.execute(f"SET statement_timeout = '{STATEMENT_S}s'")

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Context manager: raise StoreError for an error of the server."""
        import psycopg

        try:
            yield
        except psycopg.errors.LockNotAvailable as error:
            raise StoreBusy(
                f"another program has been writing to the log on the PostgreSQL server ({self.place.name}) for {_LOCK_S}"
                " seconds: try again"
            ) from error
        except psycopg.errors.ConnectionTimeout as error:
            self._away_since = time.monotonic()
            raise LogUnreachable(_silence(self.place)) from error
        except psycopg.errors.QueryCanceled as error:
            raise StoreBusy(
                f"the PostgreSQL server with the log ({self.place.name}) did not finish a statement in {STATEMENT_S} seconds: try"
                " again when it has less to do"
            ) from error
        except (psycopg.DataError, psycopg.ProgrammingError) as error:
            raise UnfitValue(f"the PostgreSQL server ({self.place.name}) refused this: {_sentence(error)}") from error
        except psycopg.OperationalError as error:
            raise LogUnreachable(
                f"the PostgreSQL server with the log ({self.place.name}) cannot be reached: {_sentence(error)}"
            ) from error
        except psycopg.Error as error:
            raise StoreError(f"the PostgreSQL server ({self.place.name}): {_sentence(error)}") from error

    def close(self) -> None:
        """Close the connection. Later use raises StoreError."""
        self._is_closed = True
        if self._open is not None:
            self._open.close()


def connect(place: LogPlace) -> psycopg.Connection[Any]:
    """Open a connection in which each statement is a transaction of its own. Raises NotInstalled, psycopg.Error."""
    try:
        connection = connection_class()
    except ImportError as error:
        raise NotInstalled(
            "the log of this store is on a PostgreSQL server, and the client for it is not installed: run"
            " `pip install '.[postgresql]'` in the clone of graphmem"
        ) from error
    return connection.connect(place.conninfo, autocommit=True, **_parameters(place))


def _parameters(place: LogPlace) -> dict[str, Any]:
    from psycopg.conninfo import conninfo_to_dict

    given = conninfo_to_dict(place.conninfo)
    options = (
        f"-c search_path={place.schema} -c lock_timeout={_LOCK_S}s -c statement_timeout={STATEMENT_S}s -c synchronous_commit=on"
        f" -c idle_in_transaction_session_timeout={_IDLE_S}s -c client_min_messages=warning"
    )
    return {
        "application_name": "graphmem",
        "client_encoding": "UTF8",
        "options": f"{given.get('options') or ''} {options}".strip(),
        "connect_timeout": given.get("connect_timeout") or _CONNECT_S,
        "tcp_user_timeout": given.get("tcp_user_timeout") or _UNACKNOWLEDGED_MS,
        "keepalives_idle": given.get("keepalives_idle") or _KEEPALIVE_S,
        "keepalives_interval": given.get("keepalives_interval") or _KEEPALIVE_S // 2,
        "keepalives_count": given.get("keepalives_count") or 2,
    }


@contextmanager
def open_snapshot(place: LogPlace) -> Iterator[SnapshotConnection]:
    """Context manager: a connection that reads the log as it is now, row by row, while others write."""
    db = connect(place)
    try:
        db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield SnapshotConnection(db)
    finally:
        db.close()


class SnapshotConnection:
    """A connection that does not hold all rows of an answer in memory."""

    def __init__(self, db: psycopg.Connection[Any]) -> None:
        self._db = db
        self._count = 0

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> psycopg.ServerCursor[Any]:
        """Run a query."""
        self._count += 1
        cursor = self._db.cursor(f"rows_{self._count}")
        cursor.itersize = _FETCH
        return cursor.execute(_with_format_marks(sql), parameters)

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> psycopg.ServerCursor[Any]:
        """Refuse: a snapshot is only read."""
        raise TypeError("a snapshot is only read")


@lru_cache(maxsize=256)
def _with_format_marks(sql: str) -> bytes:
    """Return a statement with the placeholders of psycopg."""
    return sql.replace("%", "%%").replace("?", "%s").encode()


def _silence(place: LogPlace) -> str:
    return f"the PostgreSQL server with the log ({place.name}) does not answer: it is stopped or overloaded, or the network is cut"


def _sentence(error: BaseException) -> str:
    """Return the first line of an error, without what libpq says before it."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    line = lines[0]
    for words in ("failed: FATAL:  ", "failed: ERROR:  ", "failed: "):
        line = line.rpartition(words)[2]
    return line[:_LONG_MESSAGE].rstrip(".")
