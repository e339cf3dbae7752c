"""`python -m graphmem.owner.evolve STORE`: runs memify for the owner of a store, as a client of its graph. A run needs
several times the owner's memory, which is freed when this process exits. It exits with the owner."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from graphmem import settings
from graphmem.errors import GraphmemError
from graphmem.memify.run import run_passes_on_store
from graphmem.store import Store
from graphmem.store.remote_index import EvolvePipe, Failed, Step, exit_with_parent


def evolve(path: Path, pipe: EvolvePipe) -> None:
    """Run the owner's job, and send progress and finally the report or the error."""
    project, wanted = pipe.job()
    exit_with_parent()
    store = Store(path, settings.load_settings(path), project, daemon=True)
    try:
        pipe.send(run_passes_on_store(store, progress=lambda stage, count: pipe.send(Step(stage, count)), **wanted))
    except GraphmemError as error:
        pipe.send(Failed(type(error).__name__, error.message, {name: str(value) for name, value in error.data.items()}))
    finally:
        store.close()


if __name__ == "__main__":
    evolve(Path(sys.argv[1]), EvolvePipe(os.fdopen(0, "rb", buffering=0, closefd=False), sys.stdout.buffer))
