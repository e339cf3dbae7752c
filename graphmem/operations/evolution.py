"""Operations by which memory evolves: run the passes, list the categories, judge an item, archive or restore it."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.model.reports import MemifyReport
from graphmem.model.table import Table
from graphmem.ports.request import Request


@dataclass(frozen=True)
class Memify(Request[MemifyReport]):
    """Run the passes that a trigger stands for, or those of these names; `force` runs them where nothing is new."""

    trigger: str = "daily"
    passes: list[str] | None = None
    force: bool = False


@dataclass(frozen=True)
class Categories(Request[Table]):
    """List the categories, largest first; with `history`, what became of them, newest first."""

    history: bool = False


@dataclass(frozen=True)
class Judge(Request[dict[str, str]]):
    """Record that somebody finds an item "useful" or "wrong"."""

    id: str
    verdict: str


@dataclass(frozen=True)
class SetAside(Request[dict[str, str]]):
    """Put an item into the archive, or (`away` unset) bring it back."""

    id: str
    away: bool
