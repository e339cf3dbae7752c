"""Failed steps: events that wait for a retry, and dead letters. Also counts the cost of model calls. Losing it loses no
knowledge: the log has every event."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

PROJECTION = "projection"  # prefix of steps whose dead letters come from projections


class Letter(NamedTuple):
    """An event on which a step failed: number of tries, last error, and whether it was given up."""

    step: str
    event: str
    attempts: int
    error: str
    dead: bool


class Backlog(Protocol):
    """Durable record of failures by step and event."""

    def fail(self, step: str, events: Sequence[str], error: str) -> None:
        """Count another failed try of each event; the last one makes it a dead letter, others schedule a retry."""
        ...

    def set_aside(self, step: str, refusals: Iterable[tuple[str, str]]) -> None:
        """Make these dead letters at once: (event, reason). Only a rebuild retries them."""
        ...

    def due(self) -> dict[str, list[str]]:
        """Return events by step whose next try is due."""
        ...

    def settle(self, step: str, events: Sequence[str]) -> None:
        """Remove these: they succeeded or no longer exist."""
        ...

    def letters(self, *, dead: bool) -> list[Letter]:
        """Return dead letters, or what is waiting for a retry, oldest first."""
        ...

    def purge(self, events: Container[str]) -> None:
        """Erase all letters that belong to none of these events."""
        ...

    def revive(self) -> int:
        """Make everything that steps gave up due at once; return the count."""
        ...

    def let_go(self, steps: str) -> int:
        """Delete all letters of steps with this name prefix, so they start again; return the count."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class Spending(Protocol):
    """Cost of model calls by day (days since 1970, UTC)."""

    def spend(self, day: int, **counts: int) -> None:
        """Add to the counts of a day: calls, failed, refused, tokens_in, tokens_out, ..."""
        ...

    def spent(self, day: int | None = None) -> Mapping[str, int]:
        """Return the counts of one day, or of all days."""
        ...
