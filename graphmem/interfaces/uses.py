"""What an answer showed, for the statistics of use: hits of a search were shown, what was opened in full was chosen. Called
after the answer is there; it adds to a list and writes nothing itself."""

from __future__ import annotations

from typing import Any

from graphmem.memory import Memory
from graphmem.model.results import Detail, SearchResult


def note_use(mem: Memory, result: Any, session: str) -> None:
    """Note the items of a search or of details; any other answer says nothing."""
    if isinstance(result, SearchResult):
        mem.used(shown=[hit.id for hit in result.hits], session=session)
    elif isinstance(result, list) and result and all(isinstance(each, Detail) for each in result):
        mem.used(chosen=[each.id for each in result], session=session)
