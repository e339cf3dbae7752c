"""Whom a request of a shared server concerns: the caller, the project, and what was chosen. A tenant opens its own two stores, and
there is no way from it to another store."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import anyio.to_thread

from graphmem.errors import AccessDenied, LimitReached
from graphmem.interfaces.http.lanes import LaneExecutor
from graphmem.interfaces.tenancy.accounts import Accounts
from graphmem.interfaces.tenancy.limiting import Limiter
from graphmem.interfaces.tenancy.rights import Caller, Right, Visibility
from graphmem.interfaces.tenancy.slots import Slots
from graphmem.interfaces.tenancy.stores import Place, StorePool, exists
from graphmem.settings import Server

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Host:
    """What all requests of a server share."""

    place: Place
    accounts: Accounts
    pool: StorePool
    limiter: Limiter
    settings: Server
    slots: Slots


@dataclass(frozen=True, slots=True)
class Tenant:
    """A caller in a project. `visibility` is the store that the request chose, None for both. `is_valid` says whether the
    credential still holds: it is asked again where work goes on after the request, as in an open page."""

    host: Host
    caller: Caller
    project: str
    visibility: Visibility | None = None
    address: str = ""

    def current(self) -> Tenant:
        """Return the tenant with the rights of now. Raises AccessDenied if the credential ended or the project was taken away."""
        accounts = self.host.accounts
        credential = self.caller.credential
        caller = (
            accounts.caller_with_credential(credential) if credential else accounts.caller_named(self.caller.account)
        )
        expires = self.caller.expires
        if caller is None or caller.id != self.caller.id or (expires is not None and time.time() > expires):
            raise AccessDenied("this login or token is not valid any more")
        caller.require(self.project, Right.READ)
        return replace(self, caller=replace(caller, expires=expires))

    def path(self, store: Visibility) -> Path:
        """Return the folder of one of the two stores."""
        place = self.host.place
        return place.team(self.project) if store == "team" else place.private(self.project, self.caller.id)

    def has(self, store: Visibility) -> bool:
        """Return whether anything was ever written to this store."""
        return exists(self.path(store))

    @contextlib.contextmanager
    def lease(self, store: Visibility) -> Iterator[LaneExecutor]:
        """Context manager: one of the two stores, open."""
        with self.host.pool.lease(self.path(store), self.project) as executor:
            yield executor

    async def run(self, call: Callable[[], T], *, of_page: bool = False) -> T:
        """Run a call in a thread, as one of those that the account may run at a time. Raises LimitReached, and what the call
        raises."""
        async with self.hold_slot(of_page=of_page):
            return await anyio.to_thread.run_sync(call)

    @contextlib.asynccontextmanager
    async def hold_slot(self, *, of_page: bool = False) -> AsyncIterator[None]:
        """Context manager: a call of the account, once it may run. Raises LimitReached if too many wait."""
        async with contextlib.AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self.host.slots.hold(self.caller.id, of_page=of_page))
            except LimitReached as reached:
                self.note_refusal("request", detail=reached.data["limit"])
                raise
            yield

    def require(self, right: Right, action: str, store: str = "") -> None:
        """Raise AccessDenied without a right on the project, and note that in the audit log."""
        try:
            self.caller.require(self.project, right)
        except AccessDenied:
            self.note_refusal(action, store)
            raise

    def note_refusal(self, action: str, store: str = "", detail: str = "") -> None:
        """Append to the audit log what this caller was refused."""
        self.host.accounts.ledger.note_refusal(
            action, account=self.caller.account, token=self.caller.label, address=self.address, project=self.project,
            store=store, detail=detail,
        )  # fmt: skip

    def note(self, action: str, store: str = "", outcome: str = "done", detail: str = "") -> None:
        """Append to the audit log what this caller did."""
        self.host.accounts.ledger.note(
            action, account=self.caller.account, token=self.caller.label, address=self.address, project=self.project,
            store=store, outcome=outcome, detail=detail,
        )  # fmt: skip


TENANT: ContextVar[Tenant | None] = ContextVar("tenant", default=None)


def current_tenant() -> Tenant:
    """Return the tenant of this request, with the rights of now. Raises AccessDenied outside of one."""
    tenant = TENANT.get()
    if tenant is None:
        raise AccessDenied("this request belongs to no account")
    return tenant.current()
