"""Rebuild: throw away every projection and make it again from the log. Derivations are kept, so no step runs twice and no
model is paid twice."""

from __future__ import annotations

from collections.abc import Callable

from graphmem.model.sources import ProcessReport
from graphmem.upkeep.indexing import restore_code
from graphmem.upkeep.parts import Parts
from graphmem.upkeep.process import process


def rebuild(parts: Parts, progress: Callable[[str, int], None]) -> ProcessReport:
    """Drop the projections, replay the log, and read the indexed trees again."""
    parts.drop_projections()
    report = process(parts, progress=progress)
    restore_code(parts, progress)
    return report
