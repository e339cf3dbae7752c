"""An entry of the operation registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from graphmem.context import StoreContext
from graphmem.ports.request import Progress

Q = TypeVar("Q")
R = TypeVar("R")


@dataclass(frozen=True)
class Operation(Generic[Q, R]):
    """A request type and the function that runs it."""

    request: type[Q]
    run: Callable[[StoreContext, Q, Progress], R]
    is_large: bool = False  # takes much memory, which is given back afterwards
    needs_index: bool = True  # fails on an index that was damaged behind our back
    is_reading: bool = False  # runs on a store that cannot be written to
    fills_index: bool = False  # brings the index up to the log
    is_whole: bool = False  # leaves nothing undone
