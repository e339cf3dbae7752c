"""Calls that asked this memory are told from all others, so that its answers are never recorded again."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.text.toolcalls import is_own_tool


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mcp__graphmem__search", {}),
        ("mcp__plugin_graphmem_graphmem__details", {"ids": ["x"]}),
        ("Bash", {"command": "graphmem search moon"}),
        ("Bash", {"command": "  cd /tmp/work && graphmem tasks list"}),
    ],
)
def test_our_own(tool: str, arguments: dict[str, Any]) -> None:
    assert is_own_tool(tool, arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mcp__other__search", {}),
        ("mcp__graphmemory__search", {}),
        ("search", {"command": ["graphmem search moon"]}),
        ("Bash", {"command": "graphmemory search moon"}),
        ("Bash", {"command": "cat graphmem notes.md"}),
        ("Bash", {}),
    ],
)
def test_of_others(tool: str, arguments: dict[str, Any]) -> None:
    assert not is_own_tool(tool, arguments)
