"""Computes report data: blocked tasks and reasons, what closing a task unblocks, stale tasks, daily progress, and the
summary for an agent at session start. Rendering is in `render.py`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from itertools import islice
from typing import Literal

from graphmem.model.tasks import NEVER, STATUSES, BlockedTask, BlockerRef, ContextRow, Task, TaskReport, to_datetime
from graphmem.tasks import blocking
from graphmem.tasks.book import TaskBook
from graphmem.tasks.ready import urgency_score
from graphmem.text.shortening import one_line
from graphmem.trust.requests import requests_action

_STALE_AFTER = timedelta(days=14)
_SAME_LIST_WITHIN = timedelta(hours=2)  # between the steps of one list of an agent
_BURNDOWN_DAYS = 28
_PRIME_TOKENS = 360  # estimated tokens, with a margin below the promised 400
_PIECE = re.compile(r"[A-Za-z]{1,4}|[\u00c0-\u024f]|[ -~]|.", re.DOTALL)


def blocked_section(book: TaskBook) -> list[BlockedTask]:
    """Return every blocked open task with its blockers and the chains to their roots; most urgent first."""
    found = (BlockedTask(task, tuple(blockers)) for task, blockers in blocking.held_tasks(book))
    return sorted(found, key=lambda each: urgency_score(each.task))


def build_report(book: TaskBook, project: str, now: int, ready: Sequence[Task]) -> TaskReport:
    """Return the report of all work."""
    at = to_datetime(now)
    tasks = list(book.tasks.values())
    counts = Counter(blocking.with_current_blockers(book, task).status for task in tasks)
    open_tasks = sorted((task for task in tasks if task.open), key=urgency_score)
    closed = sorted((task for task in tasks if task.closed_at), key=lambda t: (t.closed_at, t.id), reverse=True)
    return TaskReport(
        project=project,
        at=at,
        counts={status: counts[status] for status in STATUSES},
        ready=tuple(ready),
        in_progress=tuple(task for task in open_tasks if task.status == "in_progress"),
        blocked=tuple(blocked_section(book)),
        critical_path=tuple(blocking.critical_path(book)),
        unblocks=tuple(_unblocking_levers(book)),
        stale=tuple(task for task in open_tasks if at - task.updated_at > _STALE_AFTER),
        orphans=tuple(_orphan_tasks(book)),
        by_file=tuple(by_file(open_tasks)),
        burndown=tuple(_burndown_rows(tasks, at.date())),
        recent=tuple(closed[:10]),
    )


def _unblocking_levers(book: TaskBook, most: int = 10) -> list[tuple[Task, int]]:
    """Return the open tasks whose closing makes the most others ready, with counts."""
    gains: Counter[str] = Counter()
    for task in book.tasks.values():
        if task.open:
            blockers = {
                blocking.follow_resolutions(book, each)[0]
                for each in blocking.awaited_entities(book, task)
                if blocking.is_blocking(book, each)
            }
            if len(blockers) == 1 and (only := blockers.pop()) in book.tasks and only != task.id:
                gains[only] += 1
    order = sorted(gains, key=lambda each: (-gains[each], urgency_score(book.tasks[each])))
    return [(book.tasks[each], gains[each]) for each in order[:most]]


def _orphan_tasks(book: TaskBook) -> list[Task]:
    """Return open tasks whose parent is closed, and those that wait for something that no longer exists."""
    found = []
    for task in book.tasks.values():
        if task.open:
            whole = book.tasks.get(task.parent)
            known = (book.tasks, book.conditions, book.artifacts)
            lost = any(not any(each in table for table in known) for _, each in book.waits(task))
            if lost or (task.parent and whole is None) or (whole is not None and not whole.open):
                found.append(task)
    return sorted(found, key=urgency_score)


def by_file(tasks: Sequence[Task]) -> list[tuple[str, tuple[Task, ...]]]:
    """Return files with the tasks that affect them, most tasks first."""
    files: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        for path in task.files:
            files[path].append(task)
    return [(path, tuple(files[path])) for path in sorted(files, key=lambda path: (-len(files[path]), path))]


def _burndown_rows(tasks: Sequence[Task], today: date, days: int = _BURNDOWN_DAYS) -> list[tuple[str, int, int, int]]:
    """Return (day, created, closed, open at the end of the day) for the last days."""
    created = Counter(task.created_at.date() for task in tasks)
    closed = Counter(task.closed_at.date() for task in tasks if task.closed_at)
    start = today - timedelta(days=days - 1)
    left = sum(n for day, n in created.items() if day < start) - sum(n for day, n in closed.items() if day < start)
    rows = []
    for each in (start + timedelta(days=n) for n in range(days)):
        left += created[each] - closed[each]
        rows.append((each.isoformat(), created[each], closed[each], left))
    return rows


def task_context(
    book: TaskBook, view: Literal["confirmed", "suggested", "placeholders", "resolved"] | None, confirmed: float
) -> list[ContextRow]:
    """Return blockers of open work, with confirmed resolutions substituted."""
    rows = []
    for task in sorted((task for task in book.tasks.values() if task.open), key=urgency_score):
        for ref, sure in [*((r, True) for r in task.blocked_by), *((r, False) for r in task.suggested)]:
            row = _row(book, task, ref)
            kept = {
                None: True,
                "confirmed": sure and (ref.confidence >= confirmed or row.state == "resolved"),
                "suggested": not sure or 0 < ref.confidence < confirmed,
                "placeholders": ref.label == "placeholder" and row.state != "resolved",
                "resolved": row.state == "resolved",
            }[view]
            if kept:
                rows.append(row)
    return rows


def _row(book: TaskBook, task: Task, ref: BlockerRef) -> ContextRow:
    end, path = blocking.follow_resolutions(book, ref.id)
    if len(path) > 1 or not end:
        return ContextRow(task, ref, end, "resolved")
    return ContextRow(task, ref, ref.id, "pending" if ref.kind == "condition" else "direct")


def prime_text(book: TaskBook, now: int, ready: Sequence[Task], by: str = "", *, unasked: bool = False) -> str:
    """Return the summary for an agent at session start: its own work, work of others, ready and blocked tasks, and
    recently completed ones with their outcome. Under 400 tokens. `unasked`: without entries that ask for an action,
    unless a person wrote them, and without the steps of finished sessions."""
    at = to_datetime(now)
    past = _past_steps(book) if unasked else frozenset()
    ready = [task for task in ready if task.id not in past]
    offered = {task.id for task in ready}
    tasks = [task for task in book.tasks.values() if not task.is_note and task.id not in past]
    running = sorted((t for t in tasks if t.status == "in_progress" and t.id not in offered), key=urgency_score)
    mine = [t for t in running if by and by in (t.claimed_by, t.assignee)]
    others = [t for t in running if t not in mine]
    done = sorted((t for t in tasks if t.status == "done" and t.closed_at), key=lambda t: (t.closed_at, t.id))[::-1]
    if unasked:
        done = [task for task in done if task.closed_at and at - task.closed_at <= _STALE_AFTER]
    waiting = [each for each in blocked_section(book) if not each.task.is_note and each.task.id not in past]
    open_count = sum(task.open for task in tasks)
    head = f"Tasks: {open_count} open, {len(ready)} ready, {len(running)} in progress, {len(waiting)} blocked."
    entry = partial(_unasked_line, book) if unasked else _task_line
    sections = [
        ("Yours", len(mine), _first(4, map(entry, mine))),
        ("In progress", len(others), _first(3, map(entry, others))),
        ("Ready", len(ready), _first(6, map(entry, ready))),
        ("Blocked", len(waiting), _first(4, (_blocked_line(book, each, entry, unasked=unasked) for each in waiting))),
        ("Done", len(done), _first(3, (_finished(each, entry, at, unasked=unasked) for each in done))),
    ]
    lines, left = [head], _PRIME_TOKENS - _tokens(head)
    for title, count, entries in sections:
        shown = []
        for line in entries:
            left -= _tokens(line) + 3
            if left > 0:
                shown.append(f"- {line}")
        if shown:
            rest = f" ({len(shown)} of {count})" if count > len(shown) else ""
            left -= _tokens(title) + 9
            lines += [f"{title}{rest}:", *shown]
    return "\n".join(lines)


def _past_steps(book: TaskBook) -> frozenset[str]:
    """Return the steps that agents noted for themselves, but for what is open of the latest list: who made the earlier ones
    is long done, ticked or not."""
    steps = [task for task in book.tasks.values() if task.source == "agent"]
    latest = max((task.updated_at for task in steps), default=NEVER)
    return frozenset(task.id for task in steps if not task.open or latest - task.updated_at > _SAME_LIST_WITHIN)


def _first(most: int, lines: Iterable[str]) -> list[str]:
    return list(islice(filter(None, lines), most))


def _unasked_line(book: TaskBook, task: Task) -> str:
    """Return the line of a task, marked if an agent wrote its title; "" if that asks for an action and no person, and no
    command of a person, wrote it."""
    author = book.authors.get(task.id, "person")
    if (author != "person" or task.source) and requests_action(task.title):
        return ""
    return f"{_task_line(task)}{' (by an agent)' if author == 'agent' else ''}"


def _blocked_line(book: TaskBook, each: BlockedTask, entry: Callable[[Task], str], *, unasked: bool) -> str:
    line, why = entry(each.task), _why(book, each)
    return f"{line} ← {why}" if line and not (unasked and requests_action(why)) else line


def _finished(task: Task, entry: Callable[[Task], str], now: datetime, *, unasked: bool) -> str:
    line = entry(task)
    shows_outcome = bool(task.outcome) and not (unasked and requests_action(task.outcome))
    return f"{line}{': ' + one_line(task.outcome, 60) if shows_outcome else ''}{_ago(now, task)}" if line else ""


def _task_line(task: Task) -> str:
    mark = "!" if task.priority in ("high", "critical") else ""
    return f"{one_line(task.ref, 24) + ' ' if task.ref else ''}{one_line(task.title, 64)}{mark}"


def _why(book: TaskBook, waiting: BlockedTask) -> str:
    words = []
    for each in waiting.blockers[:2]:
        root = each.chain[-1]
        words.append(one_line(each.title, 40) + (f" ← {one_line(book.title_of(root), 40)}" if root != each.id else ""))
    return ", ".join(words) or "unknown"


def _ago(at: datetime, task: Task) -> str:
    days = (at - task.closed_at).days if task.closed_at else 0
    return f" ({days} d ago)" if days > 0 else ""


def _tokens(text: str) -> int:
    """Return an upper estimate of the tokens of a text: one per four letters, one per digit or punctuation mark, more for
    other scripts."""
    return round(sum(0.25 if piece == " " else 1 if piece.isascii() else 2.5 for piece in _PIECE.findall(text)))
