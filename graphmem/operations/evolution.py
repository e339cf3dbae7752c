"""Operations of memory maintenance: run passes, list categories, rate, archive or restore items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphmem.model.reports import MemifyReport
from graphmem.model.table import Table
from graphmem.ports.request import Request


@dataclass(frozen=True)
class Memify(Request[MemifyReport]):
    """Run the passes of a trigger, or the named passes; `force` runs them even without new events."""

    trigger: str = "daily"
    passes: list[str] | None = None
    force: bool = False


@dataclass(frozen=True)
class Categories(Request[Table]):
    """List the categories, largest first; with `history`, how they changed, newest first."""

    history: bool = False


@dataclass(frozen=True)
class Judge(Request[dict[str, str]]):
    """Record a rating of an item, "useful" or "wrong", with the reason that the person gave."""

    id: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class SetAside(Request[dict[str, str]]):
    """Archive an item, or restore it (`away` is false). `same_as` is the item that says the same and remains."""

    id: str
    away: bool
    same_as: str = ""


@dataclass(frozen=True)
class DecideApproval(Request[dict[str, Any]]):
    """Record that these items were approved or rejected, or with the verdict "undo" that they wait again. With `content`, one
    item is replaced by a memory with this text."""

    ids: Sequence[str]
    verdict: str
    reason: str = ""
    content: str = ""
