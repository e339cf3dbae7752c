"""`python -m graphmem.owner.fill STORE`: writes the index of a store with changes sent by the owner, while the owner
writes the graph. It exits with the owner, because two writers would undo each other's changes."""

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

_TURN_S = 0.001  # run time between reads of new messages, for which the sender waits


@without_gc()
def fill(path: Path, waiting: SimpleQueue[bytes | None]) -> None:
    """Apply messages until None; write a byte to standard output after each. When all are confirmed, they are committed."""
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
    """Exit when standard input ends, that is, when the parent process ends."""
    source = os.fdopen(0, "rb", closefd=False)  # not `sys.stdin`, whose lock a waiting thread would hold at exit
    try:
        for order in read_messages(source):
            waiting.put(order)
        waiting.put(None)
    except (EOFError, OverflowError, MemoryError):  # the owner may die in the middle of a message
        os._exit(1)


if __name__ == "__main__":
    sys.setswitchinterval(_TURN_S)
    told: SimpleQueue[bytes | None] = SimpleQueue()
    threading.Thread(target=_listen, args=[told], daemon=True).start()
    fill(Path(sys.argv[1]), told)
