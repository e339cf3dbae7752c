"""Verbs of the group `graphmem endless`."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory


def enable(mem: Memory, days: Annotated[int, "number of past days to load"] = 7) -> Any:
    """Enable endless mode: one memory across sessions."""
    return mem.endless.enable(days=days)


def disable(mem: Memory) -> Any:
    """Disable endless mode. Existing memories are kept."""
    return mem.endless.disable()


def status(mem: Memory) -> Any:
    """Show the working set, continuity with earlier work, and consolidated memories."""
    return mem.endless.status()


def consolidate(mem: Memory) -> Any:
    """Consolidate pending turns into memories now."""
    return mem.endless.consolidate()


def working_set(mem: Memory) -> Any:
    """List the events of the working set, most relevant first."""
    return mem.endless.working_set()


def memories(
    mem: Memory,
    query: Annotated[str | None, "only memories that match"] = None,
    limit: Annotated[int, "maximum number of memories"] = 20,
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
