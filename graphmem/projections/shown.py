"""Whether a projection and the log belong together: the log must be the one that it was made from, and an index that lost its
last writes (they need not wait for the disk) is whole in itself, so that only what it showed before tells. How far it got is
noted in the log. Every search asks, so nothing large is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphmem.errors import StoreDamaged
from graphmem.ports.text import DERIVED, EVENTS

if TYPE_CHECKING:
    from graphmem.ports.log import LogState

ANCHOR = "anchor"  # a cursor: what only this history has at the cursor of events
MENDED = "mended/"  # marks of what was found broken and made again begin so; they hold the time, in microseconds
_MARK = "index/"  # marks in the log begin so
_NO_PLACES = (ANCHOR, "made")  # cursors that tell of what something was made


def check_lineage(state: LogState, cursors: Mapping[str, int]) -> None:
    """A log that lost its end, or was replaced, gives its positions away anew: nothing after them would be seen. Raises
    StoreDamaged where what has these cursors was made from another history."""
    at = cursors.get(EVENTS, 0)
    if at and not state.anchor(1):
        raise StoreDamaged(
            "log.db, the source of graph and index, is missing: restore it from a backup, or run"
            " `graphmem rebuild` to start again without it"
        )
    if (at and cursors.get(ANCHOR) != state.anchor(at)) or cursors.get(DERIVED, 0) > state.derivations():
        raise StoreDamaged(
            "log.db is not the log that the projections were made from: it was replaced or lost its end;"
            " restore it from a backup, or run `graphmem rebuild` to go on with what it holds"
        )


def save_watermark(state: LogState, cursors: Mapping[str, int], *, done: bool) -> None:
    """Note what an index shows; of events only where all was `done`: then their texts were embedded, too."""
    noted = state.marks(_MARK)
    left = _NO_PLACES if done else (*_NO_PLACES, EVENTS)
    wanted = {name: cursors.get(name, 0) for name in {*cursors, *noted} if name not in left}
    for name, at in wanted.items():
        if noted.get(name, 0) != at:
            state.reach(_MARK + name, at)


def is_behind(state: LogState, cursors: Mapping[str, int]) -> bool:
    """Whether an index with these cursors showed more before."""
    return any(cursors.get(name, 0) < at for name, at in state.marks(_MARK).items())


def watermark(state: LogState) -> int:
    """The position up to which everything was done for the index."""
    return state.marks(_MARK).get(EVENTS, 0)
