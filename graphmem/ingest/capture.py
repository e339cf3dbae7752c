"""Captures terminal output: runs a command or takes its output, sanitises it, stores it as a snapshot, and prunes old
snapshots, except those that gotchas cite."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graphmem.browse.named_queries import named_query
from graphmem.context import StoreContext
from graphmem.errors import UsageError
from graphmem.extract.terminal import snapshot_draft
from graphmem.model.events import Draft, Event
from graphmem.privacy import allowed_environment
from graphmem.projections.forgetting import owned_nodes
from graphmem.projections.registry import project_event

_MINUTE, _DAY = 60_000_000, 86_400_000_000  # microseconds
_PER_MINUTE = 30
_RECENT = 1_000  # log positions that are searched for the last minute
NOT_FOUND, NOT_EXECUTABLE = 127, 126


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """Id of the snapshot ("" if the rate limit dropped it), the reason, severity, and exit code."""

    id: str
    outcome: str
    trigger: str
    severity: str
    exit_code: int | None


@dataclass(frozen=True, slots=True)
class PruneReport:
    """Number of pruned snapshots, and bytes of their output."""

    deleted: int
    freed: int


def capture(
    context: StoreContext,
    command: str | Sequence[str] | None = None,
    *,
    output: str | None = None,
    exit_code: int | None = None,
    cwd: str | None = None,
    session: str = "",
) -> CaptureReport:
    """Store command output; without `output`, the command is executed first. At most 30 per minute. Raises UsageError if
    neither is given."""
    words = command if isinstance(command, str) or command is None else " ".join(command)
    if output is None:
        if not command:
            raise UsageError("nothing to capture: give a command or its output")
        output, exit_code = _run(command, cwd)
    draft = snapshot_draft(
        output,
        project=context.project,
        at=context.clock.now(),
        command=words or "",
        exit_code=exit_code,
        cwd=str(Path(cwd or ".").resolve()),
        session=session,
        environment=allowed_environment(os.environ),
        strict=context.recorder.settings.strict,
    )
    found = draft.payload
    if _too_many(context, draft.at):
        return CaptureReport("", "limited", found["trigger"], found["severity"], exit_code)
    (appended,) = context.recorder.record([draft])
    return CaptureReport(appended.id, appended.outcome, found["trigger"], found["severity"], exit_code)


def _run(command: str | Sequence[str], cwd: str | None) -> tuple[str, int]:
    try:
        done = subprocess.run(
            command, shell=isinstance(command, str), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    except OSError as error:
        return str(error), NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return done.stdout.decode("utf-8", "replace"), code


def _too_many(context: StoreContext, now: int) -> bool:
    recent = context.log.read(max(0, context.log.head() - _RECENT), types=["snapshot_captured"])
    return sum(0 <= now - event.at < _MINUTE for event in recent) >= _PER_MINUTE


def prune_snapshots(
    context: StoreContext, *, max_age_days: float = 30, max_bytes: int = 50_000_000, keep_minimum: int = 20
) -> PruneReport:
    """Forget snapshots that are too old, then the oldest until the rest fits. Snapshots cited by gotchas are kept, and at
    least the minimum number."""
    shots = sorted(context.log.read(types=["snapshot_captured"]), key=lambda event: event.at)
    cited = {row[0] for row in context.graph.query(named_query("gotchas_cited").text).rows}
    oldest = context.clock.now() - int(max_age_days * _DAY)
    left, size = len(shots), sum(map(_bytes, shots))
    gone: list[Event] = []
    for shot in shots:
        if left <= keep_minimum:
            break
        if shot.id not in cited and (shot.at < oldest or size > max_bytes):
            gone.append(shot)
            left, size = left - 1, size - _bytes(shot)
    if gone:
        nodes, items = owned_nodes(map(project_event, gone))
        identifiers = [shot.id for shot in gone]
        payload = {"events": identifiers, "nodes": nodes, "items": items, "derived": False, "scope": "old snapshots"}
        stone = Draft("memory_forgotten", payload, context.clock.now(), "", context.project, "prune")
        context.log.forget(identifiers, stone)
    return PruneReport(len(gone), sum(map(_bytes, gone)))


def _bytes(event: Event) -> int:
    return len(str(event.payload.get("content", "")).encode("utf-8", "replace"))
