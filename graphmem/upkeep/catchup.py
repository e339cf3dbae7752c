"""Brings every projection up to the log, in order: events, what is derived from them, links between them, code graphs,
vectors. Each stage has its own cursor, so that wherever a process was killed, the next run goes on from there."""

from __future__ import annotations

import time
from collections.abc import Callable

from graphmem.cognify.steps import STEPS, cognify
from graphmem.errors import GraphmemError
from graphmem.log.upcast import upcast
from graphmem.model.changes import Changes
from graphmem.model.sources import ProcessReport
from graphmem.ports.embedder import Embedder
from graphmem.ports.graph import GraphStore
from graphmem.ports.vectors import Outbox
from graphmem.projections.runner import Runner
from graphmem.tasks.learn import TYPES, learn
from graphmem.upkeep.indexing import restore_code
from graphmem.upkeep.parts import Parts

COGNIFIED = "cognified"  # cursor in the index: events that every step has seen
REFINED = "refined"  # cursor in the graph: the sum of the others when links were last concluded
_LINKS = (
    "link_commits_by_hash",
    "link_commits_by_subject",
    "link_facts_to_files",
    "link_facts_to_qualified",
    "link_facts_to_symbols",
)
_PRUNE = ("prune_commits", "prune_files", "prune_persons", "prune_tags", "prune_entities", "prune_projects")
Progress = Callable[[str, int], None]


def catch_up(parts: Parts, progress: Progress) -> ProcessReport:
    """Do everything pending. Raises StoreDamaged where the log is not the one that the projections were made from."""
    started = time.perf_counter()
    runner = Runner(parts.log, parts.graph, parts.text)
    projected = runner.run(lambda count: progress("projecting", count))
    derived = derive(parts)
    runner.run()
    restore_code(parts, progress)
    refine(parts.graph)
    embedded, problems = 0, tuple[str, ...]()
    if parts.outbox is not None and parts.embedder is not None:
        embedded, problems = embed(
            parts.outbox, parts.embedder, batch=parts.settings.embedding.batch, progress=progress
        )
    return ProcessReport(projected.events, derived, embedded, time.perf_counter() - started, problems)


def derive(parts: Parts) -> int:
    """Run the steps over events that they have not seen, and learn tasks from them; returns how many derivations are
    new."""
    log, text = parts.log, parts.text
    seen, head = text.cursors().get(COGNIFIED, 0), log.head()
    if seen >= head:
        return 0
    types = frozenset().union(*(step.types for step in STEPS))
    total = cognify(log, upcast(log.read(seen, types=types, upto=head)))
    learn(parts.tasks, log, upcast(log.read(seen, types=TYPES, upto=head)))
    text.apply((), (), (), {COGNIFIED: head})
    return total


def refine(graph: GraphStore) -> None:
    """Conclude links and drop what nothing refers to, once after each change. Killed in between, it runs again."""
    cursors = graph.cursors()
    now = sum(position for name, position in cursors.items() if name != REFINED)
    if cursors.get(REFINED, 0) != now:
        graph.refine((*_LINKS, *_PRUNE))
        graph.apply(Changes(), {REFINED: now})


def embed(
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
