"""The context that a source receives to read a target. The table of sources is in `sources`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graphmem.model.sources import IngestReport
from graphmem.ports.clock import Clock
from graphmem.ports.log import EventLog


@dataclass(slots=True)
class Reading:
    """Context of a source: the log (to skip known events), the project, the report, and whether an unclosed private tag
    hides the rest (`strict`)."""

    log: EventLog
    clock: Clock
    project: str
    report: IngestReport
    patch_bytes: int = 4_000
    strict: bool = False
    progress: Callable[[int, int], None] = lambda done, total: None
