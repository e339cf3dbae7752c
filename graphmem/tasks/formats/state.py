"""The text file in git with all tasks: one JSON object per line, sorted, with the time of each field. Branches that
changed different tasks merge line by line; of a conflict that git leaves in the file, both sides are read and the newer
value of each field wins. Pure text conversion."""

from __future__ import annotations

import json
from typing import Any

from graphmem.model.tasks import RELATIONS, Condition, Task, to_datetime
from graphmem.tasks.book import TaskBook
from graphmem.tasks.formats.records import FIELDS, Parsed, TaskRecord, format_time, names, parse_time_us, text

_LISTS = frozenset({"labels", "files", "aliases"})
_MARKERS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


def parse(content: str) -> Parsed:
    """Parse records of a text; markers of a merge conflict are skipped, so that both sides are read."""
    parsed = Parsed()
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip() or line.startswith(_MARKERS):
            continue
        try:
            row = json.loads(line)
            if isinstance(row, dict) and isinstance(row.get("condition"), str):
                parsed.conditions.append(_condition(row))
                continue
            if not isinstance(row, dict) or not isinstance(row.get("id"), str) or not isinstance(row.get("title"), str):
                raise ValueError("it has no id or title")
            parsed.records.append(_record(row))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            parsed.problems.append(f"line {number} is no task: {error}")
    return parsed


def _record(row: dict[str, Any]) -> TaskRecord:
    created = parse_time_us(row.get("created"))
    times = row.get("set") if isinstance(row.get("set"), dict) else {}
    fields = {name: row[name] for name in FIELDS if isinstance(row.get(name), list if name in _LISTS else str)}
    fields |= {name: names(fields[name]) for name in _LISTS & fields.keys()}
    return TaskRecord(
        text(row.get("ref")), fields, text(row.get("status")) or "pending", {name: names(row.get(name)) for name in RELATIONS},
        _refs(row.get("blocked_by")), _refs(row.get("suggested")), created, created, parse_time_us(row.get("closed")),
        {str(name): at for name, when in (times or {}).items() if (at := parse_time_us(when)) is not None},
        names(row.get("commits")), row["id"], text(row.get("source")),
    )  # fmt: skip


def _refs(value: Any) -> list[dict[str, Any]]:
    found = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    return [each for each in found if each.get("kind") in ("task", "condition", "artifact") and text(each.get("id"))]


def _condition(row: dict[str, Any]) -> Condition:
    return Condition(row["condition"], str(row.get("text", "")), bool(row.get("placeholder")), resolved=True,
                     resolved_to=str(row.get("resolved_to", "")), resolved_kind=str(row.get("kind", "")))  # fmt: skip


def render(book: TaskBook) -> str:
    """Render all tasks and resolved conditions, one line each, sorted by id. Closed tasks keep only their outcome: no
    description, no files."""
    rows = {task.id: _row(book, task) for task in book.tasks.values()}
    rows |= {
        each.id: {"condition": each.id, "text": each.text, "placeholder": each.placeholder,
                  "resolved_to": each.resolved_to, "kind": each.resolved_kind}
        for each in book.conditions.values() if each.resolved
    }  # fmt: skip
    kept = ({k: v for k, v in rows[id_].items() if v not in ("", [], None, {}, False)} for id_ in sorted(rows))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)


def _row(book: TaskBook, task: Task) -> dict[str, Any]:
    row: dict[str, Any] = {"id": task.id, "title": task.title, "ref": task.ref, "status": task.status,
                           "created": format_time(task.created_at), "closed": format_time(task.closed_at), "source": task.source,
                           "commits": list(task.commits)}  # fmt: skip
    row |= {name: _as_list(getattr(task, name)) for name in FIELDS if task.open or name not in ("description", "files")}
    for relation in RELATIONS:
        targets = [task.parent] if relation == "parent" else list(getattr(task, relation))
        row[relation] = sorted(target for target in targets if target)
    row["blocked_by"] = [ref.payload() for ref in task.blocked_by]
    row["suggested"] = [ref.payload() for ref in task.suggested]
    created = book.changed.get((task.id, "created"), 0)
    at = {name: book.changed.get((task.id, name), 0) for name in (*FIELDS, "status", *RELATIONS) if name in row}
    row["set"] = {name: format_time(to_datetime(when)) for name, when in at.items() if when > created}
    return row


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
