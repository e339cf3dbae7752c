"""Parses the output of issue trackers: lists of issues and single issues of `bd` and `gh`. A task whose creation was
never recorded becomes known here, with title and state. Lines of unknown form are ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.patterns import compile_later
from graphmem.tasks.formats.records import TaskRecord

_ID = r"(?P<id>[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+(?:\.\d+)*)"
_SYMBOLS = {"○": "pending", "◐": "in_progress", "✓": "done", "●": "blocked", "❄": "pending"}
_STATES = {
    "open": "pending", "ready": "pending", "in_progress": "in_progress", "in progress": "in_progress", "closed": "done",
    "blocked": "blocked", "deferred": "pending", "hooked": "in_progress", "pinned": "pending",
}  # fmt: skip
_PRIORITIES = ("critical", "high", "medium", "low", "low")
_STATE = r"(?P<state>open|ready|in[_ ]progress|closed|blocked|deferred|hooked|pinned)"
_PRIORITY = r"\[(?:● )?P(?P<priority>\d)\]"
# "1. [● P2] [task] ID: Title"
_READY = compile_later(rf"^\s*\d+\. {_PRIORITY} (?:\[\w+\] )?{_ID}: (?P<title>\S.*)$")
# "○ ID [● P2] [task] - Title (blocked by: A, B, blocks: C)", "ID [P2] [task] open - Title"
_LISTED = compile_later(
    rf"^\s*(?:(?P<symbol>[○◐✓●❄]) )?{_ID} {_PRIORITY} \[\w+\](?: {_STATE})?(?: @\S+)?(?: \[[^\]]*\])? - (?P<title>\S.*)$"
)
# "○ ID · Title   [● P2 · OPEN]", with a mark of an epic
_SHOWN = compile_later(
    rf"^\s*(?:(?P<symbol>[○◐✓●❄]) )?{_ID}(?: \[\w+\])? · (?P<title>\S.*?)\s+\[(?:● )?P(?P<priority>\d) · {_STATE}\]$",
    re.I,
)
# "ID: Title" with its state on the next line
_HEADED = compile_later(
    rf"^{_ID}: (?P<title>\S[^\n]*)\nStatus: {_STATE}\b(?:\nPriority: P?(?P<priority>\d))?", re.I | re.M
)
_BLOCKERS = compile_later(r" \((?:blocked by: (?P<by>.*?))?(?:, )?(?:blocks: .*)?\)$")
_HUB_LISTED = compile_later(r"^#?(?P<number>\d+)\t(?P<state>OPEN|CLOSED)\t(?P<title>[^\t]+)", re.M)
_HUB_SHOWN = compile_later(
    r"^title:\t(?P<title>[^\n]+)\nstate:\t(?P<state>OPEN|CLOSED|MERGED)\n(?:[^\n]*\n){0,12}?number:\t(?P<number>\d+)",
    re.M,
)
_MAX_ISSUES = 200  # issues read of one output


def issues_of_bd(output: str) -> Iterator[TaskRecord]:
    """Yield records of the issues that `bd show`, `list`, `ready` or `blocked` printed."""
    found: dict[str, TaskRecord] = {}
    for match in _HEADED.finditer(output):
        found.setdefault(match["id"], _issue(match))
    for line in output.splitlines():
        listed = _READY.match(line) or _LISTED.match(line) or _SHOWN.match(line)
        if listed and len(found) < _MAX_ISSUES:
            found.setdefault(listed["id"], _issue(listed))
    yield from found.values()


def issues_of_gh(output: str, repo: str) -> Iterator[TaskRecord]:
    """Yield records of the issues that `gh issue list` or `view` printed into a pipe."""
    for match in (*_HUB_LISTED.finditer(output), *_HUB_SHOWN.finditer(output)):
        status = "pending" if match["state"] == "OPEN" else "done"
        yield TaskRecord(f"{repo}#{match['number']}", {"title": match["title"].strip()}, status)


def _issue(match: re.Match[str]) -> TaskRecord:
    parts, id_ = match.groupdict(), match["id"]
    title, relations = parts["title"].strip(), {}
    if links := _BLOCKERS.search(title):
        title = title[: links.start()]
        waits = [name for name in re.split(r",\s*", links["by"] or "") if name and not id_.startswith(f"{name}.")]
        relations = {"blocked_by": waits} if waits else {}
    if "." in id_:
        relations["parent"] = [id_.rpartition(".")[0]]
    fields = {"title": title}
    if parts.get("priority"):
        fields["priority"] = _PRIORITIES[min(int(parts["priority"]), len(_PRIORITIES) - 1)]
    status = _STATES.get((parts.get("state") or "").lower(), "") or _SYMBOLS.get(parts.get("symbol") or "", "")
    if status == "blocked" and not relations.get("blocked_by"):
        status = "pending"
    return TaskRecord(id_, fields, status, relations)
