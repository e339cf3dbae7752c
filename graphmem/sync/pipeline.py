"""Brings all projections up to date, in order: events, derivations, links, code graphs, vectors. Each stage has its own
cursor, so after a crash the next run continues from there."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from graphmem import resources
from graphmem.code.presence import has_code
from graphmem.cognify.alike import find_paraphrases
from graphmem.cognify.conclusions import KINDS, forget_conclusions
from graphmem.cognify.conclusions import draw_conclusions as conclusions
from graphmem.cognify.ledger import DECIDED, FORGOTTEN, MERGED
from graphmem.cognify.steps import STEPS
from graphmem.cognify.triggers import ALL, CONCLUSIONS
from graphmem.context import StoreContext, with_overrides
from graphmem.endless.projection import project_endless
from graphmem.errors import GraphmemError
from graphmem.log.approvals import DECIDED as APPROVAL_DECIDED
from graphmem.log.approvals import REQUIRED as APPROVAL_REQUIRED
from graphmem.log.upcast import upcast
from graphmem.memify.runs import Reach, is_restored
from graphmem.model.changes import Changes, Node
from graphmem.model.sources import IndexReport, ProcessReport, Projected
from graphmem.model.tasks import CLOSED
from graphmem.ports.backlog import PROJECTION
from graphmem.ports.embedder import Embedder
from graphmem.ports.graph import GraphStore
from graphmem.ports.text import DERIVED, EVENTS
from graphmem.ports.vectors import Outbox
from graphmem.projections.batch import iterate_batches
from graphmem.projections.registry import FACTS, has_projected_event, project_event
from graphmem.projections.registry import STEPS as SHOWN
from graphmem.projections.runner import ENGINE, NO_GRAPH, NO_TEXT, UNREADABLE, Runner, without_gc
from graphmem.sync.derivations import derivations_beside, finish_derivations, read_types
from graphmem.sync.write_behind import write_behind
from graphmem.tree.projection import project_tree

CONCLUDED = "concluded"  # cursor in both: derivations and tombstones that conclusions were drawn from
MADE = "made"  # mark in the index: versions of the steps that produced its content
MATCHED = "matched"  # cursor in the index: fact derivations that were checked for duplicates
REFINED = "refined"  # cursor in the graph: the sum of the others when links were last computed
_LINKS = (
    "link_commits_by_hash",
    "link_commits_by_subject",
    "link_facts_to_files",
    "link_facts_to_qualified",
    "link_facts_to_symbols",
)
_AWAITED = "queries/graph/look/awaited.cypher"
_PRUNE = (
    "prune_commits",
    "prune_files",
    "prune_persons",
    "prune_tags",
    "prune_merged",
    "prune_entities",
    "prune_projects",
)
MIN_EVENTS_FOR_HELPER = 20_000  # number of events from which a second process pays off
Progress = Callable[[str, int], None]


def catch_up(
    context: StoreContext,
    progress: Progress,
    stages: Collection[str] = ALL,
    on_concluded: Callable[[StoreContext], None] = lambda context: None,
) -> ProcessReport:
    """Complete all pending work, with only these derivation and conclusion stages. `on_concluded` is called before the
    memory tree is projected. Raises StoreDamaged if the projections were not built from this log."""
    started = time.perf_counter()
    context.recorder.follow_settings()
    done = ProcessReport()
    if _much_is_new(context):
        with context.renewal.tree_beside(), _shared(context) as sharing:
            done = _bring(sharing, progress, stages, on_concluded)
    rest = _bring(context, progress, stages, on_concluded, embeds=True)  # what a worker left undone
    late, problems = _embed(context, progress)
    embedded = rest.embedded + late
    if context.vectors is not None:
        if embedded:
            context.vectors.build()
        if find_duplicate_facts(context):
            _project(context, progress, context.graph)
            run_conclusions(context, stages)
            refine_links(context.graph)
    _restore_last_run(context)
    events, derived = done.events + rest.events, done.derived + rest.derived
    seconds = time.perf_counter() - started
    return ProcessReport(events, derived, embedded, seconds, (*rest.problems, *problems), (*done.code, *rest.code))


def _follow_code(context: StoreContext, progress: Progress) -> tuple[IndexReport, ...]:
    if not has_code(context):
        return ()
    from graphmem.code.indexing import follow_values, restore_code

    restore_code(context, progress)
    return follow_values(context, progress)


def _restore_last_run(context: StoreContext) -> None:
    shown = (Reach.shown(one.cursors()) for one in (context.text, context.graph))
    if not is_restored(Reach.of(context.log.state), *shown):
        from graphmem.memify.run import restore_last_run

        restore_last_run(context)


def _bring(
    context: StoreContext,
    progress: Progress,
    stages: Collection[str],
    on_concluded: Callable[[StoreContext], None],
    *,
    embeds: bool = False,
) -> ProcessReport:
    """Run everything except the vectors of what is derived, and what depends on them. Another process derives meanwhile, so
    this one computes the other vectors (`embeds`: nobody else writes the index) and the values that code passes on."""
    embedded, problems = 0, tuple[str, ...]()
    with derivations_beside(context, stages):
        projected = _project(context, progress, context.graph)
        if embeds:
            progress("embedding", 0)  # texts can be searched from here on
            embedded, problems = _embed(context, progress)
        progress("deriving", 0)
        if code := _follow_code(context, progress):  # it may have found tasks
            _project(context, progress, context.graph)
        derived = finish_derivations(context, stages) + read_types(context)
    _project(context, progress, context.graph)
    run_conclusions(context, stages)
    on_concluded(context)
    project_tree(context)
    project_endless(context)
    _project(context, progress, context.graph)  # their derivations are not shown, but no reader has to check that
    refine_links(context.graph)
    return ProcessReport(projected.events, derived, embedded, problems=problems, code=code)


def project_pending(
    context: StoreContext, progress: Progress = lambda stage, count: None, *, projected: int | None = None
) -> Projected:
    """Bring graph and index up to date. If there are many new events, another process writes the index; what it leaves
    undone is done here. If the graph has all events up to `projected` and the later ones do not change it, it is left alone:
    the engine takes 130 MB while it is open, and each search of a client records such an event."""
    if projected is not None and not _has_changes(context, projected):
        return _project(context, progress, graph=None)
    done = Projected()
    if _much_is_new(context):
        with _shared(context) as sharing:
            done = _project(sharing, progress, sharing.graph)
    rest = _project(context, progress, context.graph)
    return Projected(done.events + rest.events, done.derivations + rest.derivations)


def _much_is_new(context: StoreContext) -> bool:
    """Return whether workers pay off. Records the versions that a new index is built with."""
    seen = context.text.cursors().get(EVENTS, 0)
    if not seen:
        context.text.apply((), (), (), {MADE: _made(context)})
    return context.log.head() - seen > MIN_EVENTS_FOR_HELPER


@contextmanager
def _shared(context: StoreContext) -> Iterator[StoreContext]:
    """Do the same with an index written by another process, and a graph written while the next batch is prepared."""
    with context.renewal.index_beside() as text, write_behind(context.graph) as graph:
        yield with_overrides(context, text=text, graph=graph)


def _has_changes(context: StoreContext, projected: int) -> bool:
    """Return whether events after a position, or new derivations, change the graph."""
    derived, own = context.text.cursors().get(DERIVED, 0), context.settings.types.step
    unseen = context.log.derivations(derived, steps=[*SHOWN, own] if own else SHOWN)
    return next(unseen, None) is not None or has_projected_event(context.log, projected)


def _project(context: StoreContext, progress: Progress, graph: GraphStore | None) -> Projected:
    own = context.settings.types.step
    barred = [letter.event for letter in context.backlog.letters(dead=True) if letter.step == ENGINE]
    runner = Runner(context.log, graph, context.text, own, context.backlog.set_aside, barred)
    return runner.run(lambda count: progress("projecting", count))


def is_outdated(context: StoreContext) -> bool:
    """Return whether the projections were built with other step versions or another configuration of custom types."""
    cursors = context.text.cursors()
    return bool(cursors.get(EVENTS)) and cursors.get(MADE) != _made(context)


def drop_obsolete_letters(context: StoreContext) -> None:
    """Delete dead letters of other step versions; these are not retried."""
    now = {*(step.name for step in STEPS), context.settings.types.step}
    for letter in [*context.backlog.letters(dead=False), *context.backlog.letters(dead=True)]:
        if letter.step not in now and not letter.step.startswith(PROJECTION):
            context.backlog.settle(letter.step, [letter.event])


def drop_empty_letters(context: StoreContext) -> None:
    """Delete dead letters of the graph and the index about events that make nothing there, such as an agent's own list: what
    was derived from them is no longer projected."""
    letters = [one for one in context.backlog.letters(dead=True) if one.step in (NO_GRAPH, NO_TEXT)]
    events = context.log.get([letter.event for letter in letters]) if letters else {}
    empty = {event.id for event in upcast(events.values()) if not project_event(event)}
    for letter in letters:
        if letter.event in empty:
            context.backlog.settle(letter.step, [letter.event])


def _made(context: StoreContext) -> int:
    told = "+".join([*sorted(SHOWN), *(step.name for step in STEPS), MERGED, UNREADABLE, context.settings.types.step])
    return int(hashlib.sha256(told.encode()).hexdigest()[:12], 16)


@without_gc()
def run_conclusions(context: StoreContext, stages: Collection[str] = ALL) -> None:
    """Draw conclusions from derivations, once after each change. Repeated after a crash."""
    log, text, graph = context.log, context.text, context.graph
    reached = {text.cursors().get(CONCLUDED, 0), graph.cursors().get(CONCLUDED, 0)}
    done = min(reached)
    decisions = map(log.state.last_position, (FORGOTTEN, DECIDED, APPROVAL_REQUIRED, APPROVAL_DECIDED))
    now = text.cursors().get(DERIVED, 0) + sum(decisions)
    if done == now:
        return
    held = text.sources(KINDS) if len(reached) > 1 else None  # one of them was rebuilt or truncated
    changes = conclusions(log, graph, stages, again=not done, held=held)
    cursors = {CONCLUDED: now} if set(stages) >= CONCLUSIONS else {}
    try:
        text.apply(changes.removed_items, changes.items, changes.links, cursors, changes.standings)
        graph.apply(changes, cursors)
    except BaseException:
        forget_conclusions(log)
        raise


def find_duplicate_facts(context: StoreContext) -> int:
    """Find duplicates of newly derived facts; return the number of new derivations that name any. The others show nothing, so
    nothing has to be projected or concluded again because of them."""
    log, text, vectors = context.log, context.text, context.vectors
    seen, now = text.cursors().get(MATCHED, 0), text.cursors().get(DERIVED, 0)
    if vectors is None or seen >= now:
        return 0
    total = 0
    for batch in iterate_batches(d for d in log.derivations(seen, steps=[FACTS]) if d.body["facts"]):
        done = log.processed_sources(MERGED, [derivation.source for derivation in batch])
        found = find_paraphrases([one for one in batch if one.source not in done], text, vectors)
        log.store_derivations(found)
        total += sum(bool(one.body) for one in found)
    text.apply((), (), (), {MATCHED: now})
    return total


def refine_links(graph: GraphStore) -> None:
    """Compute links and delete unreferenced data, once after each change. Repeated after a crash."""
    cursors = graph.cursors()
    now = sum(position for name, position in cursors.items() if name != REFINED)
    if cursors.get(REFINED, 0) != now:
        graph.refine((*_LINKS, *_PRUNE))
        graph.apply(Changes(nodes=_released(graph)), {REFINED: now})


def _released(graph: GraphStore) -> list[Node]:
    """Return the tasks whose status is not what their blockers say: "pending" once nothing that they wait for is open, "blocked"
    when it is open again. Events do not say it, because a condition may hold up many tasks."""
    open_: dict[tuple[str, str], bool] = {}
    for task, status, kind, is_resolved, state in graph.query(resources.text(_AWAITED)).rows:
        is_over = (kind == "Condition" and is_resolved) or (kind == "Task" and state in CLOSED)
        open_[task, status] = open_.get((task, status), False) or not is_over
    wanted = {key: "blocked" if is_open else "pending" for key, is_open in open_.items()}
    return [Node("Task", task, {"status": new}) for (task, status), new in wanted.items() if new != status]


def _embed(context: StoreContext, progress: Progress) -> tuple[int, tuple[str, ...]]:
    if context.outbox is None or context.embedder is None:
        return 0, ()
    return embed_pending(context.outbox, context.embedder, batch=context.settings.embedding.batch, progress=progress)


def embed_pending(
    outbox: Outbox, embedder: Embedder, *, batch: int = 512, progress: Progress = lambda stage, count: None
) -> tuple[int, tuple[str, ...]]:
    """Embed all texts in the outbox; return the number of embedded texts, and failures."""
    done, problems = 0, []
    outbox.reconcile()
    while jobs := outbox.claim(batch):
        try:
            vectors = embedder.embed([job.text for job in jobs])
        except (GraphmemError, RuntimeError, ValueError, OSError) as error:
            outbox.fail(jobs, str(error))
            problems.append(f"embedding: {error}")
            break
        outbox.complete(jobs, vectors)
        done += len(jobs)
        progress("embedding", len(jobs))
    return done, tuple(problems)
