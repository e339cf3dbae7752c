"""The part of the facade that looks through a store page by page: events, sessions, what ties it together, and what waits. Each
method is one call of a use case, as in `memory`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphmem.errors import NotFound

if TYPE_CHECKING:
    from graphmem.model.events import Event
    from graphmem.model.table import Table


class BrowseService:
    """What `Memory` can do for those who look."""

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
        """The newest events, newest last, between two positions of the log (exclusive)."""
        from graphmem.browse import pages

        self._parts.recognise()
        return pages.read_events(self._parts, session, types, limit, before, after)

    def event(self, id: str) -> Event:
        """One event by its id. Raises NotFound, also for one that was forgotten."""
        found: dict[str, Event] = self._parts.log.get([id])
        if not found:
            raise NotFound(f"there is no event `{id}`: `graphmem history` lists them", id=id)
        return found[id]

    def activity(self, *, days: int = 90) -> Table:
        """How many events of each type there were on each of the last days: columns day, type, events."""
        from graphmem.browse import pages

        self._parts.recognise()
        return pages.read_activity(self._parts, days)

    def sessions(self, *, page: int = 1, page_size: int = 20) -> dict[str, Any]:
        """A page of the sessions, those with the newest turns first, and how many there are."""
        from graphmem.browse import pages

        return pages.read_sessions(self._parts, page, page_size)

    def session(self, ref: str, *, page: int = 1, page_size: int = 50) -> dict[str, Any]:
        """One session with a page of its turns. Raises NotFound."""
        from graphmem.browse import pages

        return pages.read_session(self._parts, ref, page, page_size)

    def around(
        self, ids: Sequence[str] = (), *, relations: Sequence[str] | None = None, limit: int = 500
    ) -> dict[str, Any]:
        """Nodes and relations for a drawing: these nodes and what they are related to; without ids, what ties the memory
        together. Raises NotFound for an unknown id."""
        from graphmem.browse import subgraph

        return subgraph.subgraph(self._parts.graph, self._parts.text, ids, relations, limit)

    def outbox(self) -> dict[str, Any]:
        """How much waits for its vectors, and how far each projection got."""
        from graphmem.browse import pages

        return pages.outbox_state(self._parts)
