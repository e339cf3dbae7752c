"""Rebuild: make every projection again from the log. Derivations and vectors are kept, so no step runs twice and no model
is paid twice. The old graph answers until the new one is complete and takes its place."""

from __future__ import annotations

from collections.abc import Callable

from graphmem.cognify.conclusions import forget_conclusions
from graphmem.cognify.ledger import forget_ledger
from graphmem.errors import BufferFull
from graphmem.model.events import Purged
from graphmem.model.sources import ProcessReport
from graphmem.upkeep import saved, trees
from graphmem.upkeep.catchup import COGNIFIED, catch_up
from graphmem.upkeep.parts import Parts, instead

REBUILD, ERASE = "rebuild", "erase"  # names of work that must be finished once begun
Progress = Callable[[str, int], None]


def rebuild(parts: Parts, progress: Progress) -> ProcessReport:
    """Replay the log into an emptied index and a fresh graph, read the indexed trees again, and put the graph in place.
    Killed at any moment, it is done again by the next `process`. Damaged derivations are made again. Raises StoreDamaged
    for a damaged log, before anything was touched."""
    parts.log.check()
    if parts.log.mend():
        parts.renewal.drop_tree()
        parts.log.state.reach(COGNIFIED, 0)
    parts.log.state.begin(REBUILD)
    try:
        return _replay(parts, progress)
    except BufferFull:
        return _replay(parts, progress, roomy=True)


def _replay(parts: Parts, progress: Progress, *, roomy: bool = False) -> ProcessReport:
    parts.renewal.clear_index()
    parts.renewal.drop_damaged()
    fresh = parts.renewal.fresh_graph(roomy)
    try:
        followers = _let_go, *parts.followers
        report = catch_up(instead(parts, graph=fresh, followers=followers), progress)
    except BaseException:
        fresh.close()
        raise
    parts.renewal.adopt_graph(fresh)
    parts.renewal.sweep_index()
    parts.log.state.finish(REBUILD)
    return report


def _let_go(parts: Parts) -> None:
    """Everything is concluded, and the memory tree, which comes next, needs the room."""
    forget_conclusions(parts.log)
    forget_ledger(parts.log)


def erase(parts: Parts, progress: Progress) -> Purged:
    """Erase what was forgotten from every file: payloads from the log, the rest by making it again. Once begun it is
    finished by the next `process`, whatever happens. Raises StoreError while a reader holds old pages."""
    parts.log.state.begin(ERASE)
    purged = parts.log.purge()
    rebuild(parts, progress)
    parts.renewal.purge_index()
    saved.prune(parts, trees.states(parts))
    parts.log.state.finish(ERASE)
    return purged
