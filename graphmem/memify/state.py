"""A summary for `stats`: last run, items by level, archived and contested items, number of categories. Read-only."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from graphmem.memify.categories import latest_categories
from graphmem.memify.run_context import MemifyStore
from graphmem.memify.runs import due_trigger, past_runs
from graphmem.ports.entries import CONTESTED, HIDDEN


def memify_state(store: MemifyStore) -> dict[str, Any]:
    """Return `{"last": ISO time or None, "due": trigger or None, "levels": {L0..L4: items}, "archived", "contested",
    "categories"}`; levels of rated items only."""
    kept, every = store.text.columns.priors(), past_runs(store.log)
    judged = kept.importance > 0
    levels = np.bincount(kept.level[judged], minlength=5)
    return {
        "last": datetime.fromtimestamp(every[-1].clock / 1e6, UTC).isoformat(timespec="seconds") if every else None,
        "due": due_trigger(store.log, store.clock.now()),
        "levels": {f"L{number}": int(count) for number, count in enumerate(levels)},
        "archived": int(((kept.flags & HIDDEN) > 0).sum()),
        "contested": int(((kept.flags & CONTESTED) > 0).sum()),
        "categories": len(latest_categories(store.log).categories),
    }
