"""Handlers of the requests that read a repository into the store."""

from __future__ import annotations

from typing import Any

from graphmem.code.indexing import index_code as index_tree
from graphmem.context import StoreContext
from graphmem.ingest import history
from graphmem.model.reports import InitReport
from graphmem.model.sources import IndexReport
from graphmem.operations.init import init as read_repository
from graphmem.operations.init import resume_init as complete_init
from graphmem.operations.operation import Operation
from graphmem.operations.reading import FollowHistory, IndexCode, Init, ResumeInit
from graphmem.ports.request import Progress


def init(context: StoreContext, request: Init, progress: Progress) -> InitReport:
    """Run `Init`. Raises NotFound outside a git repository."""
    return read_repository(context, request.folder, request.sessions, progress, wait=request.wait)


def resume_init(context: StoreContext, request: ResumeInit, progress: Progress) -> None:
    """Run `ResumeInit`. Raises NotFound if the folder is no longer in a git repository."""
    complete_init(context, progress)


def index_code(context: StoreContext, request: IndexCode, progress: Progress) -> IndexReport:
    """Run `IndexCode`. Raises NotFound if `root` is not a folder, SourceError if `scip` is no index of it."""
    return index_tree(context, request.root, progress, request.only, request.scip)


def follow_history(context: StoreContext, request: FollowHistory, progress: Progress) -> int:
    """Run `FollowHistory`."""
    return history.follow_history(context, progress)


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    Operation(Init, init, is_large=True),
    Operation(ResumeInit, resume_init, is_large=True),
    Operation(IndexCode, index_code, is_large=True),
    Operation(FollowHistory, follow_history),
)
