"""Runs the calls of requests on the memory of their caller, and pushes news of the caller's stores. Both look up the caller's
rights again with each call, so that an open page or connection ends with them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from graphmem.errors import UsageError
from graphmem.interfaces.http.lanes import Lane, LaneExecutor
from graphmem.interfaces.http.live import Hub
from graphmem.interfaces.tenancy.facade import TenantMemory
from graphmem.interfaces.tenancy.rights import VISIBILITIES
from graphmem.interfaces.tenancy.tenant import Tenant, current_tenant
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory

T = TypeVar("T")


class TenantLanes(LaneExecutor):
    """The executor of a shared server. `find` returns the tenant of the request that is being answered."""

    is_local = False

    def __init__(
        self, find: Callable[[], Tenant] = current_tenant, project: str = "shared server", location: Path = Path()
    ) -> None:
        self._find = find
        self._took: dict[str, deque[float]] = {}
        self._is_of_page = False
        self.project = project
        self.location = location

    async def run(self, call: Callable[[Memory], T], lane: Lane = "quick") -> T:
        """Run a call on the caller's memory in a thread. Raises AccessDenied, LimitReached, and what the call raises."""
        tenant = self._find()
        return await tenant.run(lambda: call(cast(Memory, TenantMemory(tenant, lane))), of_page=self._is_of_page)

    async def verb(self, verb: Verb, given: Mapping[str, Any]) -> Any:
        """Run a verb on the store that `visibility` chooses."""
        rest = dict(given)
        lanes = self.choosing(rest.pop("visibility", None))
        return await super(TenantLanes, lanes).verb(verb, rest)

    def choosing(self, visibility: str | None) -> TenantLanes:
        """Return an executor for one of the two stores; None leaves the choice to the request. Raises UsageError."""
        if visibility is None:
            return self
        if visibility not in VISIBILITIES:
            raise UsageError(f"`visibility` is one of {', '.join(VISIBILITIES)}", parameter="visibility")
        lanes = TenantLanes(lambda: replace(self._find(), visibility=visibility), self.project, self.location)
        lanes._took, lanes._is_of_page = self._took, self._is_of_page
        return lanes

    async def warm(self) -> None:
        """Prepare nothing: who will ask is not known."""

    async def counted(self, name: str, call: Callable[[Memory], T]) -> T:
        """Return a result for this caller; it is not shared with others."""
        return await self.run(call, "slow")

    def bound(self) -> TenantLanes:
        """Return an executor that stays with the tenant of this request: a page works on after it."""
        tenant = self._find()
        lanes = TenantLanes(tenant.current, tenant.project, tenant.path("private"))
        lanes._is_of_page = True
        return lanes

    def close(self) -> None:
        """Close nothing: the stores belong to the pool."""


class TenantHub(Hub):
    """The hub of a shared server. `bound` returns one for each connection, which sees the stores of its caller only."""

    def __init__(self, lanes: TenantLanes) -> None:
        super().__init__(lanes)
        self._lanes = lanes
        self._counts: Counter[str] = Counter()

    def bound(self) -> Hub:
        """Return a hub for the tenant of this request."""
        return _Connection(self._lanes.bound(), self._counts, current_tenant().caller.id)


class _Connection(Hub):
    """News for one connection: its log is watched while it listens. Connections are counted by account."""

    def __init__(self, lanes: LaneExecutor, counts: Counter[str], account: str) -> None:
        self._counts = counts
        self._account = account
        before = counts[account]
        super().__init__(lanes)
        counts[account] = before  # other connections of the account are open

    @property
    def clients(self) -> int:
        """Return the number of WebSocket clients of the account."""
        return self._counts[self._account]

    @clients.setter
    def clients(self, count: int) -> None:
        self._counts[self._account] = count

    def bound(self) -> Hub:
        """Return this hub: it has a tenant."""
        return self

    @contextlib.asynccontextmanager
    async def listen(self) -> AsyncIterator[asyncio.Queue[dict[str, Any]]]:
        """Yield a queue of messages for the duration of the block, and watch the log meanwhile."""
        watcher = asyncio.create_task(self.watch())
        try:
            async with super().listen() as queue:
                yield queue
        finally:
            watcher.cancel()
