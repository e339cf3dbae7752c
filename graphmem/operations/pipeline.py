"""Operations that bring everything derived up to the log, or make it again."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.model.sources import ProcessReport, Projected
from graphmem.ports.request import Request


@dataclass(frozen=True)
class Process(Request[ProcessReport]):
    """Do everything pending. With a `trigger`, only what it stands for; `retry` tries again what the steps gave up."""

    trigger: str | None = None
    retry: bool = False


@dataclass(frozen=True)
class Project(Request[Projected]):
    """Bring graph and index up to the log, and derive nothing."""


@dataclass(frozen=True)
class Flush(Request[ProcessReport]):
    """Derive from what is new; where nothing comes any more (`idle`), draw every conclusion, too."""

    idle: bool = False


@dataclass(frozen=True)
class Rebuild(Request[ProcessReport]):
    """Throw away graph and index, and make them again from the log."""


@dataclass(frozen=True)
class Rest(Request[None]):
    """Give back the memory of what nobody asks for now; it comes back when it is asked for."""
