"""`python -m graphmem.owner.fork_server DESCRIPTOR`: opens a store for a forked process (see `store.fork_client`), and answers its
calls until it closes the pipe."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from datetime import date, timedelta
from enum import Enum
from multiprocessing.connection import Connection
from pathlib import PurePath
from pickle import PicklingError
from typing import Any

from graphmem.memory import Memory
from graphmem.store import Store
from graphmem.store.fork_client import ForkRequest, ForkResponse

_VALUES = (str, bytes, int, float, bool, list, tuple, dict, set, frozenset, date, timedelta, PurePath, Enum, type(None))


def answer_call(memory: Memory, request: ForkRequest) -> ForkResponse:
    """Return a value, an error, or that something has parts."""
    try:
        with suppress(FileNotFoundError):  # the fork's folder was deleted
            os.chdir(request.directory)
        found: Any = memory
        for name in request.path:
            found = getattr(found, name)
        if request.given is not None:
            arguments, named = request.given
            return ForkResponse(found(*arguments, **named))
        return ForkResponse(found) if isinstance(found, _VALUES) else ForkResponse(has_parts=True)
    except Exception as error:  # noqa: BLE001 (raised again in the fork)
        return ForkResponse(error=(type(error), error.args, vars(error)))


def main() -> None:
    """Answer calls until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the whole group: the fork decides when this ends
    pipe: Connection[Any, Any] = Connection(int(sys.argv[1]))
    opening = pipe.recv()
    store = Store(opening.path, opening.settings, opening.project, daemon=opening.daemon, name=opening.name)
    with Memory(store) as memory, suppress(EOFError, ConnectionError):
        while True:
            response = answer_call(memory, pipe.recv())
            try:
                pipe.send(response)
            except (AttributeError, TypeError, ValueError, PicklingError):  # a generator, or the like
                refused = "this result cannot be handed to a forked process: open the memory in a program of its own"
                pipe.send(ForkResponse(error=(TypeError, (refused,), {})))


if __name__ == "__main__":
    main()
