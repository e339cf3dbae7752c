"""The worker process in which an owner derives knowledge from events: the language model that reads sentences takes 150 MB
and two seconds to load. The worker keeps it between jobs and ends when the owner is idle. If it cannot start or dies, the
owner derives what remains itself: the log records how far it got."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO, NamedTuple

from graphmem.backends.remote import client
from graphmem.errors import error_named
from graphmem.model.packed import Damaged, Schema, read_frame, write_frame
from graphmem.store.remote_index import Failed, terminate_worker


class DerivationJob(NamedTuple):
    """What to do: the project of tasks that are found, and the stages to run. `follows`: without an answer, and again for
    each event that is recorded until the next job, whose answer counts these derivations, too."""

    project: str
    stages: tuple[str, ...]
    follows: bool = False


class Derived(NamedTuple):
    """How many derivations are new."""

    number: int


_JOB: Schema[DerivationJob] = Schema(DerivationJob)
_ANSWER: Schema[Derived | Failed] = Schema(Derived | Failed)


class DerivationWorker:
    """The worker of one store, as its owner sees it. It has at most one job at a time."""

    def __init__(self, store: Path, project: Callable[[], str]) -> None:
        self._store = store
        self._project = project
        self._process: subprocess.Popen[bytes] | None = None
        self._is_busy = self._is_following = False

    @property
    def is_following(self) -> bool:
        """Return whether the worker derives from events as they are recorded."""
        return self._is_following

    def follow(self, stages: Collection[str]) -> None:
        """Let the worker run these stages on all new events, and on those recorded from now on, until `start`."""
        self._is_following = self._send(stages, follows=True)

    def start(self, stages: Collection[str]) -> None:
        """Let the worker run these stages on all new events."""
        self._is_busy = self._send(stages, follows=False)

    def _send(self, stages: Collection[str], *, follows: bool) -> bool:
        """Send a job, and return whether the worker has it."""
        self.finish()  # the job of an operation that failed meanwhile
        self._process, self._is_following = self._process or client.start_worker("derive", self._store), False
        if self._process is None or self._process.stdin is None:
            return False
        try:
            job = DerivationJob(self._project(), tuple(sorted(stages)), follows)
            write_frame(self._process.stdin, _JOB.pack(job))
        except OSError:
            self.close()
            return False
        return True

    def finish(self) -> int:
        """Wait for the job, and return the number of new derivations; 0 without a job, or if the worker died. Raises the error
        of the job."""
        if self._process is None or self._process.stdout is None or not self._is_busy:
            return 0
        self._is_busy = False
        try:
            answer = _ANSWER.unpack(read_frame(self._process.stdout))
        except (OSError, EOFError, Damaged):
            self.close()
            return 0
        if isinstance(answer, Failed):
            raise error_named(answer.kind, answer.message, answer.data)
        return answer.number

    def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        self._is_busy = self._is_following = False
        if process is not None:
            with terminate_worker(process):
                pass


def read_job(source: IO[bytes]) -> DerivationJob:
    """Read the next job of the worker. Raises EOFError when the owner has ended."""
    return _JOB.unpack(read_frame(source))


def write_answer(out: IO[bytes], answer: Derived | Failed) -> None:
    """Send the result of a job to the owner."""
    with contextlib.suppress(BrokenPipeError):
        write_frame(out, _ANSWER.pack(answer))
