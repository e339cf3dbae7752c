"""The registry of operations, by request type. Clients cannot request anything that is not listed here. The functions are
imported when the first request of their subject runs in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from graphmem.errors import MalformedMessage
from graphmem.operations.evolution import Categories, DecideApproval, Judge, Memify, SetAside
from graphmem.operations.keeping import Export, Forget, Merge, MergeEntities, Supersede
from graphmem.operations.pipeline import Flush, Process, Project, Rebuild, ReleaseMemory
from graphmem.operations.reading import FollowHistory, IndexCode, Init, ResumeInit
from graphmem.ports.request import Request

if TYPE_CHECKING:
    from graphmem.operations.operation import Operation

R = TypeVar("R")
_Loader = Callable[[], "tuple[Operation[Any, Any], ...]"]


def _pipeline() -> tuple[Operation[Any, Any], ...]:
    from graphmem.operations.handlers.pipeline import OPERATIONS

    return OPERATIONS


def _reading() -> tuple[Operation[Any, Any], ...]:
    from graphmem.operations.handlers.reading import OPERATIONS

    return OPERATIONS


def _keeping() -> tuple[Operation[Any, Any], ...]:
    from graphmem.operations.handlers.keeping import OPERATIONS

    return OPERATIONS


def _evolution() -> tuple[Operation[Any, Any], ...]:
    from graphmem.operations.handlers.evolution import OPERATIONS

    return OPERATIONS


REQUESTS: Mapping[type[Request[Any]], _Loader] = {
    **dict.fromkeys((Process, Project, Flush, Rebuild, ReleaseMemory), _pipeline),
    **dict.fromkeys((Init, ResumeInit, IndexCode, FollowHistory), _reading),
    **dict.fromkeys((Forget, Supersede, MergeEntities, Merge, Export), _keeping),
    **dict.fromkeys((Memify, Categories, Judge, SetAside, DecideApproval), _evolution),
}


def operation_of(request: Request[R]) -> Operation[Request[R], R]:
    """Return the operation for a request. Raises MalformedMessage for an unknown request type."""
    load = REQUESTS.get(type(request))
    if load is None:
        raise MalformedMessage(f"there is no operation for {type(request).__name__}")
    found = next(operation for operation in load() if operation.request is type(request))
    return cast("Operation[Request[R], R]", found)
