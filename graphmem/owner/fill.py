"""`python -m graphmem.owner.fill STORE`: writes what the owner sends it into the index of a store, while the owner makes the
graph. It ends with the owner: of two processes that write one index, the older would undo what the newer removed."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from queue import SimpleQueue

from graphmem import settings
from graphmem.projections.runner import without_gc
from graphmem.store import Store
from graphmem.store.remote_index import apply_message, read_messages

_TURN_S = 0.001  # how long it computes on while more is told: who tells it waits for that


@without_gc()
def fill(path: Path, waiting: SimpleQueue[bytes | None]) -> None:
    """Apply the orders up to None; a byte on standard output after each. When it has told so of all that it was given, they
    are committed."""
    store = Store(path, settings.load_settings(path))
    try:
        store.text.expect_much()
        while (order := waiting.get()) is not None:
            apply_message(store.text, order)
            if waiting.empty():
                store.text.settle()
            os.write(1, b".")
        store.text.settle()
    finally:
        store.close()


def _listen(waiting: SimpleQueue[bytes | None]) -> None:
    """Standard input ends when the process that started this one does."""
    source = os.fdopen(0, "rb", closefd=False)  # not `sys.stdin`, whose lock a waiting thread would hold at the end
    try:
        for order in read_messages(source):
            waiting.put(order)
        waiting.put(None)
    except (EOFError, OverflowError, MemoryError):  # it may die in the middle of an order
        os._exit(1)


if __name__ == "__main__":
    sys.setswitchinterval(_TURN_S)
    told: SimpleQueue[bytes | None] = SimpleQueue()
    threading.Thread(target=_listen, args=[told], daemon=True).start()
    fill(Path(sys.argv[1]), told)
