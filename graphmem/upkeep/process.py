"""Everything pending, in order: project events, derive from them, project what was derived, conclude links, embed.
Idempotent: a second run finds nothing to do."""

from __future__ import annotations

import time
from collections.abc import Callable

from graphmem.cognify.steps import STEPS, cognify
from graphmem.errors import GraphmemError
from graphmem.log.upcast import upcast
from graphmem.model.sources import ProcessReport
from graphmem.ports.embedder import Embedder
from graphmem.ports.text import TextIndex
from graphmem.ports.vectors import Outbox
from graphmem.projections.runner import Log, Runner
from graphmem.upkeep.parts import Parts

COGNIFIED = "cognified"  # cursor: events that every step has seen
_LINKS = ("link_commits_by_hash", "link_commits_by_subject")
_PRUNE = ("prune_commits", "prune_files", "prune_persons", "prune_tags", "prune_entities", "prune_projects")
Progress = Callable[[str, int], None]


def process(parts: Parts, *, progress: Progress = lambda stage, count: None) -> ProcessReport:
    """Bring everything up to the log."""
    started = time.perf_counter()
    runner = Runner(parts.log, parts.graph, parts.text)
    projected = runner.run(lambda count: progress("projecting", count))
    derived = derive(parts.log, parts.text)
    later = runner.run()
    if projected.events or projected.derivations or later.derivations:
        parts.graph.refine((*_LINKS, *_PRUNE))
    embedded, problems = 0, tuple[str, ...]()
    if parts.outbox is not None and parts.embedder is not None:
        embedded, problems = embed(
            parts.outbox, parts.embedder, batch=parts.settings.embedding.batch, progress=progress
        )
    return ProcessReport(projected.events, derived, embedded, time.perf_counter() - started, problems)


def derive(log: Log, text: TextIndex) -> int:
    """Run the steps over events that they have not seen; returns how many derivations are new."""
    seen, head = text.cursors().get(COGNIFIED, 0), log.head()
    if seen >= head:
        return 0
    types = frozenset().union(*(step.types for step in STEPS))
    total = cognify(log, upcast(log.read(seen, types=types, upto=head)))
    text.apply((), (), (), {COGNIFIED: head})
    return total


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
