"""How far an index once got, noted in the log: one that lost its last writes (they need not wait for the disk) is whole in
itself, and can only be told by what it showed before. Every search reads it, so it imports nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmem.ports.log import LogState

DONE = "events"  # the cursor of events: noted where their texts were embedded, too
_MARK = "index/"  # marks in the log begin so
_NO_PLACES = ("anchor", "made")  # cursors that tell of what something was made


def note(state: LogState, cursors: Mapping[str, int], *, done: bool) -> None:
    """Note what an index shows; `done`: everything that there was to do for it was done."""
    noted = state.marks(_MARK)
    left = _NO_PLACES if done else (*_NO_PLACES, DONE)
    wanted = {name: cursors.get(name, 0) for name in {*cursors, *noted} if name not in left}
    for name, at in wanted.items():
        if noted.get(name, 0) != at:
            state.reach(_MARK + name, at)


def lost(state: LogState, cursors: Mapping[str, int]) -> bool:
    """Whether an index with these cursors showed more before."""
    return any(cursors.get(name, 0) < at for name, at in state.marks(_MARK).items())


def done(state: LogState) -> int:
    """The position up to which everything was done for the index."""
    return state.marks(_MARK).get(DONE, 0)
