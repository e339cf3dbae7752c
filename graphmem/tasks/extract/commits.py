"""Extracts from a commit message which tasks it closes, belongs to, or leaves to do. Task names are those of any tracker
(`#12`, `owner/repo#12`, `PROJ-12`, `bd-a1b2.3`); unknown ones are ignored."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later
from graphmem.tasks.extract.prose import tasks_of_todos
from graphmem.tasks.formats.records import TaskRecord

_NAME = r"(?<![\w./-])(?:(?:[\w.-]{1,40}/[\w.-]{1,60})?#\d{1,9}|[A-Za-z][A-Za-z0-9]{0,20}-[A-Za-z0-9]{1,20}(?:\.\d{1,4}){0,4})"
_NAMES = compile_later(_NAME)
_LIST = rf"(?:issues?\s+|tasks?\s+|bug\s+)?(?P<names>(?:{_NAME})(?:\s*(?:,|and|&|및|와|과)\s*(?:{_NAME}))*)"
_CLOSES = compile_later(
    rf"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|implements?|completes?)\b:?\s+{_LIST}", re.IGNORECASE
)
_CLOSES_KOREAN = compile_later(
    rf"(?:해결|수정|완료|닫음|종료)\s*:?\s*{_LIST}"
    rf"|(?P<before>{_NAME})\s*(?:번)?\s*(?:을|를)?\s*(?:해결|수정 완료|완료|닫음|종료)"
)
_BLOCKED = compile_later(rf"\b(?:blocked by|depends on|waits for)\b:?\s+{_LIST}", re.IGNORECASE)
_SUBJECT = compile_later(rf"\A(?:\w+(?:\([^)]*\))?!?:\s*)?[\[(]?(?P<name>{_NAME})[\])]?")
_TRAILING = compile_later(rf"[\[(](?P<name>{_NAME})[\])]\s*\Z")
_NOT = compile_later(r"\b(?:not|doesn't|does not|won't|partially|partly|towards?)\s+\Z", re.IGNORECASE)


def tasks_of_commit(subject: str, body: str, hash_: str, at: int) -> list[TaskRecord]:
    """Return records of a commit; `at` in microseconds since 1970 UTC. Closed tasks cite the commit."""
    text = f"{subject}\n{body}"
    records: dict[str, TaskRecord] = {}
    for pattern in (_CLOSES, _CLOSES_KOREAN):
        for match in pattern.finditer(text):
            if not _NOT.search(text[max(0, match.start() - 30) : match.start()]):
                for name in _NAMES.findall(match["names"] or match.groupdict().get("before") or ""):
                    records[name] = TaskRecord(
                        name, {}, "done", updated=at, closed=at, commits=[hash_], source="git", only_known=True
                    )
    about = list(records) or [m["name"] for m in (_SUBJECT.search(subject), _TRAILING.search(subject)) if m]
    for match in _BLOCKED.finditer(text):
        for name in about:
            record = records.setdefault(name, TaskRecord(name, {}, "", updated=at, source="git", only_known=True))
            record.relations.setdefault("blocked_by", []).extend(_NAMES.findall(match["names"]))
    for record in tasks_of_todos(body):
        record.updated = record.created = at
        record.source = "git"
        records[f"todo {record.fields['title']}"] = record
    return list(records.values())
