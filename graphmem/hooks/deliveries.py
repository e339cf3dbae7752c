"""Takes in what hooks were told and could not record: their process was killed, ran out of its time, or found the log busy.
Each is recorded once, with the time at which it was told; what cannot be recorded at all is put aside and named by `doctor`."""

from __future__ import annotations

import json
from typing import Any, cast

from graphmem.errors import GraphmemError
from graphmem.hooks.capture import record
from graphmem.hooks.context import HookContext
from graphmem.log import spool

IN_FLIGHT_S = 10.0  # seconds within which a hook, or the owner that it asked, still records by itself


def take_in(host: HookContext, *, older_s: float = 0) -> int:
    """Record what waits, but for what came less than so many seconds ago; returns how many entries. Where the log cannot be
    written now, the rest goes on waiting."""
    taken, store = 0, str(host.path)
    for entry in spool.entries(store, older_s=older_s):
        try:
            given = json.loads(entry.body.decode("utf-8", "replace"))
            record(cast(HookContext, _Then(host, entry.at)), entry.event, {**given, spool.DELIVERY: entry.delivery})
        except GraphmemError:
            return taken
        except Exception:  # noqa: BLE001 - whatever it holds, it holds up no other
            spool.put_aside(store, entry.delivery)
            continue
        taken += 1
    return taken


class _Then:
    """An open store at the time at which a hook was called."""

    def __init__(self, host: HookContext, at: int) -> None:
        self._host = host
        self._at = at

    @property
    def clock(self) -> _Then:
        """Itself: it tells that time."""
        return self

    def now(self) -> int:
        """Microseconds since 1970."""
        return self._at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)
