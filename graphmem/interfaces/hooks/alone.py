"""A hook that finds no owner of the store, or waits for it in vain: this process does it by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmem import settings
from graphmem.hooks.respond import recall, respond
from graphmem.interfaces.hooks.place import Spot
from graphmem.store import Store, finish_interrupted_move, start_owner

_EARLY = frozenset({"SessionStart", "UserPromptSubmit"})  # hooks that see to it that there is an owner


def answer_alone(spot: Spot, event: str, given: dict[str, Any], *, recorded: bool) -> dict[str, Any]:
    """Append here (unless it is `recorded` already), recall from the words of the index alone, and start an owner for the next
    time."""
    path = Path(spot.store)
    finish_interrupted_move(path)
    chosen = settings.load_settings(path, {"embedding.provider": "none"})
    store = Store(path, chosen, name=spot.project)
    try:
        if recorded:
            return recall(store, event, given)
        if event in _EARLY:
            start_owner(path, store.project)
        return respond(store, event, given)
    finally:
        store.close()
