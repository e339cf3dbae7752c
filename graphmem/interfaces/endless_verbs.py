"""The verbs of endless mode: `graphmem endless status` and its kin."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.interfaces.verb import Verb
from graphmem.memory import Memory


def enable(mem: Memory, days: Annotated[int, "days of the past to load"] = 7) -> Any:
    """Turn endless mode on: one memory across sessions, handed to the agent as it goes on."""
    return mem.endless.enable(days=days)


def disable(mem: Memory) -> Any:
    """Turn endless mode off; what it knows stays."""
    return mem.endless.disable()


def status(mem: Memory) -> Any:
    """Show what is at work, how it goes on with earlier work, and what was consolidated."""
    return mem.endless.status()


def consolidate(mem: Memory) -> Any:
    """Put what waits into memories now."""
    return mem.endless.consolidate()


def working_set(mem: Memory) -> Any:
    """List the events that are at work now, most relevant first."""
    return mem.endless.working_set()


def memories(
    mem: Memory,
    query: Annotated[str | None, "only those that this finds"] = None,
    limit: Annotated[int, "how many"] = 20,
) -> Any:
    """List consolidated memories, newest first."""
    return mem.endless.memories(query, limit=limit)


ENDLESS: tuple[Verb, ...] = (
    Verb("endless enable", enable, writes=True),
    Verb("endless disable", disable, writes=True),
    Verb("endless status", status),
    Verb("endless consolidate", consolidate, writes=True),
    Verb("endless working-set", working_set),
    Verb("endless memories", memories),
)
