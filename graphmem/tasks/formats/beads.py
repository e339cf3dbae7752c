"""Format of beads (issues.jsonl): one issue per line with its dependencies. Pure text conversion."""

from __future__ import annotations

import json
from typing import Any

from graphmem.errors import UsageError
from graphmem.model.tasks import PRIORITIES, Task
from graphmem.tasks.book import TaskBook
from graphmem.tasks.formats.records import Parsed, TaskRecord, format_time, name_of, names, parse_time_us, text
from graphmem.tasks.transitions import priority_of, status_of

_RELATIONS = {
    "blocks": "blocked_by", "blocked-by": "blocked_by", "conditional-blocks": "blocked_by", "parent-child": "parent",
    "discovered-from": "discovered_from", "waits-for": "waits_for", "duplicates": "duplicates",
    "supersedes": "supersedes", "related": "related", "relates-to": "related", "tracks": "related",
}  # fmt: skip
_BACK = {"parent": "parent-child", "depends_on": "blocks", "waits_for": "waits-for", "discovered_from": "discovered-from",
         "duplicates": "duplicates", "supersedes": "supersedes", "related": "related"}  # fmt: skip
_PARTS = (("design", "Design"), ("acceptance_criteria", "Acceptance criteria"), ("notes", "Notes"))
_STATUS = {"pending": "open", "done": "closed", "cancelled": "closed"}
_NUMBER = {name: number for number, name in enumerate(reversed(PRIORITIES))}
_GONE = "tombstone"


def parse(content: str) -> Parsed:
    """Parse issues of a JSONL text. Deleted ones are skipped; invalid lines are reported."""
    parsed = Parsed()
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            issue = json.loads(line)
            if not isinstance(issue, dict) or not text(issue.get("id")) or not text(issue.get("title")).strip():
                raise ValueError("it has no id or title")
            if issue.get("status") != _GONE:
                parsed.records.append(_record(issue))
        except (ValueError, RecursionError) as error:
            parsed.problems.append(f"line {number} is no issue: {error}")
    return parsed


def _record(issue: dict[str, Any]) -> TaskRecord:
    parts = [text(issue.get("description")).strip()]
    parts += [f"## {title}\n{text(issue.get(key)).strip()}" for key, title in _PARTS if text(issue.get(key)).strip()]
    fields: dict[str, Any] = {
        "title": issue["title"].strip(), "description": "\n\n".join(part for part in parts if part),
        "kind": text(issue.get("issue_type")) or "task", "labels": names(issue.get("labels")),
        "assignee": text(issue.get("assignee")),
    }  # fmt: skip
    if "priority" in issue:
        fields["priority"] = _word(priority_of, issue["priority"], "medium")
    status = _word(status_of, issue.get("status", "open"), "pending")
    if status == "done" and text(issue.get("close_reason")):
        fields["outcome"] = issue["close_reason"].strip()
    if reference := text(issue.get("external_ref")):
        fields["aliases"] = [reference]
    relations: dict[str, list[str]] = {}
    for each in issue.get("dependencies") or []:
        target = text(each.get("depends_on_id")) if isinstance(each, dict) else ""
        relation = _RELATIONS.get(text(each.get("type")) or "blocks") if target else None
        if relation:
            relations.setdefault(relation, []).append(target)
    created, updated, closed = (parse_time_us(issue.get(name)) for name in ("created_at", "updated_at", "closed_at"))
    return TaskRecord(
        issue["id"], fields, status, relations, created=created, updated=updated, closed=closed, source="beads"
    )


def _word(function: Any, value: Any, default: str) -> str:
    try:
        return str(function(str(value)))
    except UsageError:
        return default


def render(book: TaskBook) -> str:
    """Render all tasks as issues, sorted by id."""
    lines = [json.dumps(_issue(book, task), ensure_ascii=False) for task in book.tasks.values()]
    return "".join(f"{line}\n" for line in sorted(lines))


def _issue(book: TaskBook, task: Task) -> dict[str, Any]:
    found = {"parent": [task.parent] if task.parent else []}
    found |= {relation: list(getattr(task, relation)) for relation in _BACK if relation != "parent"}
    found["depends_on"] = list(
        dict.fromkeys([*found["depends_on"], *(r.id for r in task.blocked_by if r.kind == "task")])
    )
    dependencies = [
        {"issue_id": task.name, "depends_on_id": name_of(book.tasks, target), "type": _BACK[relation]}
        for relation, targets in found.items() for target in targets if target in book.tasks
    ]  # fmt: skip
    issue = {
        "id": task.name, "title": task.title, "description": task.description,
        "status": _STATUS.get(task.status, task.status), "priority": _NUMBER[task.priority], "issue_type": task.kind,
        "assignee": task.assignee, "labels": list(task.labels), "created_at": format_time(task.created_at),
        "updated_at": format_time(task.updated_at), "closed_at": format_time(task.closed_at), "close_reason": task.outcome,
        "dependencies": dependencies,
    }  # fmt: skip
    return {name: value for name, value in issue.items() if value not in (None, "", [])}
