"""The graph engines, and all in which the embedded ones differ: Kuzu, whose project is archived, and Ladybug, its maintained
fork. They cannot read each other's files. The third engine is a server that speaks Bolt: see `bolt`. The fourth one is none: where
neither Kuzu nor Ladybug has a wheel, the graph is in SQLite tables: see `sqlite`.

Kuzu and Ladybug register the same native types, so a process can load only one of them: the second one fails to load, or
crashes it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from graphmem.errors import NotInstalled, StoreError

DEFAULT = "kuzu"
MAX_PREPARED = 200  # statements that a connection may keep


class Engine(NamedTuple):
    """An engine. The name of an embedded one is also the suffix of its files."""

    name: str
    package: str  # of Python
    install: str  # the command that installs it
    options: Mapping[str, Any]  # of its databases, besides those common to all
    is_embedded: bool = True  # its graphs are files of the store
    is_native: bool = True  # it registers native types, of which a process can have those of one engine only
    keeps_replaced: bool = False  # its file keeps texts that were replaced: see `compaction`

    @property
    def is_installed(self) -> bool:
        """Return whether its package is there; it is not loaded."""
        return sys.modules.get(self.package) is not None or importlib.util.find_spec(self.package) is not None

    @property
    def rival(self) -> str:
        """Return the other engine that this process has loaded, otherwise ""."""
        others = {engine.package for engine in NATIVE.values()} - {self.package} if self.is_native else ()
        return next((package for package in others if sys.modules.get(package) is not None), "")

    def require(self) -> None:
        """Raise NotInstalled if its package is missing."""
        if not self.is_installed:
            raise NotInstalled(f"the graph engine {self.name} is not installed: {self.install}", engine=self.name)

    def load(self) -> Any:
        """Import the engine's package. Raises NotInstalled, or StoreError if this process cannot load it."""
        self.require()
        if self.rival:
            raise StoreError(
                f"this process has loaded the graph engine {self.rival}, and cannot load {self.name}, too: open the store in"
                " another process, or with `daemon=True`",
                engine=self.name,
            )
        try:
            module = importlib.import_module(self.package)
            str(module.__version__)  # loads the native library
        except (ImportError, RuntimeError) as error:
            raise StoreError(f"the graph engine {self.name} cannot be loaded: {error}", engine=self.name) from error
        return module


ENGINES = {
    engine.name: engine
    for engine in (
        Engine("kuzu", "kuzu", "pip install . in the clone of graphmem", {}, keeps_replaced=True),
        # One writer, as with Kuzu, and a damaged log is never replayed (see `seal`).
        Engine(
            "ladybug", "ladybug", "pip install '.[ladybug]' in the clone of graphmem", {"enable_multi_writes": False}
        ),
        Engine(
            "bolt", "neo4j", "pip install '.[bolt]' in the clone of graphmem", {}, is_embedded=False, is_native=False
        ),
        Engine("sqlite", "sqlite3", "it is part of Python", {}, is_native=False),
    )
}
EMBEDDED = {name: engine for name, engine in ENGINES.items() if engine.is_embedded}
NATIVE = {name: engine for name, engine in EMBEDDED.items() if engine.is_native}


def engine_of_new_stores(configured: str) -> str:
    """Return the engine of a store that has no graph yet: the configured one; where the default one has no wheel for this Python,
    the first one that is there."""
    if configured != DEFAULT or ENGINES[configured].is_installed:
        return configured
    return next(name for name in (*NATIVE, "sqlite") if ENGINES[name].is_installed)


class GraphConnection:
    """A connection of an embedded engine. The engine keeps each prepared statement, with its plan and its tables of rows, until the
    connection is closed: 12 to 60 KB each, 500 MB after some hours of recording. `renew` therefore opens it again from time to
    time, in .2 ms; call it only while neither a transaction nor a result is open."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._connection = connect()
        self.prepared = 0  # statements that the engine keeps

    def run(self, statement: str, parameters: dict[str, Any]) -> Any:
        """Run a statement and return its result, or a list of results if it is several."""
        if not parameters:
            return self._connection.execute(statement)
        self.prepared += 1
        # Ladybug's own `execute` would keep it a second time.
        return self._connection.execute(self._connection._prepare(statement, parameters), parameters)

    def set_query_timeout(self, milliseconds: int) -> None:
        """Set the longest time of the next queries; 0: unlimited."""
        self._connection.set_query_timeout(milliseconds)

    def renew(self, after: int = MAX_PREPARED) -> bool:
        """Open the connection again if it keeps more than so many statements; return whether it did."""
        if self.prepared <= after:
            return False
        self._connection.close()
        self._connection, self.prepared = self._connect(), 0
        return True

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
