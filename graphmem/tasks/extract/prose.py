"""Extracts from text of people and agents TODO lines and what blocks what, in English and Korean. Only explicit forms
count; sentences that need interpretation are ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.tasks.formats.records import TaskRecord

MAX_EXTRACTED_TITLE_CHARS = 160  # characters; a longer "title" is a paragraph
_TODO = re.compile(
    r"^[ \t>*+-]{0,20}(?:\*\*)?(?:TODO|FIXME|ACTION ITEM|FOLLOW[- ]?UP|할 ?일|후속 ?작업)"
    r"(?:\((?P<who>[^)\n]{1,40})\))?(?:\*\*)?\s*[:：](?:\*\*)?\s*(?P<title>\S[^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_CLAUSE = r"[^.!?;\n]"
# "The release is still blocked by the licence check."
_BLOCKED = re.compile(
    rf"""(?:^|(?<=[.!?;:]\s)|(?<=\n))           # the start of a sentence
    [ \t>*+-]{{0,20}}(?P<task>{_CLAUSE}{{0,120}}?)\s*
    \b(?:(?:is|are|was|were|remains?|stays?|still|currently|now|,)\s+)*
    (?:blocked|stuck|held\ up)\s+(?:by|on|until|because\ of|waiting\ (?:for|on))[: ]\s*
    (?P<why>[^;\n]{{3,200}}?)(?=\.?\s*(?:\n|$)|[.!?;]\s)""",
    re.IGNORECASE | re.VERBOSE,
)
# "배포는 라이선스 확인 때문에 막혔다"
_BLOCKED_KOREAN = re.compile(
    r"""(?:^|(?<=[.!?]\s)|(?<=\n))
    [\s>*+-]*(?:(?P<task>[^.!?\n]{2,80}?)(?:은|는|이|가)\s+)?
    (?P<why>[^.!?\n]{2,120}?)
    (?:\s*(?:때문에|으로\ 인해|로\ 인해|에\ 의해|에|을\ 기다리느라|를\ 기다리느라))\s*
    (?:작업이\s*|지금\s*|현재\s*)?
    (?:막혔|막혀|막힌|차단됐|차단되|차단돼|블록됐|블록되|중단됐|중단되)""",
    re.VERBOSE,
)
# "The release can't ship until QA signs off"
_UNTIL = re.compile(
    rf"""^[ \t>*+-]{{0,20}}(?P<task>(?:(?!\b(?:can't|cannot|can\ not)\b){_CLAUSE}){{1,120}}?)
    \s+(?:can't|cannot|can\ not|must\ not)\s+(?:be\s+)?[a-z]+{_CLAUSE}{{0,60}}?
    \s(?:until|before)\s+(?P<why>{_CLAUSE}{{3,200}}?)\.?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
# "We are waiting for the licence"
_WAITING = re.compile(
    rf"""^[ \t>*+-]{{0,20}}(?P<task>{_CLAUSE}{{1,120}}?)
    \s+(?:is|are|am|'s|'re)\s+(?:still\s+)?waiting\s+(?:for|on)\s+
    (?P<why>{_CLAUSE}{{3,200}}?)\.?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
# "라이선스 확인 대기"
_WAITING_KOREAN = re.compile(
    r"""^[\s>*+-]*(?:(?P<task>[^.!?\n:]{2,80}?)(?:은|는|이|가|:)\s+)?
    (?P<why>[^.!?\n]{2,60}?)(?:을|를)?\s*
    (?:대기\ ?중|대기|기다리는\ 중)(?:이다|입니다|이에요)?[.]?\s*$""",
    re.VERBOSE,
)
_BOX = re.compile(r"^[ \t]{0,8}(?:[-*+]|\d{1,2}[.)]) \[(?P<mark>[ xX])\] (?P<title>\S[^\n]*)$", re.MULTILINE)
_CUE = re.compile(r"blocked|stuck|held up|막[혔혀힌]|차단|블록|중단|waiting|until|before|대기|기다리", re.IGNORECASE)
_MAX_LINE_CHARS = 1_000  # characters; longer lines are data
_OWN = re.compile(
    r"\A(?:i|we|it|this|that|work|progress|저|우리|이것|그것|이 작업|작업)?\s*(?:am|are|is|'m|'re)?\Z", re.IGNORECASE
)
_MARKS = re.compile(r"[*_`]{1,3}")


def tasks_of_todos(text: str) -> Iterator[TaskRecord]:
    """Yield tasks from TODO lines outside of code blocks."""
    text = _FENCED.sub("", text)
    for match in _TODO.finditer(text):
        title = _clean(match["title"])
        if 3 <= len(title) <= MAX_EXTRACTED_TITLE_CHARS:
            fields = {"title": title} | ({"assignee": match["who"].strip()} if match["who"] else {})
            yield TaskRecord("", fields, source="text")


def tasks_of_checklist(text: str) -> Iterator[TaskRecord]:
    """Yield the tasks of a checklist of at least two boxes, outside of code blocks: open, or done where the box is ticked."""
    boxes = list(_BOX.finditer(_FENCED.sub("", text)))
    for match in boxes if len(boxes) > 1 else ():
        title = _clean(match["title"])
        if 3 <= len(title) <= MAX_EXTRACTED_TITLE_CHARS:
            yield TaskRecord("", {"title": title}, "done" if match["mark"] in "xX" else "pending", source="text")


def blocked(text: str) -> Iterator[TaskRecord]:
    """Yield what is blocked and by what (`waits`). An empty title means the current work."""
    lines = [line for line in _FENCED.sub("", text).split("\n") if len(line) <= _MAX_LINE_CHARS and _CUE.search(line)]
    forms = (_BLOCKED, _BLOCKED_KOREAN, _UNTIL, _WAITING, _WAITING_KOREAN)
    for match in (match for line in lines for form in forms for match in form.finditer(line)):
        title, why = _clean(match["task"] or ""), _clean(match["why"])
        if why and len(title) <= MAX_EXTRACTED_TITLE_CHARS:
            title = "" if _OWN.match(title) else title
            yield TaskRecord("", {"title": title}, "", waits=[why], source="text", only_known=True)


def _clean(words: str) -> str:
    return _MARKS.sub("", words).strip(" \t,:–—-.").strip()
