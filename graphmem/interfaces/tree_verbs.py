"""The verbs of the memory tree: `graphmem tree index` and its kin, for agents under the names that CoMeT gave them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from graphmem.interfaces.verb import Verb
from graphmem.memory import Memory

Id = Annotated[str, "id of a memory (mem_…), or its last part"]


def index(mem: Memory, limit: Annotated[int, "how many memories"] = 50) -> Any:
    """List the memory tree: memories that are always in context, then the newest, and the tags in use."""
    return mem.tree.index(limit)


def read(
    mem: Memory,
    id: Id,
    first: Annotated[int, "the first original to show, from 0"] = 0,
    limit: Annotated[int | None, "at most so many originals"] = None,
) -> Any:
    """Read a memory with its originals, word for word."""
    return mem.tree.read(id, first=first, limit=limit)


def search(mem: Memory, tag: Annotated[str, "a topic tag"], limit: Annotated[int, "how many memories"] = 50) -> Any:
    """List the memories that carry a tag, newest first."""
    return mem.tree.search(tag, limit=limit)


def retrieve(
    mem: Memory,
    summary_query: Annotated[str, "what the memory should be about"],
    trigger_query: Annotated[str | None, "when it would be needed, with names and values"] = None,
    k: Annotated[int, "how many memories"] = 5,
    budget: Annotated[int, "tokens of originals that are quoted"] = 1_500,
) -> Any:
    """Find memories of earlier conversations, with the originals that match. Answer from them; read a memory only where
    they do not suffice."""
    return mem.tree.retrieve(summary_query, trigger_query, k=k, budget=budget)


def window(
    mem: Memory,
    session: Annotated[str | None, "the session whose last turns are shown"] = None,
    budget: Annotated[int, "tokens"] = 1_500,
) -> str:
    """Show the session window: the part of the tree that an agent always sees."""
    return mem.tree.window(session, budget=budget)


def compact(mem: Memory, session: Annotated[str, "the session"] = "default") -> dict[str, int]:
    """Compact the buffered turns of a session into a memory."""
    return {"memories": mem.tree.compact(session)}


def mark(
    mem: Memory,
    id: Id,
    mode: Annotated[Literal["passive", "active", "both"], "passive: always in context; active: when searched for"],
) -> Any:
    """Set how a memory is recalled."""
    return mem.tree.mark(id, mode)


def consolidate(mem: Memory) -> Any:
    """Merge memories that say the same, keeping the originals of both, and link similar ones."""
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
