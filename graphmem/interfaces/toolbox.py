"""Memory tools for programs without MCP support: tool schemas in the formats of model providers, and a dispatcher
that runs tool calls. The tools are exactly those of the MCP server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphmem.errors import GraphmemError, UsageError
from graphmem.interfaces.mcp.answers import reply_to_agent
from graphmem.interfaces.mcp.groups import Entry, Group, adapt_for_agents, find_call, listed_tools
from graphmem.interfaces.mcp.tools import Tool, agent_tools, find
from graphmem.interfaces.noted import split_note
from graphmem.memory import Memory
from graphmem.ports.callers import for_agent

# Verbs after which the projections are updated at once, so that the next search includes the result.
_PROCESS_AFTER = frozenset({"remember", "tasks create", "tasks update", "tasks claim"})


def _openai(tool: Tool | Entry | Group) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.help, "parameters": tool.schema()},
    }


def _responses(tool: Tool | Entry | Group) -> dict[str, Any]:
    return {"type": "function", "name": tool.name, "description": tool.help, "parameters": tool.schema()}


def _anthropic(tool: Tool | Entry | Group) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.help, "input_schema": tool.schema()}


def _mcp(tool: Tool | Entry | Group) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.help, "inputSchema": tool.schema()}


FORMATS: dict[str, Callable[[Tool | Entry | Group], dict[str, Any]]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "mcp": _mcp,
}


def schemas(format: str = "openai", names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Return the schemas of the listed tools, or of those named, in the format of a provider. Raises UsageError for an
    unknown format, NotFound for an unknown tool."""
    if format not in FORMATS:
        raise UsageError(f"unknown format `{format}`: choose one of {', '.join(FORMATS)}", format=format)
    return [FORMATS[format](tool) for tool in select_tools(names)]


def select_tools(names: Iterable[str] | None) -> list[Tool | Entry | Group]:
    """Return the tools with these names, or those that the MCP server lists."""
    shown = listed_tools()
    if names is None:
        return list(shown.values())
    return [shown.get(name) or agent_tools().get(name) or find(name, {})[0] for name in names]


class Toolbox:
    """Runs tools on an open memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> str:
        """Run a tool and return its answer as text within the tool's token budget. `arguments` is a mapping or a JSON
        string. Raises NotFound for an unknown tool, UsageError for invalid arguments."""
        given = _arguments(arguments)
        tool, checked = find_call(name, given)
        with for_agent():
            result, note = split_note(tool.verb.call(self._memory, **checked))
        if tool.verb.name in _PROCESS_AFTER:
            self._memory.process()
        return reply_to_agent(self._memory, tool.verb.name, result, checked.get("budget"), adapt_for_agents(note))

    def reply(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tool message for a tool call of a chat completion (`{"id", "function": {"name", "arguments"}}`).
        Errors become a one-sentence text for the model."""
        function = call.get("function") or {}
        try:
            text = self.call(str(function.get("name", "")), function.get("arguments"))
        except (GraphmemError, OSError) as error:
            text = f"error: {adapt_for_agents(str(error))}"
        return {"role": "tool", "tool_call_id": call.get("id"), "content": text}


def _arguments(given: Mapping[str, Any] | str | None) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except ValueError as error:
            raise UsageError(f"the arguments are not valid JSON: {error}") from error
    if not isinstance(given, Mapping | None):
        raise UsageError("the arguments are not a JSON object")
    return dict(given or {})
