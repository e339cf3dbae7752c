"""Helpers that share a large piece of work with the owner of a store, each in a process of its own: one writes the index, one
folds the memory tree, one runs memify. Where one cannot be started or dies, nothing is lost but time: cursors say what is left
to do."""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, cast

from graphmem.errors import GraphmemError
from graphmem.model.changes import Item, Link

if TYPE_CHECKING:
    from graphmem.context import Text
    from graphmem.memify.run import MemifyReport
    from graphmem.store import Store

_MANY = 10_000  # events from which a process for memify pays
_AHEAD = 3  # orders that may wait: they take memory
_LENGTH = 8  # bytes before each order that tell its own
_PIPE = 1 << 20  # bytes of an order that need not be waited for


class IndexBeside:
    """An index that another process writes. `apply` only tells that process what to do, and `cursors` are those that it will
    have then; whatever else is asked waits until it has done everything."""

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
        standings: Sequence[tuple[str, int, bool]] = (),
        ahead: str = "",
    ) -> None:
        """As of any index, but that it is not there yet."""
        self._cursors |= cursors
        self._wait(_AHEAD)
        columns = [list(zip(*rows, strict=True)) for rows in (items, links)]  # a third of the time that objects take
        order = (list(removed), *columns, dict(cursors), list(standings), ahead)
        self._tell(pickle.dumps(order, pickle.HIGHEST_PROTOCOL))
        self._waiting += 1

    def cursors(self) -> dict[str, int]:
        """How far each projection will have got."""
        return dict(self._cursors)

    def __getattr__(self, name: str) -> Any:
        self._wait()
        return getattr(self._text, name)

    def finish(self) -> None:
        """Wait until everything is done, and let the process end."""
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
            self._helper.stdin.write(len(order).to_bytes(_LENGTH, "big"))
            self._helper.stdin.write(order)
            self._helper.stdin.flush()
        except OSError:
            self._lost = True


def orders(source: IO[bytes]) -> Iterator[bytes]:
    """What `IndexBeside` told, in order. Raises EOFError where it ended without saying so."""
    while True:
        length = int.from_bytes(head := source.read(_LENGTH), "big")
        if not length and len(head) == _LENGTH:
            return
        order = source.read(length)
        if not head or len(order) < length:
            raise EOFError
        yield order


def obey(text: Text, order: bytes) -> None:
    """Apply one of them."""
    removed, items, links, *rest = pickle.loads(order)
    text.apply(removed, [*map(Item._make, zip(*items))], [*map(Link._make, zip(*links))], *rest)  # noqa: B905 (many)


@contextlib.contextmanager
def index_beside(text: Text, helper: subprocess.Popen[bytes] | None) -> Iterator[Text]:
    """The index as another process writes it, or itself where there is no such process."""
    if helper is None:
        yield text
        return
    with ended(helper):
        beside = IndexBeside(text, helper)
        yield cast("Text", beside)
        beside.finish()


def evolved(store: Store, wanted: Mapping[str, Any], progress: Callable[[str, int], None]) -> MemifyReport | None:
    """What a run of memify came to in another process; None where it has to be done here. A daemon stays for hours, and would
    hold on to much of what a run takes; few events take little. Raises what the run raises."""
    from graphmem.backends.remote import client

    stays = store.server is not None and store.server.kind == "daemon"
    if not stays or store.log.head() < _MANY or (helper := client.helper("evolve", store.path)) is None:
        return None
    assert helper.stdin is not None and helper.stdout is not None
    with ended(helper):
        try:
            pickle.dump((store.project, dict(wanted)), helper.stdin, pickle.HIGHEST_PROTOCOL)
            helper.stdin.flush()
            while isinstance(news := pickle.load(helper.stdout), tuple):
                progress(*news)
        except (OSError, EOFError, pickle.UnpicklingError):  # it died
            return None
    if isinstance(news, GraphmemError):
        raise news
    return cast("MemifyReport", news)


@contextlib.contextmanager
def ended(helper: subprocess.Popen[bytes]) -> Iterator[None]:
    """Nothing is left of a helper behind the block."""
    try:
        yield
    finally:
        helper.kill()
        with contextlib.suppress(OSError):  # what it did not read any more
            helper.__exit__(None, None, None)
