"""`python -m graphmem.owner.fill STORE`: brings the index of a store up to its log while the owner makes the graph, and
ends with the owner: of two processes that replay a log into one index, the older would undo what the newer removed."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from graphmem import settings
from graphmem.projections.runner import Runner
from graphmem.wiring import Store


def fill(path: Path) -> None:
    """Project all that is new into the index."""
    store = Store(path, settings.load(path))
    try:
        Runner(store.log, None, store.text, store.settings.types.step).run()
    finally:
        store.close()


def _leave_with_parent() -> None:
    """Standard input ends when the process that started this one does."""
    while os.read(0, 1):  # not `sys.stdin`, whose lock a waiting thread would hold at the end
        pass
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    fill(Path(sys.argv[1]))
