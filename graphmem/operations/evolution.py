"""Operations of memory maintenance: run passes, list categories, rate, archive or restore items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmem.ports.request import Progress, Request

if TYPE_CHECKING:
    from graphmem.context import StoreContext
    from graphmem.memify.run import MemifyReport
    from graphmem.model.table import Table


@dataclass(frozen=True)
class Memify(Request["MemifyReport"]):
    """Run the passes of a trigger, or the named passes; `force` runs them even without new events."""

    trigger: str = "daily"
    passes: list[str] | None = None
    force: bool = False


def memify(context: StoreContext, request: Memify, progress: Progress) -> MemifyReport:
    """Run `Memify`. Raises UsageError for an unknown trigger or pass."""
    from graphmem.evolution.decisions import run_memify

    return run_memify(context, trigger=request.trigger, passes=request.passes, force=request.force, progress=progress)


@dataclass(frozen=True)
class Categories(Request["Table"]):
    """List the categories, largest first; with `history`, how they changed, newest first."""

    history: bool = False


def categories(context: StoreContext, request: Categories, progress: Progress) -> Table:
    """Run `Categories`."""
    from graphmem.evolution.decisions import list_categories

    return list_categories(context, history=request.history)


@dataclass(frozen=True)
class Judge(Request[dict[str, str]]):
    """Record a rating of an item: "useful" or "wrong"."""

    id: str
    verdict: str


def judge(context: StoreContext, request: Judge, progress: Progress) -> dict[str, str]:
    """Run `Judge`. Raises UsageError for any other rating, NotFound for an unknown item."""
    from graphmem.evolution.decisions import record_verdict

    return record_verdict(context, id=request.id, verdict=request.verdict)


@dataclass(frozen=True)
class SetAside(Request[dict[str, str]]):
    """Archive an item, or restore it (`away` is false)."""

    id: str
    away: bool


def set_aside(context: StoreContext, request: SetAside, progress: Progress) -> dict[str, str]:
    """Run `SetAside`. Raises NotFound for an unknown item."""
    from graphmem.evolution.decisions import set_archived

    return set_archived(context, id=request.id, away=request.away)
