"""Reads memories of the tree from the graph, and their originals from the log: look-ups by id, tag, turn and time. It ranks
nothing and writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from graphmem import resources
from graphmem.context import Log
from graphmem.errors import NotFound, UsageError
from graphmem.model.events import Event
from graphmem.model.tree import MemoryNode, Original, Reading
from graphmem.ports.graph import GraphStore
from graphmem.projections import names
from graphmem.retrieve.present import to_datetime
from graphmem.tree.weave import tag_key

_FOLDER = "queries/graph/read"
_ALL = 1_000_000_000


class TreeReader(Protocol):
    """What is read from."""

    @property
    def log(self) -> Log: ...
    @property
    def graph(self) -> GraphStore: ...
    @property
    def project(self) -> str: ...


class MemoryRepository:
    """The memories of one project of a store."""

    def __init__(self, parts: TreeReader) -> None:
        self._parts = parts

    def newest(self, limit: int) -> list[MemoryNode]:
        """The newest memories, newest first."""
        return self._nodes("tree_newest", project=self._parts.project, limit=limit)

    def passive(self, limit: int) -> list[MemoryNode]:
        """Those that are always in context, newest first."""
        return self._nodes("tree_passive", project=self._parts.project, limit=limit)

    def total(self) -> int:
        """How many there are."""
        return int(self._rows("tree_total", project=self._parts.project)[0][0])

    def tags(self) -> list[tuple[str, int]]:
        """Tags with the number of memories that carry them, most frequent first."""
        return [(tag, count) for tag, count in self._rows("tree_tags", project=self._parts.project)]

    def tagged(self, tag: str, limit: int = 50) -> list[MemoryNode]:
        """Memories with a tag, in whatever spelling, newest first. Raises UsageError for an empty one."""
        if not tag.strip():
            raise UsageError("the tag is empty: `graphmem tree index` lists them")
        wanted = tag_key(tag)
        ids = [names.topic_id(known) for known, _ in self.tags() if tag_key(known) == wanted]
        found = self._nodes("tree_tagged", ids=ids, limit=limit) if ids else []
        return list({node.id: node for node in found}.values())

    def nodes(self, ids: Iterable[str]) -> list[MemoryNode]:
        """These memories, in the order asked; unknown ones are left out."""
        wanted = list(dict.fromkeys(ids))
        found = {node.id: node for node in self._nodes("tree_nodes", ids=wanted)} if wanted else {}
        return [found[one] for one in wanted if one in found]

    def of_turns(self, turns: Sequence[str]) -> dict[str, str]:
        """Turn -> the memory that keeps it."""
        return dict(self._rows("tree_of_turns", ids=list(turns))) if turns else {}

    def originals(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Memory -> ids of its turns, in order."""
        return dict(self._rows("tree_originals", ids=list(ids))) if ids else {}

    def read(self, identifier: str, first: int = 0, limit: int | None = None) -> Reading:
        """A memory with its originals, `limit` of them from `first` on. One that was merged is found in its keeper,
        and the last part of an id suffices. Raises NotFound."""
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
    """A turn as the log has it."""
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
