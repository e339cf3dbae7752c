"""Receives what clients recorded on their own machines while the server was there or away. Each item has a key, so a batch that is
sent again, because its answer was lost, changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from graphmem.errors import UsageError
from graphmem.interfaces.tenancy.facade import TenantMemory
from graphmem.interfaces.tenancy.rights import VISIBILITIES, Visibility
from graphmem.interfaces.tenancy.tenant import Tenant
from graphmem.model.kinds import REMEMBERABLE

MOST_ITEMS = 500
_STRICT = ConfigDict(extra="forbid")


class Item(BaseModel):
    """A memory or a turn. `key` names it among all that the account sends."""

    model_config = _STRICT
    key: str = Field(min_length=8, max_length=200)
    type: Literal["memory", "turn"]
    content: str
    kind: str = "fact"
    title: str = ""
    tags: list[str] = Field(default_factory=list)
    files: list[str] = Field(default_factory=list)
    ref: str = ""
    role: str = "user"
    session: str = Field("default", max_length=500)
    at: datetime | None = None
    visibility: Literal["private", "team"] | None = None


class Batch(BaseModel):
    """What a client sends at once."""

    model_config = _STRICT
    items: list[Item] = Field(max_length=MOST_ITEMS)


def receive(tenant: Tenant, items: Sequence[Item]) -> list[str]:
    """Record items in order and return their ids. Raises UsageError, AccessDenied, LimitReached; what came before is recorded, and
    nothing is recorded twice when the batch is sent again."""
    default: Visibility = "team" if tenant.host.settings.visibility == "team" else "private"
    memories = {
        store: TenantMemory(Tenant(tenant.host, tenant.caller, tenant.project, store, tenant.address))
        for store in VISIBILITIES
    }
    ids: list[str] = []
    for (store, type), group in groupby(items, lambda item: (item.visibility or default, item.type)):
        if type == "turn":  # one transaction, not one for each
            ids += memories[store].observe_many([_turn(item) for item in group])
        else:
            ids += [_remember(memories[store], tenant.caller.id, item) for item in group]
    return ids


def _turn(item: Item) -> dict[str, Any]:
    """Return the arguments of `observe`."""
    at, ref = _time(item), item.ref or item.key
    return {"content": item.content, "role": item.role, "session": item.session, "at": at, "ref": ref}


def _remember(memory: TenantMemory, account: str, item: Item) -> str:
    if item.kind not in REMEMBERABLE:
        raise UsageError(f"`{item.kind}` cannot be remembered: choose one of {', '.join(REMEMBERABLE)}", kind=item.kind)
    once = f"{account}:{item.key}"  # no account can use up the keys of another
    return str(
        memory.remember(item.content, kind=item.kind, title=item.title or None, tags=item.tags, files=item.files,
                        ref=item.ref or None, at=_time(item), once=once)
    )  # fmt: skip


def _time(item: Item) -> datetime | None:
    return item.at.astimezone() if item.at is not None else None
