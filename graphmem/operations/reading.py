"""Operations that import a repository into the store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from graphmem.model.reports import InitReport
from graphmem.model.sources import IndexReport
from graphmem.ports.request import Request


@dataclass(frozen=True)
class Init(Request[InitReport]):
    """Import the repository that contains a folder, and the transcripts in `sessions`. Without `wait`, the owner goes on by
    itself once the code is indexed."""

    folder: Path
    sessions: Path | None = None
    wait: bool = True


@dataclass(frozen=True)
class ResumeInit(Request[None]):
    """Complete an `init` that returned early or was interrupted, if there is one."""


@dataclass(frozen=True)
class IndexCode(Request[IndexReport]):
    """Index the tree under `root`; `only` lists the files that may have changed; `scip` is a compiler's index of it."""

    root: Path
    only: list[str] | None = None
    scip: Path | None = None


@dataclass(frozen=True)
class FollowHistory(Request[int]):
    """Record the new commits of the repositories whose history was imported. The result is the number of commits."""
