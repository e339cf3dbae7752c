"""Reads the to-do lists that coding agents keep for themselves, from the calls of their list tools: whole lists (TodoWrite of
Claude Code, `update_plan` of Codex, `write_todos` of Gemini, `todo_write` of Cursor, `manage_todo_list` of Copilot) and changes
of single entries (TaskCreate, TaskUpdate). Arguments are untrusted: what cannot be read is left out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphmem.patterns import compile_later

LIST_TOOLS = frozenset(
    {"TodoWrite", "todo_write", "write_todos", "todowrite", "update_plan", "manage_todo_list", "TaskCreate", "TaskUpdate",
     "TaskList"}
)  # fmt: skip
_READ_ONLY = frozenset({"TodoRead", "todoread", "TaskGet"})
_TITLES = ("content", "step", "title", "subject", "description", "text")  # first one that an entry has
_STATUSES = {
    "pending": "pending", "not_started": "pending", "open": "pending", "todo": "pending", "blocked": "pending",
    "in_progress": "in_progress", "active": "in_progress", "doing": "in_progress", "started": "in_progress",
    "completed": "done", "complete": "done", "done": "done", "resolved": "done",
    "cancelled": "cancelled", "canceled": "cancelled", "deleted": "cancelled", "skipped": "cancelled",
}  # fmt: skip
_MAX_ENTRIES, _MAX_TITLE_CHARS, _MAX_LINE = 100, 300, 600
_NUMBER = compile_later(r"#(\d{1,6})\b|\"id\":\s*\"?(\d{1,6})\b")
_LISTED = compile_later(r"^#(\d{1,6})\.? \[(\w+)\] (\S.*)$", re.MULTILINE)
_AFTER_TITLE = compile_later(r"(?: \([\w@.-]+\))?(?: \[blocked by [^\]]*\])?\s*$")


@dataclass(frozen=True, slots=True)
class TodoEntry:
    """An entry of a list. `id` is the tool's own name for it, "" if it has none. An empty title or status means unchanged."""

    title: str
    status: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class TodoChange:
    """What a call says of a list. A whole list replaces the previous one; otherwise only these entries change."""

    entries: tuple[TodoEntry, ...]
    is_whole: bool = True


def is_list_tool(tool: str) -> bool:
    """Return whether a tool only reads or writes the agent's own to-do list.

    >>> is_list_tool("TodoWrite"), is_list_tool("Bash")
    (True, False)
    """
    return tool in LIST_TOOLS or tool in _READ_ONLY


def is_own_list(event_type: str, payload: Mapping[str, Any]) -> bool:
    """Return whether an event is a call of such a tool: it becomes no turn, so nothing may refer to one."""
    return event_type == "tool_observation" and is_list_tool(str(payload.get("tool", "")))


def read_todo_call(tool: str, arguments: Mapping[str, Any], output: str = "") -> TodoChange | None:
    """Return what a tool call changes in the agent's to-do list; None for other calls.

    >>> read_todo_call("update_plan", {"plan": [{"step": "Run it", "status": "completed"}]})
    TodoChange(entries=(TodoEntry(title='Run it', status='done', id=''),), is_whole=True)
    """
    if tool not in LIST_TOOLS:
        return None
    if tool == "TaskCreate":
        number = _number(output)
        entry = TodoEntry(_text(arguments.get("subject") or arguments.get("title")), "pending", number)
        return TodoChange((entry,), is_whole=False) if entry.title and number else None
    if tool == "TaskUpdate":
        number = str(arguments.get("taskId") or "").lstrip("#")[:40]
        entry = TodoEntry(_text(arguments.get("subject")), _status(arguments.get("status")), number)
        return TodoChange((entry,), is_whole=False) if number and (entry.title or entry.status) else None
    if tool == "TaskList":
        listed = [
            TodoEntry(_text(_AFTER_TITLE.sub("", title[:_MAX_LINE])), _status(status) or "pending", number)
            for number, status, title in _LISTED.findall(output)
        ]
        return TodoChange(tuple(listed[:_MAX_ENTRIES]), is_whole=False) if listed else None
    return _whole_list(arguments)


def _whole_list(arguments: Mapping[str, Any]) -> TodoChange | None:
    found = next(
        (arguments[name] for name in ("todos", "plan", "todoList", "items") if arguments.get(name) is not None), None
    )
    if isinstance(found, str):  # some models write the list as JSON text
        try:
            found = json.loads(found)
        except (ValueError, RecursionError):
            return None
    if not isinstance(found, list):
        return None
    is_partial = arguments.get("merge") is True
    entries = [entry for each in found[:_MAX_ENTRIES] if (entry := _entry(each, is_partial=is_partial)) is not None]
    if found and not entries:
        return None  # another tool's list
    return TodoChange(tuple(entries), is_whole=not is_partial)


def _entry(value: Any, *, is_partial: bool) -> TodoEntry | None:
    if not isinstance(value, dict):
        return None
    title = next((text for name in _TITLES if (text := _text(value.get(name)))), "")
    status = _status(value.get("status"))
    number = value.get("id")
    name = str(number)[:40] if isinstance(number, str | int) and not isinstance(number, bool) else ""
    if not (title or (is_partial and name and status)):
        return None
    return TodoEntry(title, status if is_partial else status or "pending", name)


def _number(output: str) -> str:
    found = _NUMBER.search(output[:2_000])
    return (found[1] or found[2]) if found else ""


def _status(value: Any) -> str:
    word = value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else ""
    return _STATUSES.get(word, "")


def _text(value: Any) -> str:
    return " ".join(value.split())[:_MAX_TITLE_CHARS] if isinstance(value, str) else ""
