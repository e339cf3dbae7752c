"""The mark that a check leaves in a log that it found damaged, and the warning to whoever records after it. Every command that
writes asks for it, so this module imports almost nothing."""

from __future__ import annotations

from contextlib import suppress

from graphmem.context import StoreContext
from graphmem.errors import GraphmemError

DAMAGED = "damaged"  # watermark in the log: the last check found it damaged
_AT_RISK = (
    "Warning: `graphmem doctor` found the log of this store damaged; what is recorded now has to be recorded again after log.db"
    " is restored from a backup."
)


def warn_of_damage(context: StoreContext) -> str:
    """Return a sentence for who records into a log that was found damaged; "" for any other."""
    with suppress(GraphmemError):
        return _AT_RISK if context.log.state.watermark(DAMAGED) else ""
    return ""
