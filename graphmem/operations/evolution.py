"""Operations by which memory evolves: run the passes, list the categories, judge an item, archive or restore it."""

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
    """Run the passes that a trigger stands for, or those of these names; `force` runs them where nothing is new."""

    trigger: str = "daily"
    passes: list[str] | None = None
    force: bool = False


def memify(context: StoreContext, request: Memify, progress: Progress) -> MemifyReport:
    """Run `Memify`. Raises UsageError for an unknown trigger or pass."""
    from graphmem.evolution.decisions import run_memify

    return run_memify(context, trigger=request.trigger, passes=request.passes, force=request.force, progress=progress)


@dataclass(frozen=True)
class Categories(Request["Table"]):
    """List the categories, largest first; with `history`, what became of them, newest first."""

    history: bool = False


def categories(context: StoreContext, request: Categories, progress: Progress) -> Table:
    """Run `Categories`."""
    from graphmem.evolution.decisions import list_categories

    return list_categories(context, history=request.history)


@dataclass(frozen=True)
class Judge(Request[dict[str, str]]):
    """Record that somebody finds an item "useful" or "wrong"."""

    id: str
    verdict: str


def judge(context: StoreContext, request: Judge, progress: Progress) -> dict[str, str]:
    """Run `Judge`. Raises UsageError for another verdict, NotFound for an unknown item."""
    from graphmem.evolution.decisions import record_verdict

    return record_verdict(context, id=request.id, verdict=request.verdict)


@dataclass(frozen=True)
class SetAside(Request[dict[str, str]]):
    """Put an item into the archive, or (`away` unset) bring it back."""

    id: str
    away: bool


def set_aside(context: StoreContext, request: SetAside, progress: Progress) -> dict[str, str]:
    """Run `SetAside`. Raises NotFound for an unknown item."""
    from graphmem.evolution.decisions import set_archived

    return set_archived(context, id=request.id, away=request.away)
