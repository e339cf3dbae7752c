"""Checks that a projection was built from this log, and has not lost its last writes. A crash can undo writes of an
index that were not synced to disk and leave it consistent, so the log records a watermark of its progress. Every search
checks this, so imports are minimal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphmem.errors import StoreDamaged
from graphmem.ports.text import DERIVED, EVENTS

if TYPE_CHECKING:
    from graphmem.ports.log import LogState

ANCHOR = "anchor"  # a cursor: a value unique to this history at the cursor of events
MENDED = "mended/"  # prefix of marks for what was damaged and rebuilt; they contain the time in microseconds
_MARK = "index/"  # prefix of marks in the log
_NO_PLACES = (ANCHOR, "made")  # cursors that record the versions it was built with


def check_lineage(state: LogState, cursors: Mapping[str, int]) -> None:
    """Raise StoreDamaged if the log is not the history that these cursors were built from. A truncated or replaced log
    reuses positions, so later events would be missed."""
    at = cursors.get(EVENTS, 0)
    if at and not state.history_fingerprint(1):
        raise StoreDamaged(
            "log.db, the source of graph and index, is missing: restore it from a backup, or run"
            " `graphmem rebuild --accept-loss` to start again without it"
        )
    if (at and cursors.get(ANCHOR) != state.history_fingerprint(at)) or cursors.get(
        DERIVED, 0
    ) > state.last_derivation_number():
        raise StoreDamaged(
            "log.db is not the log of these projections: it was replaced or lost its end; after you restored an older"
            " backup, `graphmem rebuild --accept-loss` is the normal next step and continues with the events in it,"
            " otherwise restore log.db from a backup first"
        )


def save_watermark(state: LogState, cursors: Mapping[str, int], *, done: bool) -> None:
    """Record what an index contains; the events only if all work was `done`, including embeddings."""
    noted = state.watermarks(_MARK)
    left = _NO_PLACES if done else (*_NO_PLACES, EVENTS)
    wanted = {name: cursors.get(name, 0) for name in {*cursors, *noted} if name not in left}
    for name, at in wanted.items():
        if noted.get(name, 0) != at:
            state.save_watermark(_MARK + name, at)


def is_behind(state: LogState, cursors: Mapping[str, int]) -> bool:
    """Return whether an index with these cursors once contained more."""
    return any(cursors.get(name, 0) < at for name, at in state.watermarks(_MARK).items())


def load_watermark(state: LogState) -> int:
    """Return the position up to which everything was done for the index."""
    return state.watermarks(_MARK).get(EVENTS, 0)
