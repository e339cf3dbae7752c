"""Operations on what the store keeps: forget, supersede, merge, export."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from graphmem.model.sources import ExchangeReport, ForgetReport
from graphmem.ports.request import Request


@dataclass(frozen=True)
class Forget(Request[ForgetReport]):
    """Forget one thing, a session, everything before a time, or a project; `purge` erases it from the files, too."""

    id: str | None = None
    session: str | None = None
    before: datetime | None = None
    project: str | None = None
    purge: bool = False


@dataclass(frozen=True)
class Supersede(Request[str]):
    """Record that the fact `new` replaced the fact `old`, or with `undo` that it did not. Results in the id of the event."""

    old: str
    new: str
    undo: bool = False


@dataclass(frozen=True)
class Merge(Request[ExchangeReport]):
    """Merge the log that another machine exported. Idempotent."""

    path: Path


@dataclass(frozen=True)
class Export(Request[ExchangeReport]):
    """Write the store to a file in a form: "log", "graphml", "jsonld", "parquet" or "markdown"."""

    path: Path
    format: str = "log"
