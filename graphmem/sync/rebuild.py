"""Rebuilds every projection from the log. Derivations and vectors are reused, so no step and no model call is repeated.
The old graph keeps answering until the new one replaces it."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from graphmem.cognify.conclusions import forget_conclusions
from graphmem.cognify.ledger import forget_ledger
from graphmem.context import StoreContext, with_overrides
from graphmem.errors import BufferFull, GraphmemError
from graphmem.model.events import Purged
from graphmem.model.sources import ProcessReport
from graphmem.model.storefiles import FOLLOW_UPS
from graphmem.projections.runner import NO_GRAPH, NO_TEXT, UNREADABLE
from graphmem.sync.derivations import COGNIFIED
from graphmem.sync.offenders import set_offenders_aside
from graphmem.sync.pipeline import catch_up

REBUILD, ERASE, FOLLOW = "rebuild", "erase", "follow"  # names of operations that must be completed once started
Progress = Callable[[str, int], None]


def rebuild_projections(context: StoreContext, progress: Progress) -> ProcessReport:
    """Replay the log into an emptied index and a fresh graph, re-read the indexed trees, and replace the graph. If
    killed, the next `process` repeats it. Damaged derivations are recomputed. Raises StoreDamaged for a damaged log,
    before anything is changed. Events that the graph engine rejects become dead letters."""
    context.log.check()
    if context.log.drop_damaged_derivations():
        context.renewal.drop_tree()
        context.log.state.save_watermark(COGNIFIED, 0)
    context.log.state.begin_operation(REBUILD)
    try:
        return _replay(context, progress)
    except BufferFull:
        return _replay(context, progress, roomy=True)
    except GraphmemError:
        raise
    except Exception as error:  # noqa: BLE001 - the engine, although all values were looked at
        set_offenders_aside(context, error)
        return _replay(context, progress)


def _replay(context: StoreContext, progress: Progress, *, roomy: bool = False) -> ProcessReport:
    for tried_again in (UNREADABLE, NO_GRAPH, NO_TEXT):  # except what the engine rejected: it would do so again
        context.backlog.let_go(tried_again)
    context.renewal.clear_index()
    context.renewal.drop_damaged()
    fresh = context.renewal.fresh_graph(roomy)
    try:
        report = catch_up(with_overrides(context, graph=fresh), progress, on_concluded=_release_conclusions)
    except BaseException:
        fresh.close()
        raise
    context.renewal.adopt_graph(fresh)
    context.renewal.sweep_index()
    context.log.state.finish_operation(REBUILD)
    return report


def _release_conclusions(context: StoreContext) -> None:
    """Free the data that conclusions were drawn from: the memory tree, which comes next, needs the memory."""
    forget_conclusions(context.log)
    forget_ledger(context.log)


def follow_rewriting(context: StoreContext, progress: Progress) -> None:
    """Rebuild the projections, and erase what they lose: another store of the same log has forgotten or merged something. Once
    started, the next `process` completes it after any crash."""
    context.log.state.begin_operation(REBUILD)
    rebuild_projections(context, progress)
    context.renewal.purge_index()
    context.log.state.finish_operation(FOLLOW)


def erase_forgotten(context: StoreContext, progress: Progress) -> Purged:
    """Erase forgotten data from every file: payloads from the log, everything else by rebuilding it. Once started, the
    next `process` completes it after any crash. Raises StoreError while a reader holds old pages."""
    from graphmem.code import index_store, tree_states
    from graphmem.memify.categories import forget_words

    context.log.state.begin_operation(ERASE)
    purged = context.log.purge()
    rebuild_projections(context, progress)
    if forget_words(context.log, context.text.unknown):
        context.log.purge()
        rebuild_projections(context, progress)
    letters = (*context.backlog.letters(dead=False), *context.backlog.letters(dead=True))
    context.backlog.purge(context.log.get([letter.event for letter in letters]))
    context.renewal.purge_index()
    shutil.rmtree(context.path / FOLLOW_UPS, ignore_errors=True)
    index_store.prune_indexes(context, tree_states.latest_states(context))
    context.log.state.finish_operation(ERASE)
    return purged
