"""Operations as values: a request is a record whose type determines the result type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

R = TypeVar("R")
Progress = Callable[[str, int], None]  # a stage, and the number of steps completed since the last call


class Request(Generic[R]):
    """A request for an operation with result type `R`."""


def quiet(stage: str, count: int) -> None:
    """Default progress callback: does nothing."""


class Runner(Protocol):
    """Runs operations: an open store."""

    def run(self, request: Request[R], progress: Progress | None = None) -> R:
        """Run an operation where the graph is: in this process or in the owner of the store."""
        ...
