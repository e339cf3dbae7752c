"""Operations as values: a request is a record that says what is to be done, and its type says what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

R = TypeVar("R")
Progress = Callable[[str, int], None]  # a stage, and how many of its steps were done since the last call


class Request(Generic[R]):
    """What an operation is asked to do; `R` is its result."""


def quiet(stage: str, count: int) -> None:
    """Default progress callback: does nothing."""


class Runner(Protocol):
    """Whoever runs operations: an open store."""

    def run(self, request: Request[R], progress: Progress | None = None) -> R:
        """Run an operation where the graph is: in this process or in the owner of the store."""
        ...
