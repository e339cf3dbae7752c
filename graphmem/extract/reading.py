"""What a source is given to read with. The table of sources is `sources`; what each reads, in a module of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graphmem.model.sources import IngestReport
from graphmem.ports.clock import Clock
from graphmem.ports.log import EventLog


@dataclass(slots=True)
class Reading:
    """What a source may use while it reads: the log for what is known, the project it reads for, and its report; whether all
    after a private tag without its end is hidden (`strict`)."""

    log: EventLog
    clock: Clock
    project: str
    report: IngestReport
    patch_bytes: int = 4_000
    strict: bool = False
    progress: Callable[[int, int], None] = lambda done, total: None
