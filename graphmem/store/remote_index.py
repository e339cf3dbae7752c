"""Worker processes for heavy work of the owner: one writes the index, one builds the memory tree, one runs memify. If a
worker cannot start or dies, only time is lost: cursors record what remains to be done."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from graphmem.backends.remote import client
from graphmem.context import Text
from graphmem.errors import error_named
from graphmem.model.changes import Item, Link
from graphmem.model.packed import Damaged, Schema, read_frame, write_frame
from graphmem.model.reports import MemifyReport

_MANY = 10_000  # number of events from which a memify process pays off
_AHEAD = 3  # maximum queued messages, which use memory
_Standings = tuple[tuple[str, int, int], ...]
_Order = tuple[tuple[str, ...], tuple[Item, ...], tuple[Link, ...], dict[str, int], _Standings, str]
_ORDER: Schema[_Order] = Schema(_Order)
_PIPE = 1 << 20  # bytes of a message that fit the pipe without blocking


class RemoteIndexWriter:
    """An index written by another process. `apply` only sends messages, and `cursors` are those that the process will
    have reached. All other methods wait until it has finished."""

    def __init__(self, text: Text, helper: subprocess.Popen[bytes]) -> None:
        self._text = text
        self._helper = helper
        self._cursors = text.cursors()
        self._waiting = 0
        self._lost = False
        if sys.platform == "linux" and helper.stdin is not None:
            import fcntl

            with contextlib.suppress(OSError):  # the system may allow less
                fcntl.fcntl(helper.stdin, fcntl.F_SETPIPE_SZ, _PIPE)

    def apply(
        self,
        removed: Sequence[str],
        items: Sequence[Item],
        links: Sequence[Link],
        cursors: Mapping[str, int],
        standings: Sequence[tuple[str, int, int]] = (),
        ahead: str = "",
    ) -> None:
        """Queue changes for the process. They are not visible yet."""
        self._cursors |= cursors
        self._wait(_AHEAD)
        order = (tuple(removed), tuple(items), tuple(links), dict(cursors), tuple(standings), ahead)
        self._tell(_ORDER.pack(order))
        self._waiting += 1

    def cursors(self) -> dict[str, int]:
        """Return the cursors that will be reached."""
        return dict(self._cursors)

    def __getattr__(self, name: str) -> Any:
        self._wait()
        return getattr(self._text, name)

    def finish(self) -> None:
        """Wait until everything is written, and let the process exit."""
        self._wait()
        self._tell(b"")
        self._helper.wait()

    def _wait(self, most: int = 0) -> None:
        assert self._helper.stdout is not None
        while self._waiting > most and not self._lost:
            self._lost = not self._helper.stdout.read(1)
            self._waiting -= 1

    def _tell(self, order: bytes) -> None:
        assert self._helper.stdin is not None
        try:
            write_frame(self._helper.stdin, order)
        except OSError:
            self._lost = True


def read_messages(source: IO[bytes]) -> Iterator[bytes]:
    """Yield the messages of `RemoteIndexWriter`, in order. Raises EOFError if it ends without an end message."""
    while order := read_frame(source):
        yield order


def apply_message(text: Text, order: bytes) -> None:
    """Apply a message to the index."""
    text.apply(*_ORDER.unpack(order))


@contextlib.contextmanager
def index_beside(text: Text, helper: subprocess.Popen[bytes] | None) -> Iterator[Text]:
    """Yield the index as written by another process, or the index itself if there is no such process."""
    if helper is None:
        yield text
        return
    with terminate_worker(helper):
        beside = RemoteIndexWriter(text, helper)
        yield cast("Text", beside)
        beside.finish()


def run_memify_worker(
    store: Path, project: str, events: int, wanted: Mapping[str, Any], progress: Callable[[str, int], None]
) -> MemifyReport | None:
    """Return the result of a memify run in another process; None if it must run in this one because there are few events.
    Raises what the run raises."""
    if events < _MANY or (helper := client.start_worker("evolve", store)) is None:
        return None
    assert helper.stdin is not None and helper.stdout is not None
    with terminate_worker(helper):
        pipe = EvolvePipe(helper.stdout, helper.stdin)
        try:
            pipe.start(project, wanted)
            while isinstance(news := pipe.news(), Step):
                progress(*news)
        except (OSError, EOFError, Damaged):  # it died
            return None
    if isinstance(news, Failed):
        raise error_named(news.kind, news.message, news.data)
    return news


class Step(NamedTuple):
    """Number of steps of a stage completed since the last message."""

    stage: str
    done: int


class Failed(NamedTuple):
    """An error in the worker: class name, message and data."""

    kind: str
    message: str
    data: dict[str, Any]


_Job = tuple[str, str, tuple[str, ...] | None, bool]  # project, trigger, passes, force


class EvolvePipe:
    """The protocol between the owner and a memify worker."""

    def __init__(self, source: IO[bytes], out: IO[bytes]) -> None:
        self._source, self._out = source, out
        self._job: Schema[_Job] = Schema(_Job)
        self._news: Schema[Step | MemifyReport | Failed] = Schema(Step | MemifyReport | Failed)

    def start(self, project: str, wanted: Mapping[str, Any]) -> None:
        """Send the job to the worker."""
        passes = wanted["passes"]
        job = (project, wanted["trigger"], tuple(passes) if passes is not None else None, wanted["force"])
        write_frame(self._out, self._job.pack(job))

    def job(self) -> tuple[str, dict[str, Any]]:
        """Read the job: the project and the arguments of `memify`."""
        project, trigger, passes, force = self._job.unpack(read_frame(self._source))
        return project, {"trigger": trigger, "passes": passes, "force": force}

    def send(self, news: Step | MemifyReport | Failed) -> None:
        """Send progress or the result to the owner."""
        write_frame(self._out, self._news.pack(news))

    def news(self) -> Step | MemifyReport | Failed:
        """Read the next message of the worker. Raises EOFError if it died."""
        return self._news.unpack(read_frame(self._source))


@contextlib.contextmanager
def terminate_worker(helper: subprocess.Popen[bytes]) -> Iterator[None]:
    """Ensure that the worker process has ended after the block."""
    try:
        yield
    finally:
        helper.kill()
        with contextlib.suppress(OSError):  # unread messages
            helper.__exit__(None, None, None)


def exit_with_parent() -> None:
    """Start a thread that ends this worker with its standard input, that is, with its parent. Nothing else may read it."""
    threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    while os.read(0, 1):  # not `sys.stdin`, whose lock a waiting thread would hold at exit
        pass
    os._exit(1)
