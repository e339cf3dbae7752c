"""What users do with their own memories on a shared server: move a private one to the team, export a store, and have all forgotten
that they wrote."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from graphmem.errors import AccessDenied, NotFound, UsageError
from graphmem.interfaces.tenancy.accounts import Account, Accounts
from graphmem.interfaces.tenancy.facade import TenantMemory
from graphmem.interfaces.tenancy.rights import Caller, Right, Visibility
from graphmem.interfaces.tenancy.stores import Place, StorePool, exists
from graphmem.interfaces.tenancy.tenant import Tenant
from graphmem.memory import Memory
from graphmem.model.kinds import REMEMBERABLE

_FORMATS = ("log", "graphml", "jsonld", "markdown")


def publish(tenant: Tenant, id: str) -> dict[str, str]:
    """Move a memory from the private store to the team's, and return its new id. It is written there first: if that is
    interrupted, publishing it again leaves one copy. Raises NotFound, AccessDenied."""
    tenant.require(Right.WRITE, "publish", "team")
    if not tenant.has("private"):
        raise NotFound(f"you have no private memory `{id}`", id=id)
    own, team = (TenantMemory(_at(tenant, store)) for store in ("private", "team"))
    (found,) = own.details([id])
    kind = found.kind if found.kind in REMEMBERABLE else "fact"
    new = team.remember(
        found.content, kind=kind, title=found.title or None, tags=found.tags, files=found.files, ref=found.ref
    )
    team.process()
    own.forget(id)
    tenant.note("publish", "team", detail=new)
    return {"id": new}


def export_store(tenant: Tenant, store: Visibility, format: str) -> Path:
    """Write a store to a temporary file, which the caller deletes, and return it. Raises UsageError, NotFound if the store is
    empty."""
    if format not in _FORMATS:
        raise UsageError(f"`format` is one of {', '.join(_FORMATS)}", format=format)
    tenant.require(Right.READ, "export", store)
    if not tenant.has(store):
        raise NotFound(f"the {store} store of `{tenant.project}` is empty")
    made, name = tempfile.mkstemp(prefix="graphmem-export-")
    os.close(made)
    file = Path(name)
    try:
        with tenant.lease(store) as executor, executor.borrow("slow") as memory:
            memory.export(file, format=format)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    tenant.note("export", store, detail=format)
    return file


def forget_own(tenant: Tenant) -> dict[str, Any]:
    """Forget all that the caller wrote in the project, in both stores, and erase it from disk."""
    if not tenant.current().caller.account:
        raise AccessDenied("this request belongs to no account")
    account = tenant.host.accounts.get(tenant.caller.account)
    done = forget_account(tenant.host.accounts, tenant.host.place, tenant.host.pool, account, [tenant.project])
    tenant.note("forget_account", detail=account.id)
    return done


def forget_account(
    accounts: Accounts, place: Place, pool: StorePool, account: Account | Caller, projects: list[str]
) -> dict[str, Any]:
    """Erase what an account wrote in these projects: tombstones for its events in the team stores, and its private stores whole.
    Return how many events of the team were forgotten, and the projects. The caller notes it in the audit log: an account erases
    what it wrote, and so does the host."""
    name = account.name if isinstance(account, Account) else account.account
    count = 0
    for project in projects:
        if exists(place.team(project)):
            with _slow(pool, place.team(project), project) as memory, suppress(NotFound):  # it wrote nothing there
                count += memory.forget(account=name, purge=True).events
        private = place.private(project, account.id)
        if exists(private):
            with _slow(pool, private, project) as memory, suppress(NotFound):
                memory.forget(project=project, purge=True)  # also from a log on a server
            pool.delete(private)
        accounts.ledger.clear_usage(account.id, project)
    return {"account": name, "events": count, "projects": projects}


@contextmanager
def _slow(pool: StorePool, store: Path, project: str) -> Iterator[Memory]:
    with pool.lease(store, project) as executor, executor.borrow("slow") as memory:
        yield memory


def _at(tenant: Tenant, store: Visibility) -> Tenant:
    return Tenant(tenant.host, tenant.caller, tenant.project, store, tenant.address)
