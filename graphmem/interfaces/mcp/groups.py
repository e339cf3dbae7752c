"""The tools that a client lists: few and small, because each session pays for them. A group offers several verbs as actions of
one tool. Every verb's own tool can be called by its name, too, listed or not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from graphmem.errors import UsageError
from graphmem.interfaces.mcp.tools import Tool, agent_tools, find, property_of, tool_of
from graphmem.interfaces.verbs.registry import VERBS
from graphmem.interfaces.verbs.verb import unflagged
from graphmem.model.kinds import REMEMBERABLE_TEXT
from graphmem.plurals import counted

_COMMAND = re.compile(r"`graphmem ([a-z]+(?: [a-z]+)?)`")


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool as it is listed: with the parameters that are needed most; a call may have the others, too."""

    tool: Tool
    help: str
    shown: tuple[str, ...]
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the tool."""
        return self.tool.name

    @property
    def is_reading(self) -> bool:
        """Return whether the tool does not change the store."""
        return self.tool.is_reading

    @property
    def is_destructive(self) -> bool:
        """Return whether it can delete what is stored."""
        return self.tool.is_destructive

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the shown arguments."""
        whole = self.tool.schema()
        kinds = {name: _with_text(whole["properties"][name], self.about.get(name, "")) for name in self.shown}
        return {**whole, "properties": kinds}


@dataclass(frozen=True, slots=True)
class Action:
    """A verb as an action of a group: the names of its parameters that differ from the group's, and fixed values. A tuple
    takes the elements of a list in order."""

    verb: str
    named: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Group:
    """Several verbs as one tool. `about` describes the parameters that do not explain themselves."""

    name: str
    help: str
    actions: Mapping[str, Action]
    shown: tuple[str, ...]
    about: Mapping[str, str] = field(default_factory=dict)
    is_destructive: bool = False

    @property
    def is_reading(self) -> bool:
        """Return whether no action changes the store."""
        return not any(_tool(action).verb.writes for action in self.actions.values())

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        properties: dict[str, Any] = {"action": {"enum": list(self.actions)}}
        for name in self.shown:
            kind = next(kind for action in self.actions.values() if (kind := _kind_of(action, name)) is not None)
            properties[name] = _with_text(kind, self.about.get(name, ""))
        return {"type": "object", "properties": properties, "required": ["action"]}

    def resolve(self, given: Mapping[str, Any]) -> tuple[Tool, dict[str, Any]]:
        """Return the tool of the requested action, and its validated arguments. Raises UsageError."""
        rest = dict(given)
        name = rest.pop("action", None)
        action = self.actions.get(name) if isinstance(name, str) else None
        if action is None:
            raise UsageError(f"`{self.name}` needs `action`: one of {', '.join(self.actions)}", parameter="action")
        for own, theirs in action.named.items():
            value = rest.pop(own, None)
            if isinstance(theirs, tuple):
                values = value if isinstance(value, list) else [value]
                if len(values) != len(theirs) or None in values:
                    raise UsageError(f"`{name}` needs {counted(len(theirs), 'value')} in `{own}`", parameter=own)
                rest |= dict(zip(theirs, values, strict=True))
            elif value is not None:
                is_one = isinstance(value, list) and not _takes_list(action, theirs)
                if is_one and len(value) != 1:
                    raise UsageError(f"`{name}` takes one at a time in `{own}`", parameter=own)
                rest[theirs] = value[0] if is_one else value
        tool = _tool(action)
        return tool, tool.arguments(rest) | dict(action.fixed)


def _with_text(kind: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the schema of a parameter with this description, none if empty."""
    bare = {key: value for key, value in kind.items() if key != "description"}
    return bare | ({"description": text} if text else {})


def _tool(action: Action) -> Tool:
    return agent_tools().get(action.verb.replace(" ", "_")) or tool_of(next(v for v in VERBS if v.name == action.verb))


def _kind_of(action: Action, name: str) -> dict[str, Any] | None:
    """Return the schema of a parameter of the group as this action has it."""
    theirs = action.named.get(name, name)
    tool = _tool(action)
    return property_of(tool.hints[theirs]) if isinstance(theirs, str) and theirs in tool.hints else None


def _takes_list(action: Action, name: str) -> bool:
    return property_of(_tool(action).hints[name]).get("type") == "array"


_TARGET = {"symbol": "target"}
GROUPS: dict[str, Group] = {
    group.name: group
    for group in (
        Group(
            "code",
            "Questions about code. Start with explain; path: from A to B; tests: which to run; changes: impact of the diff.",
            {
                "explain": Action("explain"),
                "source": Action("code source", _TARGET),
                "callers": Action("code callers"),
                "callees": Action("code callees"),
                "path": Action("code path", {"symbol": ("a", "b")}),
                "impact": Action("code impact"),
                "tests": Action("code impact", fixed={"tests": True}),
                "implementations": Action("code implementations"),
                "history": Action("code history", _TARGET),
                "outline": Action("code outline", {"symbol": "file"}),
                "overview": Action("code overview"),
                "routes": Action("code routes"),
                "dead": Action("code dead", _TARGET),
                "api_diff": Action("code api-diff", {"symbol": ("before", "after")}),
                "definition": Action("code definition", {"symbol": "file"}),
                "changes": Action("code changes"),
            },
            ("symbol", "path", "no_tests", "patch"),
            {
                "symbol": "names, FILE:LINE, files or /routes",
                "path": "folder or glob",
                "patch": "hunks of the history",
            },
        ),
        Group(
            "tasks",
            "Tasks. Start with prime: what is open.",
            {name: Action(f"tasks {name}") for name in
             ("prime", "list", "ready", "blocked", "show", "create", "update", "claim", "confirm")}
            | {"resolve": Action("tasks resolve", {"id": "condition", "blocker": "target"})},
            ("id", "title", "description", "status", "priority", "blocked_by", "file", "outcome", "commit", "by", "blocker"),
            {
                "id": "id or title",
                "status": "pending, in_progress, blocked, done or cancelled",
                "priority": "low, medium, high or critical",
                "blocked_by": "tasks, links or free text",
                "by": "who claims",
            },
        ),
        Group(
            "memory",
            "Memories. show: a node with relations; schema: for cypher; index: read changed code now; forget needs"
            " confirm.",
            {name: Action(name) for name in
             ("supersede", "feedback", "show", "stats", "schema", "index", "forget", "conclude")},
            ("id", "old", "new", "undo", "verdict", "session", "before", "confirm", "memories"),
            {"id": "id, ref or citation"},
            is_destructive=True,
        ),
        Group(
            "memory_tree",
            "Summaries of past sessions: index of all, read one, search by tag, retrieve by meaning.",
            {name: Action(f"tree {name}") for name in ("index", "read", "search", "retrieve")},
            ("id", "first", "tag", "summary_query", "trigger_query"),
        ),
    )
}  # fmt: skip


@cache
def listed_tools() -> dict[str, Entry | Group]:
    """Return the tools that are listed, by name."""
    known = agent_tools()
    entries = (
        Entry(
            known["search"],
            "Search all memories: conversations, decisions, commits, tasks. Not for exact strings (code_text) or callers"
            " (code).",
            ("query", "k", "kind", "as_of"),
            {"kind": "turn, fact, document, symbol, commit, task, ..."},
        ),
        Entry(
            known["ask"],
            "Answer questions with evidence, several in one call. If unsure which tool: this one.",
            ("question",),
        ),
        GROUPS["code"],
        Entry(
            known["code_text"],
            "Find text in all files, configuration too, or with `patches` in all commits.",
            ("pattern", "regex", "path", "patches"),
            {"path": "folder or glob"},
        ),
        Entry(known["timeline"], "Show what happened around items.", ("ids",)),
        Entry(known["details"], "Show items in full.", ("ids",)),
        Entry(known["remember"], "Save a memory.", ("content", "kind", "title", "file"), {"kind": REMEMBERABLE_TEXT}),
        GROUPS["tasks"],
        Entry(
            known["cypher"],
            "Query the graph with read-only Cypher, for what no other tool answers.",
            ("query", "arguments", "named"),
            {"arguments": "name=value", "named": "a query of the schema"},
        ),
        GROUPS["memory"],
        GROUPS["memory_tree"],
    )
    return {entry.name: entry for entry in entries}


def call_of(verb: str) -> str | None:
    """Return how an agent calls a verb, None if it cannot."""
    for group in GROUPS.values():
        for name, action in group.actions.items():
            if action.verb == verb and not action.fixed:
                return f"`{group.name}` (action {name})"
    return next((f"`{tool.name}`" for tool in agent_tools().values() if tool.verb.name == verb), None)


def find_call(name: str, given: Mapping[str, Any]) -> tuple[Tool, dict[str, Any]]:
    """Return the tool for a call, and its validated arguments; for a group the tool of the requested action. Raises NotFound
    for an unknown tool, UsageError for invalid arguments."""
    return GROUPS[name].resolve(given) if name in GROUPS else find(name, given)


def adapt_for_agents(text: str) -> str:
    """Adapt a text of the command line for agents: parameters instead of flags, tools instead of commands."""
    return _COMMAND.sub(lambda found: call_of(found[1]) or found[0], unflagged(text))
