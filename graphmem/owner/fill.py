"""`python -m graphmem.owner.fill STORE`: brings the index of a store up to its log while the owner makes the graph, then
writes what the owner sends it. It ends with the owner: of two processes that write one index, the older would undo what
the newer removed."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from graphmem import settings
from graphmem.projections.runner import Runner
from graphmem.wiring import Store

_Orders = SimpleQueue[tuple[Any, ...] | None]


def fill(path: Path, orders: _Orders) -> None:
    """Project all that is new into the index, then apply the orders up to None; a byte on standard output after each."""
    store = Store(path, settings.load(path))
    try:
        store.text.expect_much()
        Runner(store.log, None, store.text, store.settings.types.step).run()
        _done()
        while (order := orders.get()) is not None:
            store.text.apply(*order)
            _done()
    finally:
        store.close()


def _done() -> None:
    os.write(1, b".")


def _listen(orders: _Orders) -> None:
    """Standard input ends when the process that started this one does."""
    source = os.fdopen(0, "rb", closefd=False)  # not `sys.stdin`, whose lock a waiting thread would hold at the end
    try:
        while True:
            orders.put(order := pickle.load(source))
            if order is None:
                return
    except (EOFError, pickle.UnpicklingError):  # it may die in the middle of an order
        os._exit(1)


if __name__ == "__main__":
    waiting: _Orders = SimpleQueue()
    threading.Thread(target=_listen, args=[waiting], daemon=True).start()
    fill(Path(sys.argv[1]), waiting)
