"""Operations on stored data: forget, supersede, merge, export."""

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
    """Forget an item, a session, everything before a time, or a project; `purge` also erases it from disk."""

    id: str | None = None
    session: str | None = None
    before: datetime | None = None
    project: str | None = None
    purge: bool = False


def forget(context: StoreContext, request: Forget, progress: Progress) -> ForgetReport:
    """Run `Forget`. Raises NotFound if nothing matches."""
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
    """Record that the fact `new` superseded `old`, or with `undo` that it did not. Returns the event id."""

    old: str
    new: str
    undo: bool = False


def supersede(context: StoreContext, request: Supersede, progress: Progress) -> str:
    """Run `Supersede`. Raises NotFound if one of them is not a fact, UsageError if both are the same."""
    from graphmem.evolution.supersede import supersede

    return supersede(context, old=request.old, new=request.new, undo=request.undo)


@dataclass(frozen=True)
class Merge(Request["ExchangeReport"]):
    """Merge a log exported on another machine. Idempotent."""

    path: Path


def merge(context: StoreContext, request: Merge, progress: Progress) -> ExchangeReport:
    """Run `Merge`. Raises NotFound; SourceError for a damaged file, and then changes nothing."""
    from graphmem.sync.exchange import merge_log

    return merge_log(context, request.path, progress)


@dataclass(frozen=True)
class Export(Request["ExchangeReport"]):
    """Export the store in a format: "log", "graphml", "jsonld", "parquet" or "markdown"."""

    path: Path
    format: str = "log"


def export(context: StoreContext, request: Export, progress: Progress) -> ExchangeReport:
    """Run `Export`. Raises UsageError for any other format, or a target that is not writable."""
    from graphmem.export.export import export

    return export(context, request.path, request.format)
