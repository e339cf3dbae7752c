"""The connection to a graph server that speaks Bolt: its URL, transactions with a time limit, and errors as one sentence."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit, urlunsplit

from graphmem.errors import NotInstalled, QueryTimeout, StoreBusy, StoreError, UsageError
from graphmem.settings import read_secret

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

    import neo4j

R = TypeVar("R")
_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_CONNECT_S = 5.0  # seconds to wait for the server
_IDLE_S = 10.0  # age of an unused connection from which the driver asks whether it is still good
_LOOK_S = 0.1  # seconds between two looks at a caller that may have left
_LONG_MESSAGE = 300  # characters
USER, PASSWORD = "NEO4J_USERNAME", "NEO4J_PASSWORD"  # variables that the tools of Neo4j read, too
_EXAMPLE = "as in `bolt+s://graph.example?database=crane`"


class GraphPlace(NamedTuple):
    """Where a graph is."""

    url: str
    database: str  # "": the one of the user

    @property
    def name(self) -> str:
        """Return the server and the database, for messages."""
        host = urlsplit(self.url).netloc
        return f"{host}, database {self.database}" if self.database else host


def parse_graph_url(url: str) -> GraphPlace:
    """Return the place that a URL names. Raises UsageError that does not quote a password."""
    if not url:
        raise UsageError(f"the graph engine bolt needs a server: `graphmem config graph.url URL`, {_EXAMPLE}")
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise UsageError(f"`graph.url` must be the URL of a Bolt server, {_EXAMPLE}")
    if parts.username or parts.password:
        raise UsageError(f"`graph.url` must contain no user or password: set {USER} and {PASSWORD}")
    given = parse_qs(parts.query, keep_blank_values=True)
    if given.keys() - {"database"} or len(given.get("database", ())) > 1:
        raise UsageError(f"`graph.url` has the parameter `database` only, {_EXAMPLE}")
    return GraphPlace(urlunsplit((parts.scheme, parts.netloc, "", "", "")), given.get("database", [""])[0])


class Answer(NamedTuple):
    """What a statement returns; `is_cut` if there are more rows than were asked for."""

    columns: list[str]
    rows: list[list[Any]]
    is_cut: bool = False


class BoltConnection:
    """A driver of a server, opened with the first transaction, in an event loop of its own: only the asynchronous driver can end a
    wait for a server that does not answer. Safe for concurrent threads."""

    def __init__(self, place: GraphPlace) -> None:
        self.place = place
        self._driver: neo4j.AsyncDriver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Return whether there is a driver."""
        return self._driver is not None

    def _opened(self) -> tuple[neo4j.AsyncDriver, asyncio.AbstractEventLoop]:
        import asyncio

        try:
            import neo4j
        except ImportError as error:
            raise NotInstalled(
                "the graph engine bolt is not installed: pip install '.[bolt]' in the clone of graphmem"
            ) from error
        with self._lock:
            if self._driver is None or self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="graphmem-bolt", daemon=True).start()
                user = read_secret(USER)
                self._driver = neo4j.AsyncGraphDatabase.driver(
                    self.place.url,
                    auth=(user, read_secret(PASSWORD)) if user else None,
                    connection_timeout=_CONNECT_S,
                    connection_acquisition_timeout=2 * _CONNECT_S,
                    liveness_check_timeout=_IDLE_S,
                    telemetry_disabled=True,
                    notifications_min_severity="OFF",
                    user_agent="graphmem",
                )
            return self._driver, self._loop

    @contextmanager
    def transaction(
        self, limit_s: float, *, is_writing: bool = False, has_left: Callable[[], bool] | None = None
    ) -> Iterator[Transaction]:
        """Context manager: a transaction, committed at the end if it writes. After `limit_s` seconds, or once `has_left` says that
        nobody waits, its connection is closed, whatever the server does. Raises QueryTimeout, StoreError."""
        import neo4j

        with self.translate_errors():
            driver, loop = self._opened()
            mode = neo4j.WRITE_ACCESS if is_writing else neo4j.READ_ACCESS
            session = driver.session(database=self.place.database or None, default_access_mode=mode)
            wait = _Waiter(loop, limit_s, has_left)
            try:
                opened = wait.for_result(session.begin_transaction(timeout=limit_s))
                yield Transaction(opened, wait)
                wait.for_result(opened.commit() if is_writing else opened.rollback())
            finally:
                _close(loop, session, is_lost=wait.is_over)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Context manager: raise StoreError for errors of the network and of the server; those of a query stay as they are."""
        import neo4j.exceptions as errors

        try:
            yield
        except errors.AuthError as error:
            raise StoreError(
                f"the graph server ({self.place.name}) refuses this user: set {USER} and {PASSWORD} in the environment"
            ) from error
        except errors.TransientError as error:
            raise StoreBusy(f"the graph server ({self.place.name}) is busy: {sentence_of(error)}") from error
        except errors.ClientError:
            raise
        except (errors.DriverError, errors.DatabaseError, OSError) as error:
            raise StoreError(f"the graph server ({self.place.name}) cannot be reached: {sentence_of(error)}") from error

    def close(self) -> None:
        """Close all connections; the next transaction opens new ones."""
        with self._lock:
            driver, loop, self._driver, self._loop = self._driver, self._loop, None, None
        if driver is not None and loop is not None:
            with suppress(Exception):
                _submit(loop, driver.close()).result(_CONNECT_S)
            loop.call_soon_threadsafe(loop.stop)


class _Waiter:
    """Waits for the driver until a time limit: a server may neither know such a limit nor answer at all."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limit_s: float, has_left: Callable[[], bool] | None) -> None:
        self.is_over = False
        self._loop, self._limit_s, self._has_left = loop, limit_s, has_left
        self._until = time.monotonic() + limit_s

    def for_result(self, work: Coroutine[Any, Any, R]) -> R:
        """Return what the driver answers. Raises QueryTimeout at the limit, or once the caller has left."""
        future = _submit(self._loop, work)
        while True:
            left = max(0.0, self._until - time.monotonic())
            try:
                return future.result(min(left, _LOOK_S) if self._has_left else left)
            except TimeoutError:
                if future.done():
                    raise
                if time.monotonic() >= self._until or (self._has_left and self._has_left()):
                    self.is_over = True
                    future.cancel()
                    raise QueryTimeout(
                        f"the query ran longer than {self._limit_s:g} s and was stopped: add a LIMIT or narrow the pattern"
                    ) from None


class Transaction:
    """A transaction of a server."""

    def __init__(self, opened: neo4j.AsyncTransaction, wait: _Waiter) -> None:
        self._opened, self._wait = opened, wait

    def run(self, statement: str, parameters: Mapping[str, Any] | None = None, limit: int | None = None) -> Answer:
        """Run a statement; return its rows, at most `limit`."""
        return self._wait.for_result(self._answer(statement, dict(parameters or {}), limit))

    async def _answer(self, statement: str, parameters: dict[str, Any], limit: int | None) -> Answer:
        result = await self._opened.run(statement, parameters)
        columns, rows = list(result.keys()), list[list[Any]]()
        async for record in result:
            if limit is not None and len(rows) >= limit:
                return Answer(columns, rows, is_cut=True)
            rows.append(list(record.values()))
        return Answer(columns, rows)


def _submit(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, R]) -> Future[R]:
    """Begin work in the loop. Each process of a store loads this module, most of them for other engines."""
    import asyncio

    return asyncio.run_coroutine_threadsafe(work, loop)


def _close(loop: asyncio.AbstractEventLoop, session: neo4j.AsyncSession, *, is_lost: bool) -> None:
    """Return the connection of a session, or close it if the server may not answer."""
    future = _submit(loop, _cancel(session) if is_lost else session.close())
    try:
        future.result(_CONNECT_S)
    except TimeoutError:
        future.cancel()


async def _cancel(session: neo4j.AsyncSession) -> None:
    session.cancel()  # in a task, which the locks of the driver need


def sentence_of(error: BaseException) -> str:
    """Return what a server said, in one line."""
    said = getattr(error, "message", None) or str(error) or type(error).__name__
    return str(said).strip().splitlines()[0][:_LONG_MESSAGE].rstrip(".:")
