"""Generates MCP tools from verbs: a small JSON schema from each signature, and validation of arguments."""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import TypeAdapter, ValidationError

from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.verbs.registry import VERBS
from graphmem.interfaces.verbs.verb import Verb, unflagged
from graphmem.text.moments import read_moment

_NOT_OFFERED = {"mem", "progress"}
# Parameters that agents do not get: files of the machine, forgetting more than a session, and rarely needed options,
# because every session pays for the tool list. A token budget limits an answer better than a number of rows.
_HIDDEN = {
    "index": {"root", "scip"},
    "forget": {"of_project", "purge", "reason"},
    "search": {"scope", "archived"},
    "ask": {"k"},
    "cypher": {"timeout", "limit"},
    "timeline": {"window"},
    "remember": {"ref"},
    "tree index": {"limit"},
    "tree search": {"limit"},
    "tree retrieve": {"k", "budget"},
    "tasks create": {"ref", "parent"},
    "tasks update": {"title", "description"},
    "code callers": {"limit", "as_of"},
    "code callees": {"limit", "as_of", "path", "no_tests"},
    "code impact": {"limit", "depth", "as_of", "path"},
    "code text": {"limit", "ignore_case", "kind", "as_of", "no_tests"},
    "code overview": {"limit", "as_of"},
    "tasks claim": {"lease"},
}
# Tool and parameter names of other memory servers, mapped to those of graphmem.
_LEGACY = {
    "mem-search": ("search", {"topK": "k", "sessionId": "session", "eventType": "kind"}),
    "mem-timeline": ("timeline", {"windowSize": "window"}),
    "mem-details": ("details", {}),
    "mem-stats": ("stats", {}),
}
_LEGACY_KINDS = {"insight": "fact"} | dict.fromkeys(
    ("prompt", "response", "tool", "user_prompt", "agent_response", "tool_observation"), "turn"
)
_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", Path: "string", datetime: "string"}


@dataclass(frozen=True, slots=True)
class Tool:
    """A verb as an agent tool."""

    name: str
    verb: Verb
    parameters: Mapping[str, inspect.Parameter]
    hints: Mapping[str, Any]

    @property
    def help(self) -> str:
        """Return the description of its verb."""
        return self.verb.help

    @property
    def is_reading(self) -> bool:
        """Return whether it does not change the store."""
        return not self.verb.writes

    @property
    def is_destructive(self) -> bool:
        """Return whether it can delete what is stored."""
        return self.verb.name == "forget"

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments, as small as possible."""
        properties = {name: property_of(self.hints[name]) for name in self.parameters}
        required = [name for name, parameter in self.parameters.items() if parameter.default is inspect.Parameter.empty]
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Validate and convert arguments. Raises UsageError that names the first invalid one."""
        known = ", ".join(self.parameters) or "none"
        for name in given:
            if name not in self.parameters:
                raise UsageError(f"`{self.name}` has no parameter `{name}`; its parameters: {known}", parameter=name)
        for name, parameter in self.parameters.items():
            if parameter.default is inspect.Parameter.empty and given.get(name) is None:
                raise UsageError(f"`{self.name}` needs `{name}`", parameter=name)
        return {name: self._value(name, value) for name, value in given.items() if value is not None}

    def _value(self, name: str, value: Any) -> Any:
        hint = self.hints[name]
        value = _uncited(value) if name in ("id", "ids") else value
        if isinstance(value, str) and typing.get_origin(_kind(hint)[0]) is list:
            value = [value]
        if isinstance(value, list) and typing.get_args(_kind(hint)[0]) == (str,):  # objects, as their JSON text
            value = [json.dumps(one) if isinstance(one, dict) else one for one in value]
        if isinstance(value, str) and _kind(hint)[0] is datetime:
            return read_moment(value, datetime.now(UTC))
        try:
            return TypeAdapter(hint).validate_python(value)
        except ValidationError as error:
            raise UsageError(f"`{name}`: {error.errors()[0]['msg'].lower()}", parameter=name) from error


def _kind(hint: Any) -> tuple[Any, str]:
    """Return (type without None, description) of an annotation."""
    kind, *notes = typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(one for one in typing.get_args(kind) if one is not type(None))
    return kind, str(notes[0]) if notes else ""


def property_of(hint: Any) -> dict[str, Any]:
    """Return the JSON schema of a parameter."""
    kind, text = _kind(hint)
    if typing.get_origin(kind) is list:
        schema: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    elif typing.get_origin(kind) is Literal:
        schema = {"enum": list(typing.get_args(kind))}
    else:
        schema = {"type": _SIMPLE.get(kind, "string")}
    return schema | ({"description": unflagged(text)} if text else {})


def _uncited(value: Any) -> Any:
    """Strip the brackets of citations, which agents copy together with the id."""
    if isinstance(value, list):
        return [_uncited(one) for one in value]
    return value.strip().strip("[]").removeprefix("mem:") if isinstance(value, str) else value


@cache
def agent_tools() -> dict[str, Tool]:
    """Return the tools of all verbs that agents may call, by name, in the order of the verbs."""
    return {tool.name: tool for tool in map(tool_of, VERBS) if tool.verb.agent}


@cache
def tool_of(verb: Verb) -> Tool:
    """Return a verb as a tool."""
    hidden = _NOT_OFFERED | _HIDDEN.get(verb.name, set())
    signature = inspect.signature(verb.call).parameters
    shown = {name: parameter for name, parameter in signature.items() if name not in hidden}
    return Tool(
        verb.tool or verb.name.replace(" ", "_"), verb, shown, typing.get_type_hints(verb.call, include_extras=True)
    )


def find(name: str, given: Mapping[str, Any]) -> tuple[Tool, dict[str, Any]]:
    """Return a tool by name, and its validated arguments. Raises NotFound for an unknown tool."""
    if name in _LEGACY:
        name, renamed = _LEGACY[name]
        given = {renamed.get(key, key): value for key, value in given.items()}
        if isinstance(given.get("kind"), str):
            given["kind"] = [_LEGACY_KINDS.get(given["kind"], given["kind"])]
    tool = agent_tools().get(name)
    if tool is None:
        raise NotFound(f"unknown tool `{name}`: list the tools", name=name)
    return tool, tool.arguments(given)
