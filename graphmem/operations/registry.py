"""The registry of operations: each with its request type, its function, and its requirements. Clients cannot request
anything that is not listed here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from graphmem.errors import MalformedMessage
from graphmem.operations import evolution, keeping, pipeline, reading
from graphmem.ports.request import Progress, Request

if TYPE_CHECKING:
    from graphmem.context import StoreContext

Q = TypeVar("Q")
R = TypeVar("R")


@dataclass(frozen=True)
class Operation(Generic[Q, R]):
    """A request type and the function that runs it."""

    request: type[Q]
    run: Callable[[StoreContext, Q, Progress], R]
    is_large: bool = False  # uses much memory, which is released afterwards
    needs_index: bool = True  # fails on an index that another program damaged
    is_reading: bool = False  # runs on a read-only store
    fills_index: bool = False  # brings the index up to date with the log
    is_whole: bool = False  # leaves no pending work


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    Operation(pipeline.Process, pipeline.process, is_large=True, fills_index=True, is_whole=True),
    Operation(pipeline.Project, pipeline.project, fills_index=True),
    Operation(pipeline.Flush, pipeline.flush, is_large=True, fills_index=True, is_whole=True),
    Operation(pipeline.Rebuild, pipeline.rebuild, is_large=True, needs_index=False, is_whole=True),
    Operation(pipeline.Rest, pipeline.rest, is_large=True),
    Operation(reading.Init, reading.init, is_large=True),
    Operation(reading.IndexCode, reading.index_code, is_large=True),
    Operation(keeping.Forget, keeping.forget),
    Operation(keeping.Supersede, keeping.supersede),
    Operation(keeping.Merge, keeping.merge, is_large=True),
    Operation(keeping.Export, keeping.export, needs_index=False, is_reading=True),
    Operation(evolution.Memify, evolution.memify, is_large=True),
    Operation(evolution.Categories, evolution.categories, is_reading=True),
    Operation(evolution.Judge, evolution.judge),
    Operation(evolution.SetAside, evolution.set_aside),
)
_BY_REQUEST = {operation.request: operation for operation in OPERATIONS}


def operation_of(request: Request[R]) -> Operation[Request[R], R]:
    """Return the operation for a request. Raises MalformedMessage for an unknown request type."""
    operation = _BY_REQUEST.get(type(request))
    if operation is None:
        raise MalformedMessage(f"there is no operation for {type(request).__name__}")
    return cast(Operation[Request[R], R], operation)
