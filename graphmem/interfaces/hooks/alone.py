"""Handles a hook in this process when the store has no owner, or the owner does not answer in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmem import settings
from graphmem.hooks.respond import inject_only, respond
from graphmem.interfaces.hooks.place import StoreLocation
from graphmem.store import Store, finish_interrupted_move, start_owner

_EARLY = frozenset({"SessionStart", "UserPromptSubmit"})  # hooks that see to it that there is an owner


def answer_alone(spot: StoreLocation, event: str, given: dict[str, Any], *, recorded: bool) -> dict[str, Any]:
    """Handle the hook without the owner: record here (unless already `recorded`), recall by full-text search only, and
    start an owner for the next hook."""
    path = Path(spot.store)
    finish_interrupted_move(path)
    chosen = settings.load_settings(path, {"embedding.provider": "none"})
    store = Store(path, chosen, name=spot.project)
    try:
        if recorded:
            return inject_only(store, event, given)
        if event in _EARLY:
            start_owner(path, store.project)
        return respond(store, event, given)
    finally:
        store.close()
