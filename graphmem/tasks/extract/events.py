"""Extracts tasks from log events: tool calls, text of people and agents, commits. Text that names no task refers to the
one that the session works on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphmem.model.events import Event
from graphmem.tasks.extract import commits, prose, tools
from graphmem.tasks.formats.records import TaskRecord
from graphmem.text.todolists import TodoChange, read_todo_call
from graphmem.trust.marking import reasons_of
from graphmem.trust.origin import may_bind, origin_of

TYPES = frozenset({"user_prompt", "agent_response", "tool_observation", "commit_observed"})
_MAX_TEXT_CHARS = 20_000  # maximum characters read of a text


def list_change_of(event: Event) -> TodoChange | None:
    """Return what an event changes in the to-do list of its session's agent. The lists of subagents end with them."""
    payload = event.payload
    is_own = event.type == "tool_observation" and event.session and not (payload.get("agent") or payload.get("failed"))
    if not is_own or payload.get("imported") or reasons_of(event):
        return None
    arguments = payload.get("input")
    tool, output = str(payload.get("tool", "")), str(payload.get("content", ""))[:_MAX_TEXT_CHARS]
    return read_todo_call(tool, arguments if isinstance(arguments, dict) else {}, output)


def tasks_of_events(events: Iterable[Event]) -> Iterator[TaskRecord]:
    """Yield records for `Tasks.absorb`, each with the time of its event."""
    current: dict[str, TaskRecord] = {}  # session -> current task
    for event in events:
        for record in _read(event):
            if not record.ref and not record.fields.get("title"):
                working = current.get(event.session)
                if working is None:
                    continue
                record.ref, record.fields["title"] = working.ref, working.fields.get("title", "")
            if record.status == "in_progress":
                current[event.session] = record
            record.updated = record.updated or event.at
            record.created = record.created or event.at
            yield record


def announcements_of(event: Event) -> list[str]:
    """Return the sentences of an event in which a person says that something is there that work waited for."""
    is_told = event.type == "user_prompt" and may_bind(origin_of(event)) and not event.payload.get("imported")
    return (
        [] if not is_told or reasons_of(event) else prose.announcements(str(event.payload["content"])[:_MAX_TEXT_CHARS])
    )


def _read(event: Event) -> Iterable[TaskRecord]:
    """Return the records of an event. Tool arguments are untrusted: unreadable ones give nothing."""
    try:
        return list(_said(event))
    except (TypeError, ValueError, LookupError, AttributeError):
        return ()


def _said(event: Event) -> Iterable[TaskRecord]:
    payload, binds = event.payload, may_bind(origin_of(event))
    if reasons_of(event) or payload.get("imported"):
        return ()  # third-party text creates no tasks
    if event.type == "tool_observation":
        arguments = payload.get("input")
        known = arguments if isinstance(arguments, dict) else {"command": payload.get("command")}
        failed = bool(payload.get("failed"))
        output = str(payload.get("content", ""))[:_MAX_TEXT_CHARS]
        if failed:
            return ()
        return tools.tasks_of_tool_call(str(payload.get("tool", "")), known, output, event.at)
    if event.type == "commit_observed":
        body = payload.get("body", "")[:_MAX_TEXT_CHARS]
        records = commits.tasks_of_commit(payload.get("subject", ""), body, payload["hash"], event.at)
        return records if binds else [record for record in records if record.only_known]
    if event.type in TYPES and binds:
        text = str(payload.get("content", ""))[:_MAX_TEXT_CHARS]
        by_person = event.type == "user_prompt"
        left = list(prose.tasks_left_open(text)) if by_person else prose.tasks_left_by_agent(text)
        if payload.get("agent"):
            left = []  # what a subagent leaves is for the agent that asked it
        return [*prose.tasks_of_todos(text), *left, *prose.tasks_of_checklist(text),
                *prose.blocked(text, by_person=by_person)]  # fmt: skip
    return ()
