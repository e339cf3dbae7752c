"""`python -m graphmem.owner.evolve STORE`: runs memify for the owner of a store, whose graph it asks as any client does. What a run
needs is several times what an owner holds, and a process that ends gives all of it back. It ends with the owner."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from pathlib import Path
from typing import Any

from graphmem import settings
from graphmem.errors import GraphmemError
from graphmem.memify.run import memify
from graphmem.store import Store


def evolve(path: Path, project: str, wanted: dict[str, Any]) -> None:
    """Run, and tell on standard output: each step as (stage, count), at last the report or the error."""
    store = Store(path, settings.load(path), project, daemon=True)
    try:
        _tell(memify(store, progress=lambda stage, count: _tell((stage, count)), **wanted))
    except GraphmemError as error:
        _tell(error)
    finally:
        store.close()


def _tell(news: object) -> None:
    pickle.dump(news, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
    sys.stdout.buffer.flush()


def _leave_with_parent() -> None:
    """Standard input ends when the process that started this one does."""
    while os.read(0, 1):  # not `sys.stdin`, whose lock a waiting thread would hold at the end
        pass
    os._exit(1)


if __name__ == "__main__":
    project, wanted = pickle.load(os.fdopen(0, "rb", buffering=0, closefd=False))
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    evolve(Path(sys.argv[1]), project, wanted)
