"""`python -m graphmem.owner.fold STORE`: builds the memory tree of a store from its log, while the owner writes graph and
index, and saves it to its file; it writes a byte to standard output when done. It changes nothing else, and exits with
the owner."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from graphmem import settings
from graphmem.projections.runner import without_gc
from graphmem.store import Store
from graphmem.tree import forest_cache
from graphmem.tree.forest import Forest


@without_gc()
def fold(path: Path) -> None:
    """Read the whole log, then write the tree."""
    store, forest = Store(path, settings.load_settings(path)), Forest()
    try:
        forest.follow(store.log, again=True)
        forest_cache.save_forest(path, forest, store.log)
    finally:
        store.close()
    os.write(1, b".")


def _leave_with_parent() -> None:
    """Exit when standard input ends, that is, when the parent process ends."""
    while os.read(0, 1):  # not `sys.stdin`, whose lock a waiting thread would hold at exit
        pass
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    fold(Path(sys.argv[1]))
