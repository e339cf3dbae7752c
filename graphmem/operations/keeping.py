"""Operations on stored data: forget, supersede, merge, export."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from graphmem.model.sources import ExchangeReport, ForgetReport
from graphmem.ports.request import Request


@dataclass(frozen=True)
class Forget(Request[ForgetReport]):
    """Forget an item, a session, everything before a time, a project, or what an account wrote; `purge` also erases it from
    disk. The receipt keeps the reason."""

    id: str | None = None
    session: str | None = None
    before: datetime | None = None
    project: str | None = None
    purge: bool = False
    reason: str = ""
    account: str | None = None


@dataclass(frozen=True)
class Supersede(Request[str]):
    """Record that the fact `new` superseded `old`, or with `undo` that it did not. Returns the event id."""

    old: str
    new: str
    undo: bool = False


@dataclass(frozen=True)
class MergeEntities(Request[str]):
    """Record that the entity `merged` is the same thing as `kept`, or with `undo` that it is not. Returns the event id."""

    merged: str
    kept: str
    reason: str = ""
    undo: bool = False


@dataclass(frozen=True)
class Merge(Request[ExchangeReport]):
    """Merge a log exported on another machine. Idempotent. `trust`: the user vouches for that machine. `same_project`: its
    projects are that of the store under another name."""

    path: Path
    trust: bool = False
    same_project: bool = False


@dataclass(frozen=True)
class Export(Request[ExchangeReport]):
    """Export the store in a format: "log", "graphml", "jsonld", "parquet" or "markdown"."""

    path: Path
    format: str = "log"
