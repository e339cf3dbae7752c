"""Renders reports as Markdown, JSON or Mermaid. Deterministic; task texts are escaped, so they cannot break a line, table
or label."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

from graphmem.errors import UsageError
from graphmem.model.tasks import BlockedTask, Task, TaskReport
from graphmem.plurals import counted
from graphmem.text.shortening import one_line

_MAX_DIAGRAM_NODES = 60  # maximum nodes of a readable diagram
_BAR_CHARS = 24  # of the burn-down bar
FORMATS = ("markdown", "json", "mermaid")


def render(report: TaskReport, format: str = "markdown") -> str:
    """Return the report as text in one of FORMATS. Raises UsageError for any other format."""
    if format not in FORMATS:
        raise UsageError(f"there is no format `{format}`: use {', '.join(FORMATS)}", format=format)
    return {"markdown": _render_markdown, "json": as_json, "mermaid": _render_mermaid}[format](report)


def _render_markdown(report: TaskReport) -> str:
    """Return a one-page report: what to do, what is blocked and why, dependencies, and progress."""
    counts = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in report.counts.items() if count)
    lines = [f"# Tasks{' of ' + _table_text(report.project) if report.project else ''}", "",
             f"{report.at:%Y-%m-%d %H:%M} UTC: {counts or 'none yet'}.", ""]  # fmt: skip
    lines += _section("Ready", [_task_entry(task) for task in report.ready], 10)
    lines += _section("In progress", [_task_entry(task) + _holder(task) for task in report.in_progress], 10)
    lines += _section("Blocked", [_blocked_entry(each) for each in report.blocked], 10)
    lines += _section("Critical path", [_task_entry(task) for task in report.critical_path], 12, numbered=True)
    lines += _section(
        "Closing these unblocks the most tasks", [f"{_task_entry(task)}: {count}" for task, count in report.unblocks], 5
    )
    lines += _section("What most tasks wait for in the end", _roots(report), 5)
    lines += _section(
        "Untouched for two weeks",
        [f"{_task_entry(t)}, {counted((report.at - t.updated_at).days, 'day')}" for t in report.stale],
        5,
    )
    lines += _section(
        "Orphaned: the parent or blocker no longer exists", [_task_entry(task) for task in report.orphans], 5
    )
    lines += _section(
        "Files with the most open tasks",
        [f"`{path.replace('`', '')}`: {len(tasks)}" for path, tasks in report.by_file],
        5,
    )
    lines += _section(
        "Closed lately",
        [_task_entry(t) + (f": {_table_text(t.outcome, 100)}" if t.outcome else "") for t in report.recent],
        5,
    )
    lines += _burndown(report)
    return "\n".join(lines).rstrip() + "\n"


def _section(title: str, entries: list[str], most: int, *, numbered: bool = False) -> list[str]:
    if not entries:
        return []
    shown = [f"{number}. {entry}" if numbered else f"- {entry}" for number, entry in enumerate(entries[:most], start=1)]
    rest = [f"- and {len(entries) - most} more"] if len(entries) > most else []
    return [f"## {title} ({len(entries)})", "", *shown, *rest, ""]


def _task_entry(task: Task) -> str:
    mark = f" **{task.priority}**" if task.priority in ("high", "critical") else ""
    return f"{'`' + task.ref.replace('`', '') + '` ' if task.ref else ''}{_table_text(task.title)}{mark}"


def _holder(task: Task) -> str:
    who = task.claimed_by or task.assignee
    return f" ({_table_text(who, 40)})" if who else ""


def _blocked_entry(waiting: BlockedTask) -> str:
    reasons = [_table_text(each.title) + (f" (a chain of {len(each.chain) - 1})" if len(each.chain) > 2 else "")
               for each in waiting.blockers]  # fmt: skip
    return f"{_task_entry(waiting.task)} ← {'; '.join(reasons[:3]) or 'unknown'}"


def _roots(report: TaskReport) -> list[str]:
    """Return what several tasks wait for at the end of their chains, also conditions: a person's approval, an event."""
    blockers = [each for waiting in report.blocked for each in waiting.blockers]
    titles = {each.id: each.title for each in blockers}
    held = Counter(end for waiting in report.blocked for end in {each.chain[-1] for each in waiting.blockers})
    return [f"{_table_text(titles[end])}: {count}" for end, count in held.most_common() if count > 1 and end in titles]


def _burndown(report: TaskReport) -> list[str]:
    rows = [row for row in report.burndown if row[1] or row[2]]
    if not rows:
        return []
    most = max(1, *(left for *_, left in rows))
    table = [
        f"| {day} | {created} | {closed} | {left} | {'█' * round(_BAR_CHARS * left / most)} |"
        for day, created, closed, left in rows
    ]
    return ["## Last four weeks", "", "| day | created | closed | open | |", "|---|--:|--:|--:|---|", *table, ""]


def _render_mermaid(report: TaskReport) -> str:
    """Return blocked open work and its blockers as a flow chart; arrows follow the order of execution."""
    names: dict[str, str] = {}
    lines, edges = ["flowchart LR"], dict[str, None]()
    for waiting in report.blocked:
        chains = [[*each.chain[1:]] for each in waiting.blockers]
        if len(names) + 1 + sum(map(len, chains)) > _MAX_DIAGRAM_NODES:
            lines.append(f"  more[{_label(str(len(report.blocked)) + ' blocked in all')}]")
            break
        here = _node(names, lines, waiting.task.id, waiting.task.title)
        for blocker in waiting.blockers:
            there = _node(names, lines, blocker.id, blocker.title, waiting=blocker.kind != "task")
            edges[f"  {there} --> {here}"] = None
    for task in report.ready[:10]:
        edges[f"  class {_node(names, lines, task.id, task.title)} ready"] = None
    return "\n".join([*lines, *edges, "  classDef ready stroke-width:3px"]) + "\n"


def _node(names: dict[str, str], lines: list[str], id_: str, title: str, *, waiting: bool = False) -> str:
    if id_ not in names:
        names[id_] = f"t{len(names)}"
        lines.append(f"  {names[id_]}{'{{' if waiting else '['}{_label(title)}{'}}' if waiting else ']'}")
    return names[id_]


def _label(text: str) -> str:
    safe = _table_text(text, 60).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
    return f'"{safe}"'


def as_json(value: Any) -> str:
    """Return any task record as JSON; times in ISO 8601."""
    return json.dumps(asdict(value) if is_dataclass(value) and not isinstance(value, type) else value,
                      ensure_ascii=False, indent=1, default=_encode) + "\n"  # fmt: skip


def _encode(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def _table_text(text: str, most: int = 90) -> str:
    """Return a text as one line that cannot break a table or start HTML: `|`, `<` and `>` become look-alikes."""
    return one_line(text.replace("|", "¦").replace("<", "‹").replace(">", "›"), most)
