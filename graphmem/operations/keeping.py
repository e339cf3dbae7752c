"""Operations on what the store keeps: forget, supersede, merge, export."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from graphmem.ports.request import Progress, Request

if TYPE_CHECKING:
    from graphmem.context import StoreContext
    from graphmem.model.sources import ExchangeReport, ForgetReport


@dataclass(frozen=True)
class Forget(Request["ForgetReport"]):
    """Forget one thing, a session, everything before a time, or a project; `purge` erases it from the files, too."""

    id: str | None = None
    session: str | None = None
    before: datetime | None = None
    project: str | None = None
    purge: bool = False


def forget(context: StoreContext, request: Forget, progress: Progress) -> ForgetReport:
    """Run `Forget`. Raises NotFound where nothing matches."""
    from graphmem.forget.cascade import forget_matching

    return forget_matching(
        context,
        id=request.id,
        session=request.session,
        before=request.before,
        project=request.project,
        purge=request.purge,
    )


@dataclass(frozen=True)
class Supersede(Request[str]):
    """Record that the fact `new` replaced the fact `old`, or with `undo` that it did not. Results in the id of the event."""

    old: str
    new: str
    undo: bool = False


def supersede(context: StoreContext, request: Supersede, progress: Progress) -> str:
    """Run `Supersede`. Raises NotFound where one of them is no fact, UsageError where both are the same."""
    from graphmem.evolution.supersede import supersede

    return supersede(context, old=request.old, new=request.new, undo=request.undo)


@dataclass(frozen=True)
class Merge(Request["ExchangeReport"]):
    """Merge the log that another machine exported. Idempotent."""

    path: Path


def merge(context: StoreContext, request: Merge, progress: Progress) -> ExchangeReport:
    """Run `Merge`. Raises NotFound, or SourceError for a damaged file, which changes nothing."""
    from graphmem.sync.exchange import merge_log

    return merge_log(context, request.path, progress)


@dataclass(frozen=True)
class Export(Request["ExchangeReport"]):
    """Write the store to a file in a form: "log", "graphml", "jsonld", "parquet" or "markdown"."""

    path: Path
    format: str = "log"


def export(context: StoreContext, request: Export, progress: Progress) -> ExchangeReport:
    """Run `Export`. Raises UsageError for another form, or a place that cannot be written."""
    from graphmem.export.export import export

    return export(context, request.path, request.format)
