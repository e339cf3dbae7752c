"""TODO, FIXME, HACK and XXX comments in code, of whatever language that pygments knows: the mark must stand at the start of
a comment, not in a string. Pure; finding the files is the caller's business."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.tasks.exchange.records import Record
from graphmem.tasks.extract.prose import TITLE_LIMIT

_COMMENT = re.compile(
    r"(?:^|\s)(?:#+|//+!?|/\*+|\*|--|;+|%+|<!--)\s*@?(?P<mark>TODO|FIXME|HACK|XXX)\b"
    r"(?:\((?P<who>[^)\n]{1,60})\))?\s*(?:[:：-]\s*|\s)(?P<title>\S.*)$"
)
_END = re.compile(r"\s*(?:\*/|-->)\s*$")
_NAME = re.compile(r"\A(?:(?:[\w.-]+/[\w.-]+)?#\d+|[A-Za-z]\w*-\w*\d\w*(?:\.\d+)*)\Z")
_PRIORITY = {"FIXME": "high", "HACK": "low", "XXX": "medium", "TODO": "medium"}
SOURCE = "code"
_LINE_LIMIT = 1_000  # characters; longer lines are generated


def comments(path: str, text: str, at: int | None = None) -> list[Record]:
    """One record a comment, with its file; `TODO(name)` names an assignee or, where it looks like one, an issue."""
    found: dict[str, Record] = {}
    for line in _comment_lines(path, text):
        match = _COMMENT.search(line)
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


def _comment_lines(path: str, text: str) -> Iterator[str]:
    """The lines that may hold such a comment. Only a text that has one by its looks is worth a lexer; where there is none
    for files of that name, looks decide."""
    if not any(mark in text for mark in _PRIORITY):
        return iter(())
    lines = [line for line in text.splitlines() if len(line) <= _LINE_LIMIT and _COMMENT.search(line)]
    if lines:
        from pygments.lexers import find_lexer_class_for_filename
        from pygments.token import Comment, is_token_subtype

        lexer = find_lexer_class_for_filename(path)
        if lexer is not None:
            tokens = lexer().get_tokens(text)
            lines = [line for kind, value in tokens if is_token_subtype(kind, Comment) for line in value.splitlines()]
    return (line for line in lines if len(line) <= _LINE_LIMIT)
