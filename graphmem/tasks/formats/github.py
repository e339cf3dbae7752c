"""GitHub issues as JSON, from `gh issue list --json ...` or the REST API. Pure text conversion."""

from __future__ import annotations

import json
import re
from typing import Any

from graphmem.errors import SourceError, UsageError
from graphmem.model.tasks import Task
from graphmem.patterns import compile_later
from graphmem.tasks.book import TaskBook
from graphmem.tasks.formats.records import Parsed, TaskRecord, format_time, name_of, names, parse_time_us, text
from graphmem.tasks.transitions import priority_of

_ADDRESS = compile_later(r"github\.com/([\w.-]+)/([\w.-]+)/(?:issues|pull)/\d+", re.IGNORECASE)
_PRIORITY = compile_later(r"\A(?:priority[:/\s-]*)?(p[0-4]|critical|urgent|high|medium|low)\Z", re.IGNORECASE)
_KINDS = {"bug": "bug", "enhancement": "feature", "feature": "feature", "epic": "epic", "documentation": "docs"}
_NAME = r"((?<![\w./-])(?:[\w.-]{1,40}/[\w.-]{1,60})?#\d{1,9})"
_LIST = rf"{_NAME}(?:\s*(?:,|and|및|와|과)\s*{_NAME})*"
_NAMES = compile_later(_NAME)
_RELATIONS = (
    (
        "blocked_by",
        compile_later(rf"\b(?:blocked by|depends on|requires|waiting (?:for|on))[:\s]+{_LIST}", re.IGNORECASE),
    ),
    ("parent", compile_later(rf"\b(?:part of|parent|sub-?task of|epic)[:\s]+{_NAME}", re.IGNORECASE)),
    ("duplicates", compile_later(rf"\bduplicates?(?: of)?[:\s]+{_NAME}", re.IGNORECASE)),
)
_TRAILER = "<!-- relations -->"  # text below this line was added by our own export
_CHECKBOX = compile_later(rf"^\s*[-*] \[[ xX]\] {_NAME}\b", re.MULTILINE)


def parse(content: str) -> Parsed:
    """Parse issues of a JSON text: a list, or one object per line. Pull requests are skipped."""
    parsed = Parsed()
    try:
        issues = json.loads(content)
    except ValueError:
        try:
            issues = [json.loads(line) for line in content.splitlines() if line.strip()]
        except ValueError as error:
            raise SourceError(f"not a JSON list of issues: {error}") from error
    parts: list[tuple[str, str]] = []
    for number, issue in enumerate(issues if isinstance(issues, list) else [issues], start=1):
        if not isinstance(issue, dict) or not _name(issue) or not text(issue.get("title")).strip():
            parsed.problems.append(f"item {number} is not an issue: it has no number or title")
        elif "pull_request" not in issue:
            record = _record(issue)
            parsed.records.append(record)
            owner = record.ref.partition("#")[0]
            parts += [(_full(name, owner), record.ref) for name in _CHECKBOX.findall(text(issue.get("body")))]
    by_ref = {record.ref: record for record in parsed.records}
    for part, whole in parts:
        if part in by_ref:
            by_ref[part].relations.setdefault("parent", [whole])
    return parsed


def _name(issue: dict[str, Any]) -> str:
    """Return its number, or the id that our own export gives to issues without one."""
    return str(issue["number"]) if isinstance(issue.get("number"), int) else text(issue.get("id"))


def _full(name: str, owner: str) -> str:
    return name if "/" in name else f"{owner}{name}"


def _record(issue: dict[str, Any]) -> TaskRecord:
    address = _ADDRESS.search(text(issue.get("url")) if "github.com/" in text(issue.get("url")) else "")
    address = _ADDRESS.search(text(issue.get("html_url"))) or address
    owner = f"{address.group(1)}/{address.group(2)}" if address else ""
    body, labels = text(issue.get("body")), names(issue.get("labels"))
    fields: dict[str, Any] = {
        "title": issue["title"].strip(),
        "description": body.partition(_TRAILER)[0].strip(),
        "labels": labels,
    }
    fields["assignee"] = next(iter(names(issue.get("assignees"))), "")
    for label in labels:
        if match := _PRIORITY.match(label):
            fields["priority"] = _priority(match.group(1))
        if kind := _KINDS.get(label.lower()):
            fields["kind"] = kind
    relations: dict[str, list[str]] = {}
    for relation, pattern in _RELATIONS:
        for match in pattern.finditer(body):
            relations.setdefault(relation, []).extend(_full(name, owner) for name in _NAMES.findall(match.group()))
    reason = text(issue.get("stateReason") or issue.get("state_reason")).lower()
    closed = text(issue.get("state")).lower() == "closed"
    status = ("cancelled" if reason == "not_planned" else "done") if closed else "pending"
    return TaskRecord(
        f"{owner}#{issue['number']}" if "number" in issue else _name(issue), fields, status, relations,
        created=parse_time_us(issue.get("createdAt") or issue.get("created_at")),
        updated=parse_time_us(issue.get("updatedAt") or issue.get("updated_at")),
        closed=parse_time_us(issue.get("closedAt") or issue.get("closed_at")), source="github",
    )  # fmt: skip


def _priority(word: str) -> str:
    try:
        return priority_of(word)
    except UsageError:
        return "medium"


def render(book: TaskBook) -> str:
    """Render all tasks as a JSON list like `gh issue list --json`; relations are in the body."""
    issues = [_issue(book, task) for task in sorted(book.tasks.values(), key=lambda task: task.name)]
    return json.dumps(issues, ensure_ascii=False, indent=1) + "\n"


def _issue(book: TaskBook, task: Task) -> dict[str, Any]:
    waits = dict.fromkeys([*task.depends_on, *(ref.id for ref in task.blocked_by)])
    said = [("Blocked by", waits), ("Part of", [task.parent] if task.parent else []), ("Duplicate of", task.duplicates)]
    trailer = ""
    for words, targets in said:
        line = ", ".join(
            name_of(book.tasks, target) if target in book.tasks else book.title_of(target) for target in targets
        )
        if line:
            trailer += f"\n{words} {line}"
    body = f"{task.description}\n\n{_TRAILER}{trailer}".strip() if trailer else task.description
    owner, _, number = task.ref.rpartition("#")
    issue: dict[str, Any] = {"number": int(number)} if number.isdigit() else {"id": task.name}
    if owner and number.isdigit():
        issue["url"] = f"https://github.com/{owner}/issues/{number}"
    reason = {"cancelled": "NOT_PLANNED", "done": "COMPLETED"}.get(task.status, "")
    return issue | {
        "title": task.title, "body": body, "state": "OPEN" if task.open else "CLOSED", "stateReason": reason,
        "labels": [{"name": label} for label in task.labels],
        "assignees": [{"login": task.assignee}] if task.assignee else [], "createdAt": format_time(task.created_at),
        "updatedAt": format_time(task.updated_at), "closedAt": format_time(task.closed_at),
    }  # fmt: skip
