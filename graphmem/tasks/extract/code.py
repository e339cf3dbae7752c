"""Extracts TODO, FIXME, HACK and XXX comments from code in any language that pygments supports. The mark must be at the
start of a comment, not in a string; the comment is read to the end of its sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import shorten
from typing import Any

from graphmem.patterns import compile_later
from graphmem.tasks.extract.prose import MAX_EXTRACTED_TITLE_CHARS
from graphmem.tasks.formats.records import TaskRecord

_COMMENT = compile_later(
    r"(?:^|\s)(?:#+|//+!?|/\*+|\*|--|;+|%+|<!--)\s*@?(?P<mark>TODO|FIXME|HACK|XXX)\b"
    r"(?:\((?P<who>[^)\n]{1,60})\))?\s*(?:[:：-]\s*|\s)(?P<title>\S.*)$"
)
_END = compile_later(r"\s*(?:\*/|-->)\s*$")
_OPENING = compile_later(r"\s*(?:#+|//+!?|/\*+|\*(?!/)|--|;+|%+|<!--)?\s*")
_SENTENCE_ENDS = compile_later(r"[.!?。][\"'`)]*$")
_SENTENCES = compile_later(r"(?<=[\w`\"')]{3})[.!?。](?=\s+\S)|(?<=\d\.\d\d)\.(?=\s+[A-Z])")
_NEW_POINT = compile_later(r"[-*•@\\:]|\w{1,2}[.)]\s|(?:TODO|FIXME|HACK|XXX|NOTE|NB)\b")
_WRAPPED = 50  # characters: a shorter line was ended intentionally
_URL = compile_later(r"\w+://\S+")
_STATE = compile_later(
    r"(?i:\A(?:this is )?(?:experimental|deprecated|temporary|unused|wip)\b)(?:\s*\([^)]*\))?"
)  # descriptions of the state of code
_WORD = compile_later(r"[^\W\d_]\S*")
_IDENTIFIER = compile_later(r"\w*[a-z0-9][A-Z]\w*|\w*[_.(:]\S*")
_NAME = compile_later(r"\A(?:(?:[\w.-]+/[\w.-]+)?#\d+|[A-Za-z]\w*-\w*\d\w*(?:\.\d+)*)\Z")
_PRIORITY = {"FIXME": "high", "HACK": "low", "XXX": "medium", "TODO": "medium"}
SOURCE = "code"
_STARTS = compile_later(
    r"\s*(?:#+|//+!?|/\*+|\*|--|;+|%+|<!--)|.*\s(?:#|//|/\*|--|;|<!--)\s*@?(?:TODO|FIXME|HACK|XXX)\b"
)
_LINE_LIMIT = 1_000  # characters; longer lines are generated


def tasks_of_comments(path: str, text: str, at: int | None = None) -> list[TaskRecord]:
    """Return one record per comment, with its file; `TODO(name)` names an assignee or, if it looks like one, an issue."""
    found: dict[str, TaskRecord] = {}
    lines = list(_comment_lines(path, text))
    for at_line, line in enumerate(lines):
        match = _COMMENT.search(line)
        title = _sentence(match["title"], lines[at_line + 1 :]) if match else ""
        if match is None or not 3 <= len(title) <= MAX_EXTRACTED_TITLE_CHARS or not _asks(title):
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
        found.setdefault(title, TaskRecord("", fields, relations=relations, created=at, updated=at, source=SOURCE))
    return list(found.values())


def _sentence(title: str, following: list[str]) -> str:
    """Return the rest of a comment's line and following lines of the comment, up to the end of a sentence."""
    title = last = title.strip()
    for line in following:
        text = _END.sub("", line[_OPENING.match(line).end() :]).strip()  # type: ignore[union-attr]
        goes_on = text[:1].islower() or len(last) >= _WRAPPED or last.endswith((",", ";", "(", "-"))
        ends = _END.search(last) or _SENTENCE_ENDS.search(last) or len(title) > MAX_EXTRACTED_TITLE_CHARS
        if not text or ends or not goes_on or _NEW_POINT.match(text):
            break
        title, last = f"{title} {text}", line.rstrip()
    title = _END.sub("", title).strip().rstrip(";").rstrip()
    whole = list(_SENTENCES.finditer(title, 0, MAX_EXTRACTED_TITLE_CHARS))
    if whole and last != title and (len(title) > MAX_EXTRACTED_TITLE_CHARS or not _SENTENCE_ENDS.search(title)):
        return title[: whole[-1].end()].rstrip()
    return (
        title
        if len(title) <= MAX_EXTRACTED_TITLE_CHARS or last == title
        else shorten(title, MAX_EXTRACTED_TITLE_CHARS, placeholder=" …")
    )


def _asks(title: str) -> bool:
    """Return whether there is something to do: not for a bare name or address, nor for a description of the state of the
    code."""
    words = _WORD.findall(_STATE.sub("", _URL.sub("", title)))
    return len(words) > 1 or (len(words) == 1 and not title.endswith("?") and not _IDENTIFIER.fullmatch(words[0]))


def _comment_lines(path: str, text: str) -> Iterator[str]:
    """Return the lines of comments, an empty one after each comment, if any contains such a mark. The lexer runs only if
    a text match is found; without a lexer for the file name, the text match decides."""
    if not any(mark in text for mark in _PRIORITY):
        return iter(())
    lines = text.splitlines()
    if any(len(line) <= _LINE_LIMIT and _COMMENT.search(line) for line in lines):
        from pygments.lexers import find_lexer_class_for_filename

        lexer = find_lexer_class_for_filename(path)
        if lexer is not None:
            return (line if len(line) <= _LINE_LIMIT else "" for line in _lexed(lexer().get_tokens(text)))
        return (line if len(line) <= _LINE_LIMIT and _STARTS.match(line) else "" for line in lines)
    return iter(())


def _lexed(tokens: Iterable[tuple[Any, str]]) -> Iterator[str]:
    """Yield the lines of comments among tokens. Comments separated only by white space are joined."""
    from pygments.token import Comment, is_token_subtype

    alone, breaks = True, 0  # whether the line is empty so far; line ends since the last comment
    for kind, value in tokens:
        if is_token_subtype(kind, Comment):
            if not alone or breaks > 1:
                yield ""
            yield from value.splitlines()
            breaks = value.count("\n", len(value.rstrip()))
        else:
            breaks += value.count("\n")
            if value.strip():
                alone = False
                yield ""
        alone = alone or "\n" in value
