"""Fenced blocks of code in Markdown. A fence is closed by one of the same character that is at least as long, so a block of four
backticks may contain three."""

from __future__ import annotations

from graphmem.patterns import compile_later

_OPENS = compile_later(r"\s*(`{3,}(?=[^`]*$)|~{3,})")


def fence_after(line: str, fence: str) -> str:
    """Return the fence that is open behind a line, "" if none is. `fence` is the one that was open before.

    >>> fence_after("````markdown", ""), fence_after("```", "````"), fence_after("````", "````")
    ('````', '````', '')
    """
    if not fence:
        found = _OPENS.match(line)
        return found[1] if found else ""
    said = line.strip()
    return "" if said.startswith(fence) and not said.strip(fence[0]) else fence
