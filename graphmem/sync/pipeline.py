"""Brings every projection up to the log, in order: events, what is derived from them, links between them, code graphs,
vectors. Each stage has its own cursor, so that wherever a process was killed, the next run goes on from there."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from graphmem.code.indexing import follow_values, restore_code
from graphmem.cognify.alike import find_paraphrases
from graphmem.cognify.conclusions import KINDS, forget_conclusions
from graphmem.cognify.conclusions import draw_conclusions as conclusions
from graphmem.cognify.ledger import DECIDED, FORGOTTEN, MERGED
from graphmem.cognify.steps import STEPS, Step, retry_failed, run_steps, with_writer
from graphmem.cognify.triggers import ALL, CONCLUSIONS
from graphmem.cognify.typed import Typed
from graphmem.context import StoreContext, with_overrides
from graphmem.endless.projection import project_endless
from graphmem.errors import GraphmemError
from graphmem.log.upcast import upcast
from graphmem.memify.run import restore_last_run
from graphmem.model.changes import Changes
from graphmem.model.sources import ProcessReport, Projected
from graphmem.ports.backlog import PROJECTION
from graphmem.ports.embedder import Embedder
from graphmem.ports.graph import GraphStore
from graphmem.ports.text import EVENTS
from graphmem.ports.vectors import Outbox
from graphmem.projections.batch import iterate_batches
from graphmem.projections.registry import FACTS
from graphmem.projections.registry import STEPS as SHOWN
from graphmem.projections.runner import DERIVED, ENGINE, UNREADABLE, Runner, without_gc
from graphmem.sync.write_behind import write_behind
from graphmem.tasks.learn import STEP as LEARNED
from graphmem.tasks.learn import TYPES, learn_tasks
from graphmem.tree.projection import project_tree

COGNIFIED = "+".join(step.name for step in STEPS) + f"+{LEARNED}"  # mark in the log: events that all these have seen
CONCLUDED = "concluded"  # cursor in both: derivations and forgetting that conclusions were drawn from
MADE = "made"  # mark in the index: which versions of the steps made what it shows
MATCHED = "matched"  # cursor in the index: derivations of facts whose twins were looked for
REFINED = "refined"  # cursor in the graph: the sum of the others when links were last concluded
_LINKS = (
    "link_commits_by_hash",
    "link_commits_by_subject",
    "link_facts_to_files",
    "link_facts_to_qualified",
    "link_facts_to_symbols",
)
_PRUNE = ("prune_commits", "prune_files", "prune_persons", "prune_tags", "prune_entities", "prune_projects")
MUCH = 20_000  # events for which a second process pays
Progress = Callable[[str, int], None]


def catch_up(
    context: StoreContext,
    progress: Progress,
    stages: Collection[str] = ALL,
    on_concluded: Callable[[StoreContext], None] = lambda context: None,
) -> ProcessReport:
    """Do everything pending; of what is derived and concluded only these stages. `on_concluded` is called before the memory
    tree is projected. Raises StoreDamaged where the log is not the one that the projections were made from."""
    started = time.perf_counter()
    done = ProcessReport()
    if _much_is_new(context):
        with context.renewal.tree_beside(), _shared(context) as sharing:
            done = _bring(sharing, progress, stages, on_concluded)
    rest = _bring(context, progress, stages, on_concluded)  # whatever a helper left undone
    embedded, problems = 0, tuple[str, ...]()
    if context.outbox is not None and context.embedder is not None:
        embedded, problems = embed_pending(
            context.outbox, context.embedder, batch=context.settings.embedding.batch, progress=progress
        )
    if context.vectors is not None:
        if embedded:
            context.vectors.build()
        if merge_alike(context):
            _project(context, progress)
            run_conclusions(context, stages)
            refine_links(context.graph)
    restore_last_run(context)
    events, derived = done.events + rest.events, done.derived + rest.derived
    seconds = time.perf_counter() - started
    return ProcessReport(events, derived, embedded, seconds, problems, (*done.code, *rest.code))


def _bring(
    context: StoreContext, progress: Progress, stages: Collection[str], on_concluded: Callable[[StoreContext], None]
) -> ProcessReport:
    """All but vectors and what is concluded from them."""
    projected = _project(context, progress)
    restore_code(context, progress)
    if code := follow_values(context, progress):  # it may have found tasks
        _project(context, progress)
    derived = run_derivations(context, stages) + read_types(context)
    _project(context, progress)
    run_conclusions(context, stages)
    on_concluded(context)
    project_tree(context)
    project_endless(context)
    _project(context, progress)  # what they derived is not shown, but no reader need look whether it is
    refine_links(context.graph)
    return ProcessReport(projected.events, derived, code=code)


def project_pending(context: StoreContext, progress: Progress = lambda stage, count: None) -> Projected:
    """Bring graph and index up to the log. Where much is new, another process writes the index meanwhile; whatever it
    leaves undone is done here."""
    done = Projected()
    if _much_is_new(context):
        with _shared(context) as sharing:
            done = _project(sharing, progress)
    rest = _project(context, progress)
    return Projected(done.events + rest.events, done.derivations + rest.derivations)


def _much_is_new(context: StoreContext) -> bool:
    """Whether helpers pay. An index that begins notes what it is made by."""
    seen = context.text.cursors().get(EVENTS, 0)
    if not seen:
        context.text.apply((), (), (), {MADE: _made(context)})
    return context.log.head() - seen > MUCH


@contextmanager
def _shared(context: StoreContext) -> Iterator[StoreContext]:
    """The same, with an index that another process writes, and a graph that is written while the next batch is made."""
    with context.renewal.index_beside() as text, write_behind(context.graph) as graph:
        yield with_overrides(context, text=text, graph=graph)


def _project(context: StoreContext, progress: Progress) -> Projected:
    own = context.settings.types.step
    barred = [letter.event for letter in context.backlog.letters(dead=True) if letter.step == ENGINE]
    runner = Runner(context.log, context.graph, context.text, own, context.backlog.set_aside, barred)
    return runner.run(lambda count: progress("projecting", count))


def is_outdated(context: StoreContext) -> bool:
    """Whether the projections show what other versions of the steps made, or another configuration of own types."""
    cursors = context.text.cursors()
    return bool(cursors.get(EVENTS)) and cursors.get(MADE) != _made(context)


def drop_obsolete_letters(context: StoreContext) -> None:
    """What steps of other versions failed on is not tried again."""
    now = {*(step.name for step in STEPS), context.settings.types.step}
    for letter in [*context.backlog.letters(dead=False), *context.backlog.letters(dead=True)]:
        if letter.step not in now and not letter.step.startswith(PROJECTION):
            context.backlog.settle(letter.step, [letter.event])


def _made(context: StoreContext) -> int:
    told = "+".join([*sorted(SHOWN), *(step.name for step in STEPS), MERGED, UNREADABLE, context.settings.types.step])
    return int(hashlib.sha256(told.encode()).hexdigest()[:12], 16)


def run_derivations(context: StoreContext, stages: Collection[str] = ALL) -> int:
    """Run the steps over events that they have not seen, and learn tasks from them; returns how many derivations are
    new."""
    log, backlog, buffer = context.log, context.backlog, context.settings.buffer
    chosen = tuple(step for step in STEPS if step.name.partition("/")[0] in stages)
    steps = with_writer(chosen, context.writer, buffer.window, buffer.overlap)
    total = retry_failed(log, backlog.due(), steps, backlog)
    seen, head = log.state.reached(COGNIFIED), log.head()
    if seen >= head:
        return total
    types = frozenset().union(*(step.types for step in steps))
    total += run_steps(log, upcast(log.read(seen, types=types, upto=head)), steps, backlog)
    if chosen != STEPS:  # the others still have to see these events
        return total
    learn_tasks(context.tasks, log, upcast(log.read(seen, types=TYPES, upto=head)))
    log.state.reach(COGNIFIED, head)
    return total


def read_types(context: StoreContext) -> int:
    """Find entities and relations of the project's own types in all events that this configuration has not seen."""
    log, typed = context.log, Typed(context.settings.types)
    seen, head = log.state.reached(typed.name), log.head()
    if not typed.name or seen >= head:
        return 0
    step = Step(typed.name, typed.types, typed.derive)
    total = run_steps(log, upcast(log.read(seen, types=typed.types, upto=head)), [step], context.backlog)
    log.state.reach(typed.name, head)
    return total


@without_gc()
def run_conclusions(context: StoreContext, stages: Collection[str] = ALL) -> None:
    """Draw conclusions from what was derived, once after each change. Killed in between, they are drawn again."""
    log, text, graph = context.log, context.text, context.graph
    reached = {text.cursors().get(CONCLUDED, 0), graph.cursors().get(CONCLUDED, 0)}
    done = min(reached)
    now = text.cursors().get(DERIVED, 0) + log.state.last(FORGOTTEN) + log.state.last(DECIDED)
    if done == now:
        return
    held = text.sources(KINDS) if len(reached) > 1 else None  # one of them was made anew, or lost its end
    changes = conclusions(log, graph, stages, again=not done, held=held)
    cursors = {CONCLUDED: now} if set(stages) >= CONCLUSIONS else {}
    try:
        text.apply(changes.removed_items, changes.items, changes.links, cursors, changes.standings)
        graph.apply(changes, cursors)
    except BaseException:
        forget_conclusions(log)
        raise


def merge_alike(context: StoreContext) -> int:
    """Look for twins of the facts that were derived since the last time; returns how many derivations that made."""
    log, text, vectors = context.log, context.text, context.vectors
    seen, now = text.cursors().get(MATCHED, 0), text.cursors().get(DERIVED, 0)
    if vectors is None or seen >= now:
        return 0
    total = 0
    for batch in iterate_batches(d for d in log.derivations(seen, steps=[FACTS]) if d.body["facts"]):
        done = log.derived(MERGED, [derivation.source for derivation in batch])
        total += log.derive(find_paraphrases([one for one in batch if one.source not in done], text, vectors))
    text.apply((), (), (), {MATCHED: now})
    return total


def refine_links(graph: GraphStore) -> None:
    """Conclude links and drop what nothing refers to, once after each change. Killed in between, it runs again."""
    cursors = graph.cursors()
    now = sum(position for name, position in cursors.items() if name != REFINED)
    if cursors.get(REFINED, 0) != now:
        graph.refine((*_LINKS, *_PRUNE))
        graph.apply(Changes(), {REFINED: now})


def embed_pending(
    outbox: Outbox, embedder: Embedder, *, batch: int = 512, progress: Progress = lambda stage, count: None
) -> tuple[int, tuple[str, ...]]:
    """Empty the outbox; returns how many texts were embedded, and what failed."""
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
