"""The tools of the memory for programs that speak no MCP: their schemas in the forms that model providers take, and one
dispatcher that runs what a model asks for. The tools are those of the MCP server, word for word."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphmem.errors import GraphmemError, UsageError
from graphmem.interfaces.mcp.answers import reply
from graphmem.interfaces.mcp.tools import Tool, find, tools, worded
from graphmem.interfaces.verb import plain
from graphmem.memory import Memory

_SETTLED = frozenset({"remember", "tasks create", "tasks update", "tasks claim"})  # found by the next search


def _openai(tool: Tool) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.verb.help, "parameters": tool.schema()},
    }


def _responses(tool: Tool) -> dict[str, Any]:
    return {"type": "function", "name": tool.name, "description": tool.verb.help, "parameters": tool.schema()}


def _anthropic(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.verb.help, "input_schema": tool.schema()}


def _mcp(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.verb.help, "inputSchema": tool.schema()}


FORMATS: dict[str, Callable[[Tool], dict[str, Any]]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "mcp": _mcp,
}


def schemas(format: str = "openai", names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Descriptions of all tools, or of those named, as a provider takes them. Raises UsageError for an unknown format,
    NotFound for an unknown tool."""
    if format not in FORMATS:
        raise UsageError(f"there is no format `{format}`: choose one of {', '.join(FORMATS)}", format=format)
    return [FORMATS[format](tool) for tool in chosen(names)]


def chosen(names: Iterable[str] | None) -> list[Tool]:
    """The tools of these names, or all."""
    known = tools()
    if names is None:
        return list(known.values())
    return [known[name] if name in known else find(name, {})[0] for name in names]


class Toolbox:
    """Runs tools on one open memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> str:
        """The answer of a tool as text for a model, within its budget; arguments as an object or as JSON. Raises
        GraphmemError: NotFound for an unknown tool, UsageError for wrong arguments."""
        given = _arguments(arguments)
        tool, checked = find(name, given)
        result, note = plain(tool.verb.call(self._memory, **checked))
        if tool.verb.name in _SETTLED:
            self._memory.process()
        return reply(self._memory, tool.verb.name, result, checked.get("budget"), worded(note))

    def reply(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """The message that answers a tool call of a chat completion (`{"id", "function": {"name", "arguments"}}`); errors
        are told to the model in a sentence."""
        function = call.get("function") or {}
        try:
            text = self.call(str(function.get("name", "")), function.get("arguments"))
        except (GraphmemError, OSError) as error:
            text = f"error: {worded(str(error))}"
        return {"role": "tool", "tool_call_id": call.get("id"), "content": text}


def _arguments(given: Mapping[str, Any] | str | None) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except ValueError as error:
            raise UsageError(f"the arguments are no JSON: {error}") from error
    if not isinstance(given, Mapping | None):
        raise UsageError("the arguments are no object")
    return dict(given or {})
