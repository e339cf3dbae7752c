"""The text of all tasks that lives in git: one JSON object a line, sorted, each field with the time it was last set. Two
branches that changed different tasks merge by lines; where git leaves both sides of a conflict, both are read and the
newer value of every field wins. Pure reading and writing of text."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from graphmem.model.tasks import RELATIONS, Condition, Task, moment
from graphmem.tasks.book import TaskBook
from graphmem.tasks.exchange.records import FIELDS, Parsed, Record, iso, micros

_MARKERS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_STAMPED = (*FIELDS, "status", "blockers", *RELATIONS)


def parse(content: str) -> Parsed:
    """Records of a text; markers of a merge conflict are skipped, so that both sides are there."""
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


def _record(row: dict[str, Any]) -> Record:
    created = micros(row.get("created"))
    stamps = {name: at for name, text in (row.get("set") or {}).items() if (at := micros(text)) is not None}
    return Record(
        row.get("ref", ""), {name: row[name] for name in FIELDS if name in row}, row.get("status", "pending"),
        {name: list(row[name]) for name in RELATIONS if row.get(name)}, list(row.get("blocked_by", ())),
        created, created, micros(row.get("closed")), stamps, list(row.get("commits", ())), row["id"], row.get("source", ""),
    )  # fmt: skip


def _condition(row: dict[str, Any]) -> Condition:
    return Condition(row["condition"], str(row.get("text", "")), bool(row.get("placeholder")), resolved=True,
                     resolved_to=str(row.get("resolved_to", "")), resolved_kind=str(row.get("kind", "")))  # fmt: skip


def render(book: TaskBook) -> str:
    """All tasks and resolved conditions, one line each, sorted by id. Closed tasks are compacted to their outcome: no
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
                           "created": iso(task.created_at), "closed": iso(task.closed_at), "source": task.source,
                           "commits": list(task.commits)}  # fmt: skip
    row |= {name: _plain(getattr(task, name)) for name in FIELDS if task.open or name not in ("description", "files")}
    for relation in RELATIONS:
        targets = [task.parent] if relation == "parent" else list(getattr(task, relation))
        row[relation] = sorted(target for target in targets if target)
    row["blocked_by"] = [asdict(ref) for ref in task.blocked_by]
    created = book.changed.get((task.id, "created"), 0)
    at = {name: book.changed.get((task.id, name), 0) for name in _STAMPED}
    row["set"] = {name: iso(moment(when)) for name, when in at.items() if when > created}
    return row


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
