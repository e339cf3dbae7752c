"""Records usage statistics of answers: search hits count as shown, items opened in full as chosen. Called after the
answer is complete; it only appends to a list."""

from __future__ import annotations

from typing import Any

from graphmem.memory import Memory
from graphmem.model.results import Detail, SearchResult


def note_use(mem: Memory, result: Any, session: str) -> None:
    """Record the use of the items in a search result or in details. Other results are ignored."""
    if isinstance(result, SearchResult):
        mem.used(shown=[hit.id for hit in result.hits], session=session)
    elif isinstance(result, list) and result and all(isinstance(each, Detail) for each in result):
        mem.used(chosen=[each.id for each in result], session=session)
