"""Prints items, timelines, tasks and conditions for people. Tables are in `render`."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from graphmem.model.results import Detail, TimelineEntry
from graphmem.model.sources import MoveReport
from graphmem.model.tasks import Blocker, Condition, Exchanged, MatchResult, Task, TaskDetail
from graphmem.plurals import counted


def details(console: Console, items: list[Detail]) -> None:
    """Print items in full."""
    for number, item in enumerate(items):
        if number:
            console.print()
        head = f"{item.kind} {item.at:%Y-%m-%d %H:%M} {item.citation}"
        console.print(f"[bold]{escape(item.title or item.kind)}[/]  [dim]{escape(head)}[/]")
        facts = {"session": item.session, "files": ", ".join(item.files), "tags": ", ".join(item.tags),
                 "related": " ".join(item.related), "id": item.id}  # fmt: skip
        console.print("; ".join(f"{name}: {escape(str(value))}" for name, value in facts.items() if value), style="dim")
        console.print(escape(item.content), soft_wrap=True)


def timeline(console: Console, entries: list[TimelineEntry]) -> None:
    """Print the turns around items, by session; an arrow marks the requested items."""
    session: str | None = ""
    for entry in entries:
        if entry.session != session:
            session = entry.session
            console.print(f"[bold]session {escape(session or '-')}[/]")
        mark = "→" if entry.is_target else " "
        console.print(
            f"{mark} {entry.at:%Y-%m-%d %H:%M} {entry.role or entry.kind}: {escape(entry.preview)}"
            f" [dim]{escape(entry.citation)}[/]", soft_wrap=True,
        )  # fmt: skip


def print_task(console: Console, one: Task) -> None:
    """Print a task in a few lines."""
    owner = f", claimed by {one.claimed_by}" if one.claimed_by else ""
    console.print(
        f"[bold]{escape(one.title)}[/]  {one.status}, {one.priority}{escape(owner)}  [dim]{escape(one.name)}[/]"
    )
    facts = {
        "description": one.description,
        "waits for": _names(one.blocked_by),
        "possibly waits for": _names(one.suggested),
        "part of": one.parent,
        "outcome": one.outcome,
        "commits": ", ".join(one.commits),
        "files": ", ".join(one.files),
        "labels": ", ".join(one.labels),
        "refused": one.rejected,
    }
    for name, value in facts.items():
        if value:
            console.print(f"  {name}: {escape(value)}", soft_wrap=True)


def task_page(console: Console, found: TaskDetail) -> None:
    """Print a task with its root blockers, subtasks and history."""
    print_task(console, found.task)
    for title, names in (
        ("root blockers", [_blocker(blocker) for blocker in found.blockers]),
        ("parts", [f"{one.title} ({one.status})" for one in found.children]),
        ("blocks", [one.title for one in found.dependents]),
    ):
        if names:
            console.print(f"  {title}: {escape('; '.join(names))}", soft_wrap=True)
    for line in found.history:
        who = f" {line.actor}" if line.actor else ""
        console.print(f"  {line.at:%Y-%m-%d %H:%M}{escape(who)}: {escape(line.text)}", style="dim", soft_wrap=True)


def match(console: Console, result: MatchResult) -> None:
    """Print tasks that a text may refer to, best match first."""
    for candidate in result.candidates:
        one = candidate.task
        console.print(
            f"{candidate.score:.2f}  {escape(one.title)}  [dim]{one.status}, {escape(one.name)}[/]", soft_wrap=True
        )
    console.print(f"confidence: {result.confidence}" if result.candidates else "No matching task.", style="dim")


def print_condition(console: Console, one: Condition) -> None:
    """Print a condition and its resolution."""
    if one.resolved:
        end = f"resolved: {one.resolved_to}" if one.resolved_to else "fulfilled"
    else:
        end = "open"
    console.print(f"[bold]{escape(one.text)}[/]  {escape(end)}  [dim]{escape(one.id)}[/]")


def print_exchange(console: Console, done: Exchanged) -> None:
    """Print the result of a task import."""
    console.print(
        f"{done.created} created, {done.changed} changed, {done.unchanged} as before, {counted(done.relations, 'relation')}"
    )
    for problem in done.problems[:5]:
        console.print(escape(problem), style="yellow")


def _names(blockers: Any) -> str:
    return "; ".join(blocker.text or blocker.id for blocker in blockers)


def _blocker(blocker: Blocker) -> str:
    return blocker.title + (f" ({blocker.state})" if blocker.state != "direct" else "")


def print_move(console: Console, report: MoveReport) -> None:
    """Print where a store, its log or its graph is now."""
    if report.engine:
        console.print(
            f"The graph is now of the engine {report.engine}: {report.compared:,} nodes and relations, all equal"
        )
        return
    if report.log:
        console.print(
            f"The log is now at: {escape(report.log)};"
            f" {counted(report.events, 'event')}, {counted(report.compared, 'row')}, all equal",
            soft_wrap=True,
        )
        return
    how = f"{report.copied:,} bytes copied and compared" if report.copied else "renamed"
    console.print(
        f"{escape(report.target)}: {counted(report.events, 'event')}, {how}; {escape(report.source)} links to it"
    )
