"""`python -m graphmem.owner.derive STORE`: derives knowledge from the events of a store for its owner. It keeps the language
model between jobs, writes only to the log and the backlog, and exits with the owner."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue

from graphmem import settings
from graphmem.errors import GraphmemError
from graphmem.store import Store
from graphmem.store.deriving import DerivationJob, Derived, read_job, write_answer
from graphmem.store.remote_index import Failed
from graphmem.sync.derivations import run_derivations

_POLL_S = 0.1  # between two looks for new events


def derive(path: Path, jobs: SimpleQueue[DerivationJob]) -> None:
    """Run the owner's jobs; each answer is the number of new derivations, or the error."""
    store: Store | None = None
    followed = 0
    while True:
        job = jobs.get()
        store = store or Store(path, settings.load_settings(path), job.project, daemon=True)
        if job.follows:
            followed += _follow(store, job, jobs)
            continue
        answer: Derived | Failed
        try:
            answer = Derived(followed + run_derivations(store, job.stages))
        except GraphmemError as error:
            data = {name: str(value) for name, value in error.data.items()}
            answer = Failed(type(error).__name__, error.message, data)
        followed = 0
        write_answer(sys.stdout.buffer, answer)


def _follow(store: Store, job: DerivationJob, jobs: SimpleQueue[DerivationJob]) -> int:
    """Run the stages until there is another job, and return the number of new derivations. After an error, wait for that job,
    which meets it again and reports it."""
    total = 0
    with suppress(GraphmemError):
        while jobs.empty():
            total += run_derivations(store, job.stages)
            time.sleep(_POLL_S)
    return total


def _listen(jobs: SimpleQueue[DerivationJob]) -> None:
    """Exit when standard input ends, that is, when the owner ends or needs no more."""
    source = os.fdopen(0, "rb", closefd=False)  # not `sys.stdin`, whose lock a waiting thread would hold at exit
    try:
        while True:
            jobs.put(read_job(source))
    except (EOFError, OSError):
        os._exit(0)


if __name__ == "__main__":
    given: SimpleQueue[DerivationJob] = SimpleQueue()
    threading.Thread(target=_listen, args=[given], daemon=True).start()
    derive(Path(sys.argv[1]), given)
