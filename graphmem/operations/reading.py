"""Operations that import a repository into the store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphmem.ports.request import Progress, Request

if TYPE_CHECKING:
    from graphmem.context import StoreContext
    from graphmem.model.sources import IndexReport
    from graphmem.operations.init import InitReport


@dataclass(frozen=True)
class Init(Request["InitReport"]):
    """Import the repository that contains a folder, and the transcripts in `sessions`."""

    folder: Path
    sessions: Path | None = None


def init(context: StoreContext, request: Init, progress: Progress) -> InitReport:
    """Run `Init`. Raises NotFound outside of a git repository."""
    from graphmem.operations.init import init

    return init(context, request.folder, request.sessions, progress)


@dataclass(frozen=True)
class IndexCode(Request["IndexReport"]):
    """Index the tree under `root`; `only` lists the files that may have changed."""

    root: Path
    only: list[str] | None = None


def index_code(context: StoreContext, request: IndexCode, progress: Progress) -> IndexReport:
    """Run `IndexCode`. Raises NotFound if `root` is not a folder."""
    from graphmem.code.indexing import index_code

    return index_code(context, request.root, progress, request.only)
