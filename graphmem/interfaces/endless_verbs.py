"""The verbs of endless mode: `graphmem endless status` and its kin."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.interfaces.verb import Verb
from graphmem.memory import Memory


def enable(mem: Memory, days: Annotated[int, "days of the past to load"] = 7) -> Any:
    """Turn endless mode on: one memory across sessions."""
    return mem.endless.enable(days=days)


def disable(mem: Memory) -> Any:
    """Turn endless mode off; its memories stay."""
    return mem.endless.disable()


def status(mem: Memory) -> Any:
    """Show the working set, how it continues earlier work, and what was consolidated."""
    return mem.endless.status()


def consolidate(mem: Memory) -> Any:
    """Consolidate pending turns into memories now."""
    return mem.endless.consolidate()


def working_set(mem: Memory) -> Any:
    """List the events of the working set, most relevant first."""
    return mem.endless.working_set()


def memories(
    mem: Memory,
    query: Annotated[str | None, "only those that match"] = None,
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
