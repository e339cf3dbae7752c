"""Verbs of the group `graphmem tree`, the memory tree. As agent tools they have the names that CoMeT introduced."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory

Id = Annotated[str, "id of a memory (mem_…), or the end of it"]


def index(mem: Memory, limit: Annotated[int, "maximum number of memories"] = 50) -> Any:
    """List the memory tree: pinned memories, then the newest, and the tags in use."""
    return mem.tree.index(limit)


def read(
    mem: Memory,
    id: Id,
    first: Annotated[int, "index of the first original turn to show, from 0"] = 0,
    limit: Annotated[int | None, "maximum number of original turns"] = None,
) -> Any:
    """Read a memory with its original turns, verbatim."""
    return mem.tree.read(id, first=first, limit=limit)


def search(
    mem: Memory, tag: Annotated[str, "a topic tag"], limit: Annotated[int, "maximum number of memories"] = 50
) -> Any:
    """List the memories with a tag, newest first."""
    return mem.tree.search(tag, limit=limit)


def retrieve(
    mem: Memory,
    summary_query: Annotated[str, "what the memory should be about"],
    trigger_query: Annotated[str | None, "when it would be needed, with names and values"] = None,
    k: Annotated[int, "maximum number of memories"] = 5,
    budget: Annotated[int, "maximum tokens of quoted turns"] = 1_500,
) -> Any:
    """Find memories of earlier conversations, with the original turns that match. Answer from these; read a memory
    only if they are not sufficient."""
    return mem.tree.retrieve(summary_query, trigger_query, k=k, budget=budget)


def window(
    mem: Memory,
    session: Annotated[str | None, "the session whose latest turns to show"] = None,
    budget: Annotated[int, "maximum tokens"] = 1_500,
) -> str:
    """Show the session window: the part of the memory tree that is always in the agent's context."""
    return mem.tree.window(session, budget=budget)


def compact(mem: Memory, session: Annotated[str, "the session id"] = "default") -> dict[str, int]:
    """Compact the buffered turns of a session into a memory."""
    return {"memories": mem.tree.compact(session)}


def mark(
    mem: Memory,
    id: Id,
    mode: Annotated[Literal["passive", "active", "both"], "passive: always in context; active: only when searched for"],
) -> Any:
    """Set when a memory is recalled."""
    return mem.tree.mark(id, mode)


def consolidate(mem: Memory) -> Any:
    """Merge equivalent memories, keeping the originals of both, and link similar ones."""
    return mem.tree.consolidate()


TREE: tuple[Verb, ...] = (
    Verb("tree index", index, agent=True, tool="get_memory_index"),
    Verb("tree read", read, agent=True, tool="read_memory_node"),
    Verb("tree search", search, agent=True, tool="search_memory"),
    Verb("tree retrieve", retrieve, agent=True, tool="retrieve_memory"),
    Verb("tree window", window),
    Verb("tree compact", compact, writes=True),
    Verb("tree mark", mark, writes=True),
    Verb("tree consolidate", consolidate, writes=True),
)
