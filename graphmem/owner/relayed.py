"""`python -m graphmem.owner.relayed DESCRIPTOR`: opens a store for a forked process (see `store.standin`), and answers its
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
from graphmem.store.standin import Told, Wanted

_VALUES = (str, bytes, int, float, bool, list, tuple, dict, set, frozenset, date, timedelta, PurePath, Enum, type(None))


def answer_call(memory: Memory, wanted: Wanted) -> Told:
    """Return a value, an error, or that something has parts."""
    try:
        with suppress(FileNotFoundError):  # the fork's folder was deleted
            os.chdir(wanted.directory)
        found: Any = memory
        for name in wanted.path:
            found = getattr(found, name)
        if wanted.given is not None:
            arguments, named = wanted.given
            return Told(found(*arguments, **named))
        return Told(found) if isinstance(found, _VALUES) else Told(has_parts=True)
    except Exception as error:  # noqa: BLE001 (raised again in the fork)
        return Told(error=(type(error), error.args, vars(error)))


def main() -> None:
    """Answer calls until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the whole group: the fork decides when this ends
    pipe: Connection[Any, Any] = Connection(int(sys.argv[1]))
    opening = pipe.recv()
    store = Store(opening.path, opening.settings, opening.project, daemon=opening.daemon, name=opening.name)
    with Memory(store) as memory, suppress(EOFError, ConnectionError):
        while True:
            told = answer_call(memory, pipe.recv())
            try:
                pipe.send(told)
            except (AttributeError, TypeError, ValueError, PicklingError):  # a generator, or the like
                refused = "this result cannot be handed to a forked process: open the memory in a program of its own"
                pipe.send(Told(error=(TypeError, (refused,), {})))


if __name__ == "__main__":
    main()
