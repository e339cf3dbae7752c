"""The pages of the viewer that do what a command does. Messages name commands, because terminals show them too."""

from __future__ import annotations

import re
from collections.abc import Callable

_COMMAND = re.compile(r"`graphmem ([a-z][\w-]*(?: [a-z][\w-]*)?)[^`]*`")
# Commands with the page that does the same: path and title. Of two words, the longer command wins.
_PAGES = {
    "search": ("/search", "Search"), "history": ("/live", "Live"), "sessions": ("/sessions", "Sessions"),
    "code files": ("/code", "Code"), "code": ("/code", "Code"), "tasks": ("/tasks", "Tasks"), "schema": ("/console", "Console"),
    "cypher": ("/console", "Console"), "config": ("/settings", "Settings"), "review": ("/review", "Review"),
    "doctor": ("/debug", "Debug"), "status": ("/debug", "Debug"), "process": ("/debug", "Debug"), "rebuild": ("/debug", "Debug"),
    "init": ("/", "Overview"), "index": ("/", "Overview"), "neighbours": ("/graph", "Graph"),
    "categories": ("/categories", "Categories"),
}  # fmt: skip


def name_pages(message: str, translate: Callable[[str], str]) -> str:
    """Return a message with the names of pages in place of the commands that do the same.

    >>> name_pages("no task: `graphmem tasks match` finds similar ones", str.upper)
    'no task: “TASKS” finds similar ones'
    """

    def named(found: re.Match[str]) -> str:
        page = _page_of(found[1])
        return f"“{translate(page[1])}”" if page else found[0]

    return _COMMAND.sub(named, message)


def pages_named(message: str) -> list[tuple[str, str]]:
    """Return path and title of the pages that do what the commands of a message do."""
    pages = (_page_of(found[1]) for found in _COMMAND.finditer(message))
    return list(dict.fromkeys(page for page in pages if page))


def _page_of(command: str) -> tuple[str, str] | None:
    return _PAGES.get(command) or _PAGES.get(command.partition(" ")[0])
