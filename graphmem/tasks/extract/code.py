"""Extracts TODO, FIXME, HACK and XXX comments from code in any language that pygments supports. The mark must be at the
start of a comment or of a docstring's line, not in another string; the comment is read to the end of its sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import shorten
from typing import Any

from graphmem.patterns import compile_later
from graphmem.tasks.extract.prose import MAX_EXTRACTED_TITLE_CHARS
from graphmem.tasks.formats.records import TaskRecord

_COMMENT = compile_later(
    r"(?:^|\s)(?:#+|//+!?|/\*+|\*|--|;+|%+|<!--|\.\.)\s*"
    r"(?:@?(?P<mark>TODO|FIXME|HACK|XXX)|@(?P<tag>(?i:todo|fixme))|(?P<low>(?i:todo|fixme|hack|xxx)(?=\s*[:：(\[]|\s+-\s)"
    r"|(?i:todo|fixme)(?!\s+(?:lists?|apps?|items?)\b)(?=\s+\w)))\b"
    r"(?:[(\[](?P<who>[^)\]\n]{1,60})[)\]])?\s*(?:[:：-]\s*|\s|$)(?P<title>.*)$"
)
# In docstrings, which are prose, a mark needs capitals and a colon, a name or a dash behind it; or it is a directive of Sphinx.
_IN_DOCSTRING = compile_later(
    r"^\s*(?:[rRuUbB]{0,2}(?:\"\"\"|\'\'\'))?\s*(?:[-*•]\s+)?"
    r"(?:@todo\b|\.\.\s+todo::|(?:TODO|FIXME|HACK|XXX)(?=\s*[:：(\[]|\s+-\s))"
)
_DIRECTIVE = compile_later(r"\.\.\s+todo::")
_ADDRESSED = compile_later(r"(?:@(?P<who>[\w.-]{1,60})|(?P<issue>#\d+))[:,]?\s+(?=\S)")
_ANY_MARK = compile_later(r"(?i)todo|fixme|hack|xxx")
_END = compile_later(r"\s*(?:\*/|-->)\s*$")
_OPENING = compile_later(r"\s*(?:#+|//+!?|/\*+|\*(?!/)|--|;+|%+|<!--)?\s*")
_SENTENCE_ENDS = compile_later(r"[.!?。][\"'`)]*$")
_SENTENCES = compile_later(r"(?<=[\w`\"')]{3})[.!?。](?=\s+\S)|(?<=\d\.\d\d)\.(?=\s+[A-Z])")
_NEW_POINT = compile_later(
    r"[-*•@\\:]|\w{1,2}[.)]\s|(?:TODO|FIXME|HACK|XXX|NOTE|NB)\b"
    r"|(?i:todo|fixme)\b|nolint\b|.*\s(?://|#)\s*(?:TODO|FIXME)\b"
)
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
    r"\s*(?:#+|//+!?|/\*+|\*|--|;+|%+|<!--)|.*\s(?:#|//|/\*|--|;|<!--)\s*@?(?i:TODO|FIXME|HACK|XXX)\b"
)
_DOCUMENTS = (".md", ".mdx", ".rst", ".txt", ".adoc", ".org")
_HIDDEN = compile_later(r"\s*(?:<!--|\.\. )")
_LINE_LIMIT = 1_000  # characters; longer lines are generated


def tasks_of_comments(path: str, text: str, at: int | None = None) -> list[TaskRecord]:
    """Return one record per comment, with its file; `TODO(name)` names an assignee or, if it looks like one, an issue."""
    return [record for _, record in notes_of_comments(path, text, at) if record.fields["title"]]


def notes_of_comments(path: str, text: str, at: int | None = None) -> list[tuple[int, TaskRecord]]:
    """Return the same records, each with the line of its mark, and marks that say nothing with an empty title. A mark alone in
    its line belongs to the line of the comment that directly follows it, if any."""
    found: dict[str | int, tuple[int, TaskRecord]] = {}
    lines = list(_comment_lines(path, text))
    comments = [line for _, line in lines]
    for place, (number, line) in enumerate(lines):
        match = _COMMENT.search(line)
        if match is None:
            continue
        mark = (match["mark"] or match["tag"] or match["low"]).upper()
        title, who = match["title"].strip(), (match["who"] or "").strip()
        following = comments[place + 1 :]
        is_alone = not _END.sub("", title)
        if is_alone:
            goes_on = (
                not title and following and lines[place + 1][0] == number + 1 and not _COMMENT.search(following[0])
            )
            title = _continued(following[0]) if goes_on else ""
            following = following[1:] if title else []
        if addressed := None if who else _ADDRESSED.match(title):
            who, title = addressed["who"] or addressed["issue"], title[addressed.end() :]
        title = _sentence(title, following)
        says_something = 3 <= len(title) <= MAX_EXTRACTED_TITLE_CHARS and _asks(title)
        if not says_something and not is_alone:
            continue
        title = title if says_something else ""
        fields = {"title": title, "files": [path], "labels": [mark.lower()], "priority": _PRIORITY[mark]}
        relations: dict[str, list[str]] = {}
        if _NAME.match(who):
            relations["related"] = [who]
        elif who:
            fields["assignee"] = who
        record = TaskRecord("", fields, relations=relations, created=at, updated=at, source=SOURCE)
        found.setdefault(title or number, (number, record))
    return list(found.values())


def _continued(line: str) -> str:
    """Return the text of a further line of a comment."""
    return _END.sub("", line[_OPENING.match(line).end() :]).strip()  # type: ignore[union-attr]


def _sentence(title: str, following: list[str]) -> str:
    """Return the rest of a comment's line and following lines of the comment, up to the end of a sentence."""
    title = last = title.strip()
    for line in following:
        text = _continued(line)
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


def _comment_lines(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Return the lines of comments with their numbers, an empty one after each comment, if any contains such a mark. The lexer
    runs only if a text match is found; without a lexer for the file name, the text match decides. Of documents, only hidden
    comments count."""
    if not _ANY_MARK.search(text):
        return iter(())
    lines = list(enumerate(text.splitlines(), 1))
    marked = (line for _, line in lines if len(line) <= _LINE_LIMIT)
    if any(_COMMENT.search(line) or _IN_DOCSTRING.match(line) for line in marked):
        if path.lower().endswith(_DOCUMENTS):
            return ((n, line) for n, line in lines if len(line) <= _LINE_LIMIT and _HIDDEN.match(line))
        from pygments.lexers import find_lexer_class_for_filename

        lexer = find_lexer_class_for_filename(path)
        if lexer is not None:
            lexed = _lexed(lexer(stripnl=False).get_tokens(text))
            return ((n, line if len(line) <= _LINE_LIMIT else "") for n, line in lexed)
        return ((n, line if len(line) <= _LINE_LIMIT and _STARTS.match(line) else "") for n, line in lines)
    return iter(())


def _lexed(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[int, str]]:
    """Yield the lines of comments among tokens, with their numbers. Comments separated only by white space are joined."""
    from pygments.token import Comment, String, is_token_subtype

    alone, breaks = True, 0  # whether the line is empty so far; line ends since the last comment
    number = 1
    for kind, value in tokens:
        if is_token_subtype(kind, Comment):
            if not alone or breaks > 1:
                yield number, ""
            yield from enumerate(value.splitlines(), number)
            breaks = value.count("\n", len(value.rstrip()))
        elif kind is String.Doc:
            yield number, ""
            yield from enumerate(map(_as_comment, value.splitlines()), number)
            breaks = 2
        else:
            breaks += value.count("\n")
            if value.strip():
                alone = False
                yield number, ""
        number += value.count("\n")
        alone = alone or "\n" in value


def _as_comment(line: str) -> str:
    """Return a line of a docstring as that of a comment if it has a mark; otherwise as one that has none."""
    text = line.strip().removesuffix('"""').removesuffix("'''").rstrip()
    if found := _IN_DOCSTRING.match(line):
        mark = found[0].lstrip().lstrip("rRuUbB\"'").lstrip("-*• ")
        return f"# {_DIRECTIVE.sub('TODO:', mark)}{line[found.end() :]}".removesuffix('"""').removesuffix("'''")
    return f"# | {text}" if _COMMENT.search(f"# {text}") else f"# {text}"
