"""Records hook input that a hook could not record itself: its process was killed, timed out, or found the log busy. Each
input is recorded once, with its original time. Unrecordable input is set aside and listed by `doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from graphmem.errors import GraphmemError
from graphmem.hooks.capture import record_event
from graphmem.hooks.events import parse_input
from graphmem.log import spool

if TYPE_CHECKING:
    from graphmem.context import HookContext

IN_FLIGHT_S = 10.0  # seconds during which a hook, or the owner it asked, still records by itself


def record_waiting(host: HookContext, *, older_s: float = 0) -> int:
    """Record waiting input older than so many seconds; return the number of entries. If the log is not writable, the rest
    keeps waiting."""
    taken, store = 0, str(host.path)
    for entry in spool.waiting_entries(store, older_s=older_s):
        try:
            given = parse_input(entry.body)
            context = cast("HookContext", _ContextAt(host, entry.at))
            record_event(context, entry.event, {**given, spool.DELIVERY: entry.delivery})
        except GraphmemError:
            return taken
        except Exception:  # noqa: BLE001 - whatever it holds, it holds up no other
            spool.put_aside(store, entry.delivery)
            continue
        taken += 1
    return taken


class _ContextAt:
    """An open store whose clock shows the time at which a hook was called."""

    def __init__(self, host: HookContext, at: int) -> None:
        self._host = host
        self._at = at

    @property
    def clock(self) -> _ContextAt:
        """Return itself as the clock."""
        return self

    def now(self) -> int:
        """Return the time in microseconds since 1970."""
        return self._at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)
