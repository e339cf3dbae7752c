"""Reads memories of the tree from the graph, and their original turns from the log, by id, tag, turn and time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from graphmem import resources
from graphmem.context import StoreContext
from graphmem.errors import NotFound, UsageError
from graphmem.model.events import Event
from graphmem.model.tree import MemoryNode, Original, Reading
from graphmem.projections import names
from graphmem.retrieve.present import to_datetime
from graphmem.tree.linking import tag_key

_FOLDER = "queries/graph/read"
_ALL = 1_000_000_000


class MemoryRepository:
    """The memories of one project."""

    def __init__(self, parts: StoreContext) -> None:
        self._parts = parts

    def newest(self, limit: int) -> list[MemoryNode]:
        """Return the newest memories, newest first."""
        return self._nodes("tree_newest", project=self._parts.project, limit=limit)

    def passive(self, limit: int) -> list[MemoryNode]:
        """Return pinned memories, newest first."""
        return self._nodes("tree_passive", project=self._parts.project, limit=limit)

    def total(self) -> int:
        """Return the number of memories."""
        return int(self._rows("tree_total", project=self._parts.project)[0][0])

    def tags(self) -> list[tuple[str, int]]:
        """Return tags with the number of their memories, most frequent first."""
        return [(tag, count) for tag, count in self._rows("tree_tags", project=self._parts.project)]

    def tagged(self, tag: str, limit: int = 50) -> list[MemoryNode]:
        """Return memories with a tag (spelling variants included), newest first. Raises UsageError for an empty tag."""
        if not tag.strip():
            raise UsageError("the tag is empty: `graphmem tree index` lists them")
        wanted = tag_key(tag)
        ids = [names.topic_id(known) for known, _ in self.tags() if tag_key(known) == wanted]
        found = self._nodes("tree_tagged", ids=ids, limit=limit) if ids else []
        return list({node.id: node for node in found}.values())

    def nodes(self, ids: Iterable[str]) -> list[MemoryNode]:
        """Return these memories, in the requested order; unknown ones are omitted."""
        wanted = list(dict.fromkeys(ids))
        found = {node.id: node for node in self._nodes("tree_nodes", ids=wanted)} if wanted else {}
        return [found[one] for one in wanted if one in found]

    def of_turns(self, turns: Sequence[str]) -> dict[str, str]:
        """Return turn -> its memory."""
        return dict(self._rows("tree_of_turns", ids=list(turns))) if turns else {}

    def originals(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Return memory -> ids of its turns, in order."""
        return dict(self._rows("tree_originals", ids=list(ids))) if ids else {}

    def read(self, identifier: str, first: int = 0, limit: int | None = None) -> Reading:
        """Return a memory with `limit` original turns from `first`. A merged memory is found in the one it was merged
        into; the end of an id is sufficient. Raises NotFound."""
        found = self.nodes([identifier])
        if not found:
            keepers = self._rows("tree_absorbed", id=identifier)
            found = self.nodes([row[0] for row in keepers])
        if not found:
            raise NotFound(f"there is no memory `{identifier}`: `graphmem tree index` lists them", id=identifier)
        node = found[0]
        ids = self.originals([node.id])[node.id]
        last = len(ids) if limit is None else first + limit
        events = self._parts.log.get(ids[first:last])
        shown = tuple(original_turn(events[one]) for one in ids[first:last] if one in events)
        return Reading(node, shown, first, last < len(ids))

    def _nodes(self, query: str, **parameters: Any) -> list[MemoryNode]:
        return [_node(row) for row in self._dicts(query, parameters)]

    def _rows(self, query: str, **parameters: Any) -> list[list[Any]]:
        return self._parts.graph.query(resources.text(f"{_FOLDER}/{query}.cypher"), parameters, limit=_ALL).rows

    def _dicts(self, query: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        found = self._parts.graph.query(resources.text(f"{_FOLDER}/{query}.cypher"), parameters, limit=_ALL)
        return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def original_turn(event: Event) -> Original:
    """Return a turn from the log."""
    payload = event.payload
    return Original(
        event.id,
        payload.get("ref") or None,
        str(payload.get("role") or "user"),
        to_datetime(event.at),
        str(payload.get("content", "")),
    )


def _node(row: Mapping[str, Any]) -> MemoryNode:
    at: datetime = row["at"]
    return MemoryNode(
        row["id"], row["summary"], row["trigger"], tuple(row["tags"]), tuple(row["links"]), row["recall_mode"], row["session"],
        at if at.tzinfo else at.replace(tzinfo=UTC), row["turns"], row["content_key"],
    )  # fmt: skip
