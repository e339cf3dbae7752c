"""A connection to PostgreSQL that never waits forever. A server that is stopped, or cut off after it acknowledged a statement,
says nothing and keeps its sockets open: neither TCP nor libpq ends such a wait."""

from __future__ import annotations

import time
from collections.abc import Generator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

STATEMENT_S = 120  # run time after which the server cancels a statement
_SILENT_S = 5.0  # wait after which a server is asked whether it still answers; a live one is asked again after as much
_PROBE_S = 3  # time that it has for this
_MARGIN_S = 15.0  # wait after STATEMENT_S for the news that the statement was cancelled


@cache
def connection_class() -> type[psycopg.Connection[Any]]:
    """Return a class of connections whose waits end with psycopg.OperationalError when the server is silent. It is made on demand,
    because psycopg is optional."""
    import psycopg

    class BoundedConnection(psycopg.Connection[Any]):
        """A connection that is closed when its server does not answer any more."""

        may_take_long = False  # whether a statement may run for longer than STATEMENT_S

        def wait(self, gen: Any, *arguments: Any, **named: Any) -> Any:
            return super().wait(self._bounded(gen), *arguments, **named)

        def _bounded(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
            """Drive an operation of psycopg, and end it when the server is silent."""
            begun = asked = time.monotonic()
            try:
                wanted = next(gen)
                while True:
                    ready = yield wanted
                    now = time.monotonic()
                    if ready:
                        asked = now
                    elif now - asked > _SILENT_S:
                        if self._is_lost(now - begun):
                            self.pgconn.finish()
                            raise psycopg.errors.ConnectionTimeout("it does not answer any more")
                        asked = time.monotonic()
                    wanted = gen.send(ready)
            except StopIteration as done:
                return done.value

        def _is_lost(self, waited_s: float) -> bool:
            if waited_s > STATEMENT_S + _MARGIN_S and not self.may_take_long:
                return True
            try:
                psycopg.connect(self.info.dsn, password=self.info.password, connect_timeout=_PROBE_S).close()
            except psycopg.errors.ConnectionTimeout:
                return True
            except (
                psycopg.Error
            ):  # it refuses more connections, or the network reports an error, which ends this one, too
                return False
            return False

    return BoundedConnection
