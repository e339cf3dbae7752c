"""Answers requests to the owner of a store: operations, graph queries, hooks, and command lines."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from sqlite3 import ProgrammingError
from typing import Any

from graphmem.backends.remote.messages import (
    Command,
    GraphApply,
    GraphCursors,
    GraphQuery,
    GraphQueryUntrusted,
    GraphRefine,
    GraphSchema,
    Hook,
    Stop,
)
from graphmem.backends.remote.server import Server
from graphmem.context import StoreContext
from graphmem.errors import GraphmemError, MalformedMessage, StoreError
from graphmem.makeway import answering
from graphmem.operations.vocabulary import RECORDS
from graphmem.ports.graph import OwnedGraph
from graphmem.ports.request import Progress, Request

_ANY = "Where is the test of the file that fails?"  # a question that something is found for in any project


def serve(
    store: StoreContext,
    graph: Callable[[], OwnedGraph],
    run_command: Callable[[str], str],
    *,
    ready: threading.Event,
    stopping: threading.Event,
    kind: str,
) -> Server:
    """Start answering clients. Requests that need the graph wait until `ready` is set, then call `graph`."""
    store.log  # noqa: B018 (it tells the server which file it owns)
    answers = _Answers(store, graph, run_command, ready, stopping)
    answers.server = Server(store.path, answers.answer, kind, RECORDS)
    return answers.server


class _Answers:
    """The request handlers of an owner."""

    def __init__(
        self,
        store: StoreContext,
        graph: Callable[[], OwnedGraph],
        run_command: Callable[[str], str],
        ready: threading.Event,
        stopping: threading.Event,
    ) -> None:
        self._store = store
        self._graph = graph
        self._run_command = run_command
        self._ready, self._stopping = ready, stopping
        self.server: Server | None = None
        self._warming, self._is_warm = threading.Lock(), False

    def answer(self, request: object, progress: Progress | None, has_left: Callable[[], bool]) -> Any:
        """Return the answer to a client's message."""
        if isinstance(request, Stop):
            return self._stopping.set()
        if isinstance(request, Hook):
            return self._hook(request)
        self._ready.wait()
        if isinstance(request, Command):
            return self._run_command(request.text)
        if isinstance(request, Request):
            return self._store.run(request, progress)
        return _ask_graph(self._graph(), request, has_left)

    def _hook(self, request: Hook) -> str:
        """Hooks do not wait for the graph. The first one warms up search for the prompt that follows."""
        if self.server is not None and self.server.is_store_gone:
            raise StoreError(f"{self._store.path} was replaced: the hook must run without the owner")
        if not self._is_warm and not self._warming.locked():
            threading.Thread(target=self._warm, name="graphmem-warm", daemon=True).start()
        from graphmem.hooks.respond import respond

        with answering():
            return json.dumps(respond(self._store, request.event, json.loads(request.given), request.until))

    def _warm(self) -> None:
        """Load what the first search needs, once there is something to find."""
        if not self._warming.acquire(blocking=False):
            return
        self._ready.wait()
        with contextlib.suppress(GraphmemError, OSError, ProgrammingError):  # it may close meanwhile
            self._is_warm = bool(self._store.retriever.search(_ANY).hits)
        self._warming.release()


def _ask_graph(graph: OwnedGraph, request: object, has_left: Callable[[], bool]) -> Any:
    match request:
        case GraphApply(changes, cursors):
            return graph.apply(changes, cursors)
        case GraphRefine(names):
            return graph.refine(names)
        case GraphCursors():
            return graph.cursors()
        case GraphQuery(cypher, parameters, limit, timeout):
            return graph.query(cypher, parameters, limit=limit, timeout=timeout)
        case GraphQueryUntrusted(cypher, parameters, limit, timeout):
            return graph.query_untrusted(cypher, parameters, limit=limit, timeout=timeout, has_left=has_left)
        case GraphSchema():
            return graph.schema()
    raise MalformedMessage("the owner of a store is asked by a request")
