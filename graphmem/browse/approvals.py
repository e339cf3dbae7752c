"""The queue of what is new and waits for a person's approval (setting `approval.required`). Reads the index only; the decisions are
in `evolution/approvals.py`."""

from __future__ import annotations

from typing import Any

from graphmem.errors import UsageError
from graphmem.log.approvals import WAITING, read_approvals
from graphmem.model.table import Table
from graphmem.ports.text import ItemFilter, Stored
from graphmem.retrieve.present import format_item_citation, to_datetime

_COLUMNS = ["id", "kind", "at", "session", "status", "title", "text", "citation"]


def list_unapproved(parts: Any, *, limit: int = 50, every: bool = False) -> Table:
    """Return what waits for approval, newest first; with `every`, also what was rejected. Raises UsageError for a limit below
    1."""
    if limit < 1:
        raise UsageError(f"limit is a number of rows: at least 1, not {limit}", limit=limit)
    found = sorted(_unapproved(parts), key=lambda one: (-one.item.at, one.row))
    rows = [
        [one.item.id, one.item.kind, to_datetime(one.item.at), one.item.session, one.status, one.item.title, one.item.text,
         format_item_citation(one)]
        for one in found
        if every or one.status == WAITING
    ]  # fmt: skip
    return Table(_COLUMNS, rows[:limit], len(rows) > limit)


def _unapproved(parts: Any) -> list[Stored]:
    import numpy as np

    if not read_approvals(parts.log).is_required:
        return []
    text = parts.retriever.ports.text
    rows = np.flatnonzero(text.mask(ItemFilter(waiting=True)) & ~text.mask(ItemFilter())).tolist()
    items = text.items(sorted({one.whole for one in text.items(rows)}))
    return [one for one in items if one.status != "active"]
