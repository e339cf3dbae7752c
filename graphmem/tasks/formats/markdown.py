"""Markdown checklists: `- [ ] title`, parts indented below their parent. A comment at the end of a line contains the task
id, so that a list can be edited and imported again. Pure text conversion."""

from __future__ import annotations

import re

from graphmem.errors import UsageError
from graphmem.model.tasks import Task
from graphmem.privacy import strip_private_sections
from graphmem.tasks.book import TaskBook
from graphmem.tasks.formats.records import Parsed, TaskRecord, name_of
from graphmem.tasks.ready import urgency_score
from graphmem.tasks.transitions import priority_of

_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d+[.)])[ \t]+\[(?P<mark>[^\]])\][ \t]+(?P<text>\S.*)$")
_NAME = re.compile(r"\s*<!--\s*(?P<name>[^\s>]+)\s*-->\s*$")
_PRIORITY = re.compile(r"(?:^|\s)!(\w+)(?=\s|$)")
_LABEL = re.compile(r"(?:^|\s)#([^\W\d][\w/:.-]*)(?=\s|$)")
_ASSIGNEE = re.compile(r"(?:^|\s)@([\w.-]+)(?=\s|$)")
_WAITS = re.compile(r"\s*(?:\(|—\s*)(?:blocked by|depends on|waits for|차단|선행):?\s+([^()]+?)\)?\s*$", re.IGNORECASE)
# Characters with a meaning in titles are escaped in our own text.
_SIGN = re.compile(r"(?:(?<=\s)|^)[#@!](?=\S)|(?<=\s)\((?=(?:blocked by|depends on|waits for)\b)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([#@!(])")
_FENCE = re.compile(r"^\s*(```|~~~)")
_MARKS = {" ": "pending", "x": "done", "X": "done", "-": "cancelled", "~": "cancelled", "/": "in_progress", ">": "in_progress",
          "!": "blocked"}  # fmt: skip
_BACK = {"pending": " ", "done": "x", "cancelled": "-", "in_progress": "/", "blocked": "!"}


def parse(content: str) -> Parsed:
    """Parse the items of all checklists; code blocks are skipped."""
    parsed, parents, fenced = Parsed(), list[tuple[int, str]](), False
    for line in strip_private_sections(content).splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        match = None if fenced else _ITEM.match(line)
        if match is None or match["mark"] not in _MARKS:
            continue
        record = _record(match["text"], match["mark"])
        if record is None:
            parsed.problems.append(f"an item has no title: {line.strip()[:60]}")
            continue
        indent = len(match["indent"].expandtabs(4))
        while parents and parents[-1][0] >= indent:
            parents.pop()
        if parents:
            record.relations["parent"] = [parents[-1][1]]
        parents.append((indent, record.ref or record.fields["title"]))
        parsed.records.append(record)
    return parsed


def _record(words: str, mark: str) -> TaskRecord | None:
    ref, relations = "", dict[str, list[str]]()
    if named := _NAME.search(words):
        ref, words = named["name"], words[: named.start()]
    if waits := _WAITS.search(words):
        relations["blocked_by"] = [name.strip() for name in re.split(r"\s*,\s*", waits[1]) if name.strip()]
        words = words[: waits.start()]
    labels = _LABEL.findall(words)
    fields: dict[str, object] = {"labels": labels} if labels else {}
    if assignee := _ASSIGNEE.search(words):
        fields["assignee"] = assignee[1]
    for match in _PRIORITY.finditer(words):
        try:
            fields["priority"] = priority_of(match[1])
            words = words.replace(match.group(), "", 1)
        except UsageError:
            continue
    title = _ESCAPED.sub(r"\1", _ASSIGNEE.sub("", _LABEL.sub("", words)).strip())
    fields["title"] = title
    return TaskRecord(ref, fields, _MARKS[mark], relations, source="markdown") if title else None


def render(book: TaskBook) -> str:
    """Render all tasks as a checklist, parts below their parent, open work first."""
    tops = [task for task in book.tasks.values() if task.parent not in book.tasks]
    lines: list[str] = []
    stack = [(task, 0) for task in sorted(tops, key=_order, reverse=True)]
    seen: set[str] = set()
    while stack:
        task, depth = stack.pop()
        if task.id in seen:
            continue
        seen.add(task.id)
        lines.append("  " * depth + _task_line(book, task))
        parts = [book.tasks[each] for each in book.children.get(task.id, ())]
        stack += [(part, depth + 1) for part in sorted(parts, key=_order, reverse=True)]
    return "".join(f"{line}\n" for line in lines)


def _order(task: Task) -> tuple[bool, tuple[int, float, str]]:
    return not task.open, urgency_score(task)


def _task_line(book: TaskBook, task: Task) -> str:
    words = [f"- [{_BACK[task.status]}]", _SIGN.sub(lambda sign: "\\" + sign.group(), " ".join(task.title.split()))]
    words += [f"!{task.priority}"] if task.priority != "medium" else []
    words += [f"#{label}" for label in task.labels if _LABEL.fullmatch(f"#{label}")]
    words += [f"@{task.assignee}"] if re.fullmatch(r"[\w.-]+", task.assignee) else []
    waits = dict.fromkeys([*task.depends_on, *(ref.id for ref in task.blocked_by if ref.label != "placeholder")])
    waits = {id_: None for id_ in waits if id_ not in book.tasks or book.tasks[id_].open}
    if waits and task.open:
        names = ", ".join(name_of(book.tasks, id_) if id_ in book.tasks else book.title_of(id_) for id_ in waits)
        words.append(f"(blocked by: {names.replace('(', '[').replace(')', ']')})")
    return " ".join([*words, f"<!-- {task.name} -->"])
