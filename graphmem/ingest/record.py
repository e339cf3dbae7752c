"""Runs an ingest: a source yields drafts, the recorder redacts and appends them, the report counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphmem.context import StoreContext
from graphmem.extract.reading import Reading
from graphmem.extract.sources import existing_target, find_source
from graphmem.model.sources import IngestReport
from graphmem.projections.runner import without_gc

_KINDS = {"session_start": "sessions", "user_prompt": "prompts", "agent_response": "answers",
          "tool_observation": "tool calls", "document_observed": "documents", "test_run_observed": "test runs",
          "snapshot_captured": "snapshots"}  # fmt: skip


@without_gc()
def ingest_source(
    context: StoreContext,
    source: str,
    target: Path,
    options: dict[str, Any],
    progress: Callable[[str, int], None],
    drain_buffer: Callable[[], object] = lambda: None,
) -> IngestReport:
    """Record everything new in `target`; whenever the buffer is full, reading waits for `drain_buffer`. Raises UsageError for
    an unknown source, NotFound if the target is missing, SourceError if it cannot be read at all."""
    read = find_source(source, options).read
    report = IngestReport(source)
    strict = context.recorder.settings.strict
    reading = Reading(context.log, context.clock, context.project, report, context.settings.ingest.patch_bytes, strict)
    drafts = read(existing_target(target.expanduser()), reading, options)
    for draft, appended in context.recorder.record_all(drafts):
        if draft.type == "source_ingested":
            continue  # an internal note
        if appended.outcome == "new":
            report.new += 1
            if report.new % context.settings.buffer.max_pending == 0:
                drain_buffer()
            kind = _KINDS.get(draft.type)
            if kind:
                report.kinds[kind] = report.kinds.get(kind, 0) + 1
        else:
            report.known += 1
        progress(f"reading {source}", 1)
    return report
