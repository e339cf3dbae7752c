"""Handles a hook in this process when the store has no owner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmem import settings
from graphmem.errors import LogUnreachable
from graphmem.hooks.events import hook_event
from graphmem.hooks.respond import respond
from graphmem.interfaces.hooks.place import StoreLocation
from graphmem.log.spool import DELIVERY
from graphmem.log.stages import read_state
from graphmem.store import Store, finish_interrupted_move, start_owner


def answer_alone(location: StoreLocation, event: str, given: dict[str, Any]) -> dict[str, Any]:
    """Handle the hook without the owner: record it here, search full text only, and start an owner for the next hook. While the
    server of a log is away, the input waits in the spool, and the answer is empty."""
    path = Path(location.store)
    finish_interrupted_move(path)
    chosen = settings.load_settings(path, {"embedding.provider": "none"})
    store = Store(path, chosen, name=location.project)
    try:
        if hook_event(event).starts_owner or _ran_git(given) or _is_left_open(location.store):
            start_owner(path, store.project)
        return respond(store, event, given)
    except LogUnreachable:
        if DELIVERY not in given:
            raise  # it could not be saved: the disk is full
        return {}
    finally:
        store.close()


def _is_left_open(store: str) -> bool:
    """Return whether an `init` was interrupted, which an owner goes on with."""
    begun = read_state(store)
    return begun is not None and begun.is_pending


def _ran_git(given: dict[str, Any]) -> bool:
    """Return whether a tool call may have made a commit, which an owner then reads."""
    arguments = given.get("tool_input")
    return isinstance(arguments, dict) and "git " in str(arguments.get("command") or "")
