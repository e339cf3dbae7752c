"""The browsing methods of `Memory`: events, sessions, subgraphs, and pending work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphmem.errors import NotFound

if TYPE_CHECKING:
    from graphmem.model.events import Event
    from graphmem.model.table import Table


class BrowseService:
    """Browsing methods."""

    _parts: Any

    def history(
        self,
        *,
        session: str | None = None,
        types: Sequence[str] | None = None,
        limit: int = 50,
        before: int | None = None,
        after: int = 0,
    ) -> list[Event]:
        """Return the latest events between two log positions (exclusive), oldest first."""
        from graphmem.browse import pages

        self._parts.recognise()
        return pages.read_events(self._parts, session, types, limit, before, after)

    def event(self, id: str) -> Event:
        """Return an event by id. Raises NotFound, also for a forgotten event."""
        found: dict[str, Event] = self._parts.log.get([id])
        if not found:
            raise NotFound(f"there is no event `{id}`: `graphmem history` lists them", id=id)
        return found[id]

    def activity(self, *, days: int = 90) -> Table:
        """Count events by type for each of the last days: columns day, type, events."""
        from graphmem.browse import pages

        self._parts.recognise()
        return pages.read_activity(self._parts, days)

    def sessions(self, *, page: int = 1, page_size: int = 20) -> dict[str, Any]:
        """Return a page of sessions, most recent activity first, and the total."""
        from graphmem.browse import pages

        return pages.read_sessions(self._parts, page, page_size)

    def session(self, ref: str, *, page: int = 1, page_size: int = 50) -> dict[str, Any]:
        """Return a session with a page of its turns. Raises NotFound."""
        from graphmem.browse import pages

        return pages.read_session(self._parts, ref, page, page_size)

    def around(
        self, ids: Sequence[str] = (), *, relations: Sequence[str] | None = None, limit: int = 500
    ) -> dict[str, Any]:
        """Return a subgraph (nodes and relations) around these nodes; without ids, around the best-connected nodes.
        Raises NotFound for an unknown id."""
        from graphmem.browse import subgraph

        return subgraph.subgraph(self._parts.graph, self._parts.text, ids, relations, limit)

    def outbox(self) -> dict[str, Any]:
        """Return the number of texts waiting for vectors, and the position of each projection."""
        from graphmem.browse import pages

        return pages.outbox_state(self._parts)
