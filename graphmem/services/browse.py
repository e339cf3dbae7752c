"""The browsing methods of `Memory`: graph queries, neighbours and paths, and pages of the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from graphmem.browse import explore, pages, subgraph
from graphmem.browse.analytics import analyse_project
from graphmem.browse.named_queries import list_named_queries, named_query, own_limit
from graphmem.context import StoreContext
from graphmem.errors import NotFound, UsageError
from graphmem.model.analytics import Analytics
from graphmem.model.events import Event
from graphmem.model.table import Table
from graphmem.text.cypher import check_read_only
from graphmem.text.cypher_columns import name_columns
from graphmem.text.keys import plain_citation

T = TypeVar("T")


class BrowseService:
    """Browsing methods of one store."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store

    def resolve(self, name: str) -> str:
        """Return the id of an item from its id, ref or citation, or from the id returned when it was recorded."""
        return explore.item_of(self._store.log, plain_citation(name))

    def require(self, names: Sequence[str], items: list[T]) -> list[T]:
        """Return `items`. Raises NotFound if they are empty although names were given."""
        if names and not items:
            unknown = ", ".join(f"`{name}`" for name in names)
            raise NotFound(f"no item {unknown}: take ids from `graphmem search`", ids=list(names))
        return items

    def cypher(
        self, query: str, params: Mapping[str, Any] | None, *, limit: int | None, timeout: float | None
    ) -> Table:
        """Run a read-only Cypher query in a separate process. Raises ForbiddenQuery, QueryTimeout, QueryStopped."""
        check_read_only(query, params or ())
        bounds = self._store.settings.graph
        for name, value in (("limit", limit), ("timeout", timeout)):
            if value is not None and not value > 0:
                raise UsageError(f"`{name}` must be greater than 0, not {value:g}", **{name: value})
        rows = self._store.graph.query_untrusted(
            query, params, limit=limit or bounds.query_rows, timeout=timeout or bounds.query_timeout_s
        )
        return Table(name_columns(query, rows.columns), rows.rows, rows.truncated)

    def query(self, name: str, params: Mapping[str, Any] | None, *, limit: int | None) -> Table:
        """Run a named query."""
        query, bounds = named_query(name), self._store.settings.graph
        if limit is not None and limit <= 0:
            raise UsageError(f"`limit` must be greater than 0, not {limit}", limit=limit)
        text, arguments = self._store.settings.types.fitted(query.text), query.arguments(params or {})
        rows = self._store.graph.query(
            text, arguments, limit=limit or bounds.query_rows, timeout=bounds.query_timeout_s
        )
        return Table(rows.columns, rows.rows, rows.truncated or len(rows.rows) == own_limit(text, arguments))

    def neighbours(self, id: str, depth: int, kinds: Sequence[str] | None) -> Table:
        """Return the nodes within `depth` steps of a node. Raises NotFound."""
        return explore.neighbours_of(self._store.graph, self._node(id), depth, kinds)

    def path(self, a: str, b: str, only: Sequence[str]) -> Table:
        """Return a shortest path between two nodes over these types of relations, or over all. Raises NotFound."""
        return explore.shortest_path(self._store.graph, self._store.text, self._node(a), self._node(b), only)

    def _node(self, name: str) -> explore.KnownNode:
        return explore.resolve_node(self._store.graph, self._store.text, self.resolve(name))

    def show(self, id: str) -> dict[str, Any]:
        """Return everything stored about one item. Raises NotFound."""
        return explore.show_node(self._store.graph, self._store.text, self.resolve(id))

    def schema(self) -> dict[str, Any]:
        """Return the labels, relations and properties of the graph, and the named queries."""
        return self._store.graph.schema() | {"queries": [query.row() for query in list_named_queries()]}

    def history(
        self, *, session: str | None, types: Sequence[str] | None, limit: int, before: int | None, after: int
    ) -> list[Event]:
        """Return the latest events between two log positions (exclusive), oldest first."""
        self._store.check_log_lineage()
        return pages.read_events(self._store, session, types, limit, before, after)

    def event(self, id: str) -> Event:
        """Return an event by id. Raises NotFound, also for a forgotten event."""
        found = self._store.log.get([id])
        if not found:
            raise NotFound(f"no event `{id}`: `graphmem history` lists events", id=id)
        return found[id]

    def activity(self, days: int) -> Table:
        """Count events by type for each of the last days: columns day, type, events."""
        self._store.check_log_lineage()
        return pages.read_activity(self._store, days)

    def analytics(self, days: int) -> Analytics:
        """Return what was injected and what came of it, repeated failures, knowledge by area, and possible junk."""
        self._store.check_log_lineage()
        return analyse_project(self._store, days)

    def sessions(self, page: int, page_size: int) -> dict[str, Any]:
        """Return a page of sessions, most recent activity first, and the total."""
        return pages.read_sessions(self._store, page, page_size)

    def session(self, ref: str, page: int, page_size: int) -> dict[str, Any]:
        """Return a session with a page of its turns. Raises NotFound."""
        return pages.read_session(self._store, ref, page, page_size)

    def around(
        self, ids: Sequence[str], relations: Sequence[str] | None, limit: int, without: Sequence[str]
    ) -> dict[str, Any]:
        """Return a subgraph (nodes and relations) for visualisation. Raises NotFound for an unknown id."""
        return subgraph.subgraph(self._store.graph, self._store.text, ids, relations, limit, without)
