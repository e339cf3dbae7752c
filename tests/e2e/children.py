"""Processes of their own for tests that kill them or let them fail. A server forks them, which never opens a store: a fork of the
tests' own process would use what other tests left open there."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Any

from support import ENGINE

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    f"{ENGINE} pyarrow graphmem.backends.moving graphmem.backends.graph.embedded graphmem.backends.vectors.outbox"
    " graphmem.backends.vectors.usearch graphmem.code.index_store graphmem.forget.cascade graphmem.retrieve.retriever"
    " graphmem.sync.exchange graphmem.sync.health graphmem.sync.pipeline graphmem.sync.process".split()
)  # what is loaded there need not be loaded by each child
_ANSWER_S = 240


def run(function: Callable[..., Any], *arguments: Any) -> tuple[int | None, Any]:
    """Return how a process ended that runs a function of a module, and what it returned (None if it did not return)."""
    receiver, sender = CONTEXT.Pipe(duplex=False)
    child = start(_send, sender, function, arguments)
    sender.close()
    try:
        found = receiver.recv() if receiver.poll(_ANSWER_S) else None
    except EOFError:
        found = None
    child.join(_ANSWER_S)
    child.kill()
    child.join()
    return child.exitcode, found


def start(function: Callable[..., Any], *arguments: Any) -> ForkServerProcess:
    """Start a process that runs a function of a module in this process's environment."""
    child = CONTEXT.Process(target=_in_environment, args=(dict(os.environ), function, arguments))
    child.start()
    return child


def _in_environment(environment: dict[str, str], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    function(*arguments)


def _send(sender: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    sender.send(function(*arguments))
