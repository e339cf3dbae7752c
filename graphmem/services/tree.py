"""The memory tree service, `mem.tree`: index, read, search, retrieve, window, and the operations that change the
tree, each recorded as an event. The logic is in `graphmem.tree`; graph and index are updated by `process`, which
these operations start."""

from __future__ import annotations

from typing import Any, get_args

from graphmem.context import StoreContext
from graphmem.errors import NotFound, UsageError
from graphmem.model.checked import check_arguments
from graphmem.model.events import Draft
from graphmem.model.tree import Consolidated, MemoryNode, Reading, Recall, Retrieval, TreeIndex
from graphmem.operations.pipeline import Process
from graphmem.ports.callers import signed
from graphmem.text.tokens import count_tokens
from graphmem.tree import consolidate as consolidation
from graphmem.tree.repository import MemoryRepository
from graphmem.tree.retrieval import retrieve_memories
from graphmem.tree.sensor import TYPES
from graphmem.tree.window import LISTED, PASSIVE, session_window

_EVERY = 100_000  # memories compared in a consolidation
_TAGS = 40  # tags shown in the index


@check_arguments
class Tree:
    """The memory tree of a store."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store
        self._shelf = MemoryRepository(store)

    def index(self, limit: int = LISTED) -> TreeIndex:
        """Return what is always in context: pinned memories within their token budget, then the newest, at most
        `limit` in total; plus the tags in use."""
        passive: list[MemoryNode] = []
        spent = 0
        for node in self._shelf.passive(limit):
            spent += count_tokens(node.trigger)
            if spent > PASSIVE:
                break
            passive.append(node)
        nodes = list({node.id: node for node in [*passive, *self._shelf.newest(limit)]}.values())[:limit]
        tokens = sum(count_tokens(f"[{node.id}] {node.summary}") for node in nodes)
        return TreeIndex(tuple(nodes), self._shelf.total(), tuple(self._shelf.tags()[:_TAGS]), tokens)

    def read(self, id: str, *, first: int = 0, limit: int | None = None) -> Reading:
        """Return a memory with `limit` original turns from `first`, verbatim. Raises NotFound."""
        return self._shelf.read(id, max(0, first), limit)

    def search(self, tag: str, *, limit: int = LISTED) -> list[MemoryNode]:
        """Return memories with a tag (spelling variants included), newest first."""
        return self._shelf.tagged(tag, limit)

    def retrieve(
        self, summary_query: str, trigger_query: str | None = None, *, k: int = 5, budget: int = 1_500
    ) -> Retrieval:
        """Return the `k` best memories for what they are about and when they are needed, with linked memories, and a
        context of at most `budget` tokens that quotes original turns. Raises UsageError for an empty query."""
        if not summary_query.strip() or k < 1:
            raise UsageError("give a query, and request at least one memory")
        return retrieve_memories(self._store, summary_query, trigger_query, k=k, budget=budget)

    def window(self, session: str | None = None, *, budget: int = 1_500) -> str:
        """Return the session window as text: pinned memories, the newest memories, and the last two turns of a
        session."""
        last = self._store.log.pages.newest(2, session=session, types=TYPES)[::-1]
        return session_window(self._shelf.passive(LISTED), self._shelf.newest(LISTED), last, budget)

    def compact(self, session: str = "default") -> int:
        """Compact the buffer of a session now, whatever its size; return the number of memories in the tree."""
        self._act("memory_compacted", {"reason": "forced"}, session)
        return self._shelf.total()

    def mark(self, id: str, mode: Recall) -> MemoryNode:
        """Set when a memory is recalled: "passive" (always), "active" (when searched for) or "both". Raises
        UsageError, NotFound."""
        if mode not in get_args(Recall):
            raise UsageError(f"`{mode}` is not a recall mode: choose one of {', '.join(get_args(Recall))}")
        node = self.read(id, limit=0).node
        self._act("memory_marked", {"nodes": [node.id], "mode": mode})
        found = self._shelf.nodes([node.id])
        if not found:
            raise NotFound(f"there is no memory `{id}`", id=id)
        return found[0]

    def consolidate(self) -> Consolidated:
        """Merge equivalent memories into the older one, which keeps the original turns of both, and link similar
        memories."""
        self._store.run(Process())
        nodes = [node for node in self._shelf.newest(_EVERY) if node.turns]
        decided = consolidation.plan_consolidation(nodes, self._store.embedder)
        if decided.merged or decided.linked:
            payload = {"merged": [list(one) for one in decided.merged], "linked": [list(one) for one in decided.linked]}
            self._act("memories_consolidated", payload)
        return decided

    def _act(self, type: str, payload: dict[str, Any], session: str = "") -> None:
        store = self._store
        store.recorder.record([Draft(type, payload, store.clock.now(), session, store.project, signed("user"))])
        store.run(Process())
