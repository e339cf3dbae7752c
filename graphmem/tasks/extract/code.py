"""TODO, FIXME, HACK and XXX comments in code, of whatever language: the mark must stand at the start of a comment. Pure;
finding the files is the caller's business."""

from __future__ import annotations

import re

from graphmem.tasks.exchange.records import Record
from graphmem.tasks.extract.prose import TITLE_LIMIT

_COMMENT = re.compile(
    r"(?:^|\s)(?:#+|//+!?|/\*+|\*|--|;+|%+|<!--|\"\"\"|''')\s*@?(?P<mark>TODO|FIXME|HACK|XXX)\b"
    r"(?:\((?P<who>[^)\n]{1,60})\))?\s*(?:[:：-]\s*|\s)(?P<title>\S.*)$"
)
_END = re.compile(r"\s*(?:\*/|-->|\"\"\"|''')\s*$")
_NAME = re.compile(r"\A(?:(?:[\w.-]+/[\w.-]+)?#\d+|[A-Za-z]\w*-\w*\d\w*(?:\.\d+)*)\Z")
_PRIORITY = {"FIXME": "high", "HACK": "low", "XXX": "medium", "TODO": "medium"}
SOURCE = "code"


def comments(path: str, text: str, at: int | None = None) -> list[Record]:
    """One record a comment, with its file; `TODO(name)` names an assignee or, where it looks like one, an issue."""
    found: dict[str, Record] = {}
    for line in text.splitlines():
        match = _COMMENT.search(line) if len(line) <= 1_000 else None
        title = _END.sub("", match["title"]).strip() if match else ""
        if match is None or not 3 <= len(title) <= TITLE_LIMIT:
            continue
        who = (match["who"] or "").strip()
        fields = {
            "title": title,
            "files": [path],
            "labels": [match["mark"].lower()],
            "priority": _PRIORITY[match["mark"]],
        }
        relations: dict[str, list[str]] = {}
        if _NAME.match(who):
            relations["related"] = [who]
        elif who:
            fields["assignee"] = who
        found.setdefault(title, Record("", fields, relations=relations, created=at, updated=at, source=SOURCE))
    return list(found.values())
