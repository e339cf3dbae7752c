"""What the steps could not do: events that wait for another try, and those that were given up (dead letters). It also
counts what a language model cost. Losing it loses no knowledge: the log still has every event."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

PROJECTION = "projection"  # what sets aside an event that a projection cannot take begins so


class Letter(NamedTuple):
    """An event on which a step failed: how often, why the last time, and whether it was given up."""

    step: str
    event: str
    attempts: int
    error: str
    dead: bool


class Backlog(Protocol):
    """Failures by step and event, durable."""

    def fail(self, step: str, events: Sequence[str], error: str) -> None:
        """Count one more failed try of each; after the last one it is given up, before that it is due again later."""
        ...

    def set_aside(self, step: str, refusals: Iterable[tuple[str, str]]) -> None:
        """Give these up at once: (event, reason). They are tried again only by a rebuild."""
        ...

    def due(self) -> dict[str, list[str]]:
        """Events by step whose next try is due."""
        ...

    def settle(self, step: str, events: Sequence[str]) -> None:
        """These succeeded, or are gone."""
        ...

    def letters(self, *, dead: bool) -> list[Letter]:
        """What was given up, or what still waits, oldest first."""
        ...

    def purge(self, events: Container[str]) -> None:
        """Leave no trace of those that are of none of these events."""
        ...

    def revive(self) -> int:
        """Make everything that steps had given up due at once; returns how many."""
        ...

    def let_go(self, steps: str) -> int:
        """Forget all letters of steps whose names begin so: they will be tried from the beginning; returns how many."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


class Spending(Protocol):
    """What calls of a model cost, by day (days since 1970, UTC)."""

    def spend(self, day: int, **counts: int) -> None:
        """Add to the counts of a day: calls, failed, refused, tokens_in, tokens_out, ..."""
        ...

    def spent(self, day: int | None = None) -> Mapping[str, int]:
        """The counts of one day, or of all."""
        ...
