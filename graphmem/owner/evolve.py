"""`python -m graphmem.owner.evolve STORE`: runs memify for the owner of a store, as a client of its graph. A run needs
several times the owner's memory, which is freed when this process exits. It exits with the owner."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from graphmem import settings
from graphmem.errors import GraphmemError
from graphmem.memify.run import run_passes_on_store
from graphmem.store import Store
from graphmem.store.remote_index import EvolvePipe, Failed, Step


def evolve(path: Path, pipe: EvolvePipe) -> None:
    """Run the owner's job, and send progress and finally the report or the error."""
    project, wanted = pipe.job()
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    store = Store(path, settings.load_settings(path), project, daemon=True)
    try:
        pipe.tell(run_passes_on_store(store, progress=lambda stage, count: pipe.tell(Step(stage, count)), **wanted))
    except GraphmemError as error:
        pipe.tell(Failed(type(error).__name__, error.message, {name: str(value) for name, value in error.data.items()}))
    finally:
        store.close()


def _leave_with_parent() -> None:
    """Exit when standard input ends, that is, when the parent process ends."""
    while os.read(0, 1):  # not `sys.stdin`, whose lock a waiting thread would hold at exit
        pass
    os._exit(1)


if __name__ == "__main__":
    evolve(Path(sys.argv[1]), EvolvePipe(os.fdopen(0, "rb", buffering=0, closefd=False), sys.stdout.buffer))
