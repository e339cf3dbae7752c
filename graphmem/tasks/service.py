"""`mem.tasks`: combines the methods of `writes.py`, `reads.py` and `exchange.py`. The state is in `book.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from graphmem.model.checked import check_arguments
from graphmem.ports.clock import Clock
from graphmem.ports.log import EventLog
from graphmem.privacy import PrivacySettings
from graphmem.tasks.blockers import BlockerLookup
from graphmem.tasks.exchange import TaskExchange
from graphmem.tasks.ledger import AppendDrafts, Ledger
from graphmem.tasks.match.matcher import Matcher
from graphmem.tasks.reads import TaskReads
from graphmem.tasks.ready import Ready
from graphmem.tasks.writes import TaskWrites

if TYPE_CHECKING:
    from graphmem.ports.embedder import Embedder

T = TypeVar("T")


def _one_at_a_time(service: type[T]) -> type[T]:
    """Make every public method hold the ledger's lock: threads share one book, which is updated while it is read."""

    def locked(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(self: Any, *arguments: Any, **named: Any) -> Any:
            with self._ledger.lock:
                return method(self, *arguments, **named)

        return call

    for base in reversed(service.__mro__[:-1]):
        for name, member in list(vars(base).items()):
            if callable(member) and not name.startswith("_"):
                setattr(service, name, locked(member))
    return service


@check_arguments
@_one_at_a_time
class Tasks(TaskWrites, TaskReads, TaskExchange):
    """The tasks of one project. `record` redacts (as `hiding` specifies) and appends drafts. `embedder` is called at the
    first match and may return None. `origin` identifies the store (machine) among merged ones."""

    def __init__(
        self,
        log: EventLog,
        record: AppendDrafts,
        clock: Clock,
        project: str = "",
        *,
        embedder: Callable[[], Embedder | None] | None = None,
        origin: str = "",
        actor: str = "",
        hiding: PrivacySettings | None = None,
    ) -> None:
        self._ledger = Ledger(log, record, clock, project, origin=origin, actor=actor, hiding=hiding)
        self._matcher = Matcher(embedder)
        self._ready = Ready()
        self._lookup = BlockerLookup(self._ledger, lambda text, exclude: self.match(text, exclude=exclude))
