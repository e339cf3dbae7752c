"""Removes withheld content from answers to agents. Hits, details and timelines know their origin; in all other
answers each text is checked by itself, because it may quote third-party text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphmem.interfaces.envelope import to_json_values
from graphmem.memory import Memory
from graphmem.model.results import Detail, SearchResult, TimelineEntry
from graphmem.model.table import Table
from graphmem.retrieve.guard import withheld_note
from graphmem.trust.detector import assess
from graphmem.trust.origin import TRUSTED

GONE = "[withheld: contains instructions for agents]"
_OWN = frozenset(
    {"schema", "stats", "remember", "forget", "index", "supersede"}
)  # verbs that never quote third-party text


def remove_withheld(mem: Memory, verb: str, value: Any) -> tuple[Any, str]:
    """Return an answer of a verb without withheld content, and a note for the agent about what was left out."""
    if isinstance(value, SearchResult):
        shown = tuple(hit for hit in value.hits if not hit.withheld)
        return replace(value, hits=shown), withheld_note(len(value.hits) - len(shown))
    if isinstance(value, list) and is_screened(verb, value):
        kept = [one for one in value if not one.withheld]
        return kept, withheld_note(len(value) - len(kept))
    if verb in _OWN or not isinstance(value, dict | Table):
        return value, ""  # checked as text, if at all
    screen = _Screen(mem.allowed)
    if isinstance(value, Table):
        cleaned: Any = Table(value.columns, [[screen.of(cell) for cell in row] for row in value.rows], value.truncated)
    else:
        cleaned = screen.of(to_json_values(value))
    return (cleaned, withheld_note(screen.count)) if screen.count else (value, "")


def is_screened(verb: str, value: Any) -> bool:
    """Return whether `screened` has checked every part of such an answer."""
    items = isinstance(value, list) and bool(value) and all(isinstance(one, Detail | TimelineEntry) for one in value)
    return verb in _OWN or items or isinstance(value, SearchResult | dict | Table)


def screened_text(text: str) -> tuple[str, str]:
    """Return a text without lines that give instructions to agents, for answers that are not items."""
    if not assess(text):
        return text, ""
    lines, count = text.split("\n"), 0
    for number, line in enumerate(lines):
        if line != GONE and (
            assess(line) or (number and lines[number - 1] != GONE and assess(f"{lines[number - 1]}\n{line}"))
        ):
            lines[number] = GONE
            count += 1
    whole = "\n".join(lines)
    return (whole, withheld_note(count)) if not assess(whole.replace(GONE, "")) else (GONE, withheld_note(1))


class _Screen:
    """Removes suspicious texts from plain values. Text from a person, or explicitly allowed text, is kept."""

    def __init__(self, allowed: frozenset[str]) -> None:
        self._allowed = allowed
        self.count = 0

    def of(self, value: Any) -> Any:
        """Return the value without suspicious texts."""
        if isinstance(value, str):
            if assess(value):
                self.count += 1
                return GONE
            return value
        if isinstance(value, dict):
            if value.get("origin") in TRUSTED or value.get("id") in self._allowed:
                return value
            return {name: self.of(inner) for name, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(inner) for inner in value]
        return value
