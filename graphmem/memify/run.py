"""Runs memify: records the run as an event, runs its passes, and writes the results to graph and index. After a rebuild,
the last runs are repeated from the log with their stored decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter

from graphmem.memify.passes import TELLING, run_passes, select_passes
from graphmem.memify.run_context import MemifyStore, RunContext
from graphmem.memify.runs import NAMES, Reach, Run, is_restored, past_runs, read_run
from graphmem.memify.standing import standing_changes
from graphmem.memify.usage import DAY
from graphmem.memify.weigh import pin_recent
from graphmem.model.changes import Changes
from graphmem.model.events import Draft
from graphmem.model.reports import MemifyReport
from graphmem.ports.entries import Priors
from graphmem.ports.log import EventLog

OWN = frozenset({"memified", "graduated"})  # events that runs append
_NONE = Run("", 0, 0, 0, ())
Progress = Callable[[str, int], None]


def run_passes_on_store(
    store: MemifyStore,
    trigger: str = "daily",
    passes: Sequence[str] | None = None,
    *,
    force: bool = False,
    progress: Progress = lambda stage, count: None,
) -> MemifyReport:
    """Run the passes of a trigger, or the named ones, on all items. Nothing is repeated for the same day and log, unless
    forced; then the result is the same. Raises UsageError for an unknown trigger or pass."""
    started, names = perf_counter(), select_passes(trigger, passes)
    log, now = store.log, store.clock.now()
    whole = restore_last_run(store)
    fresh = {
        name
        for name, run in _last(past_runs(log)).items()
        if whole and run.day == now // DAY and not _grown(log, run.upto)
    }
    if not force and fresh.issuperset(names):
        return MemifyReport(False)
    head = log.head()
    payload = {"trigger": trigger, "passes": list(names), "day": now // DAY, "upto": head}
    event = store.recorder.record([Draft("memified", payload, now, "", store.project, "system")])[0]
    run = read_run(log.get([event.id])[event.id])
    context = _desk(store, run, deciding=True)
    pin_recent(context)
    for name in names:
        run_passes(context, [name])
        progress(name, 1)
    _write(context, Reach.of(log.state))
    return MemifyReport(True, names, dict(sorted(context.counts.items())), round(perf_counter() - started, 3))


def restore_last_run(store: MemifyStore) -> bool:
    """Bring index and graph in line with the runs and manual decisions in the log. Fast if nothing is missing. Return
    whether the last run was complete."""
    reach = Reach.of(store.log.state)
    text, graph = Reach.shown(store.text.cursors()), Reach.shown(store.graph.cursors())
    if is_restored(reach, text, graph):
        return True
    last = _last(past_runs(store.log))
    needed = sorted(set(last.values()), key=lambda run: run.clock) or [_NONE]
    if text.memified == graph.memified == reach.memified:
        for run in needed:
            context = _desk(store, run)
            pin_recent(context)
            run_passes(context, [name for name in TELLING if last.get(name) is run])
            _write(context, reach if run is needed[-1] else None)
        return True
    before: Priors | None = Priors.empty(0)  # both start empty: everything is written again
    for run in needed:
        context = _desk(store, run, before=before)
        pin_recent(context)
        run_passes(context, run.passes)
        _write(context, reach if run is needed[-1] else None)
        before = None
    return not (text.memified and graph.memified)


def _desk(store: MemifyStore, run: Run, *, deciding: bool = False, before: Priors | None = None) -> RunContext:
    kept = store.text.columns.priors() if before is None else before
    context = RunContext(store, run, deciding, kept, kept, anew=before is not None)
    size = int(context.entries.rows.max(initial=0)) + 1
    context.priors, context.before = kept.grown(size), kept.grown(size)
    return context


def _write(context: RunContext, reach: Reach | None) -> None:
    """Write the graph first: the index records what the graph has, so an interrupted run is repeated."""
    graph, text = context.store.graph, context.store.text
    for changes in context.changes:
        if changes:
            graph.apply(changes, {})
            text.apply(changes.removed_items, changes.items, changes.links, {})
    for stream in (*context.streams, standing_changes(context)):
        for changes in stream:
            if changes:
                graph.apply(changes, {})
    cursors = reach._asdict() if reach else {}
    graph.apply(Changes(), cursors)
    context.store.text.columns.keep(context.priors, cursors)


def _last(every: Iterable[Run]) -> dict[str, Run]:
    """Return the last run of each pass."""
    return {name: run for run in every for name in run.passes if name in NAMES}


def _grown(log: EventLog, upto: int) -> bool:
    """Return whether anything but runs was recorded after a position."""
    return any(event.type not in OWN for event in log.read(upto))
