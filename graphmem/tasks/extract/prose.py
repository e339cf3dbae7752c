"""What people and agents write about work: TODO lines, checklists, and what blocks what, in English and Korean. Only
explicit forms count; a sentence that needs interpretation is left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.tasks.exchange import markdown
from graphmem.tasks.exchange.records import Record

TITLE_LIMIT = 160  # characters; a longer "title" is a paragraph
_TODO = re.compile(
    r"^[\s>*+-]*(?:\*\*)?(?:TODO|FIXME|ACTION ITEM|FOLLOW[- ]?UP|할 ?일|후속 ?작업)(?:\((?P<who>[^)\n]{1,40})\))?(?:\*\*)?\s*[:：]"
    r"(?:\*\*)?\s*(?P<title>\S[^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_CLAUSE = r"[^.!?;\n]"
_BLOCKED = re.compile(
    rf"(?:^|(?<=[.!?;:]\s)|(?<=\n))[\s>*+-]*(?P<task>{_CLAUSE}{{0,120}}?)\s*\b(?:(?:is|are|was|were|remains?|stays?|"
    rf"still|currently|now|,)\s+)*(?:blocked|stuck|held up)\s+(?:by|on|until|because of|waiting (?:for|on))[: ]\s*"
    rf"(?P<why>[^;\n]{{3,200}}?)(?=\.?\s*(?:\n|$)|[.!?;]\s)",
    re.IGNORECASE,
)
_BLOCKED_KOREAN = re.compile(
    r"(?:^|(?<=[.!?]\s)|(?<=\n))[\s>*+-]*(?:(?P<task>[^.!?\n]{2,80}?)(?:은|는|이|가)\s+)?(?P<why>[^.!?\n]{2,120}?)"
    r"(?:\s*(?:때문에|으로 인해|로 인해|에 의해|에|을 기다리느라|를 기다리느라))\s*(?:작업이\s*|지금\s*|현재\s*)?"
    r"(?:막혔|막혀|막힌|차단됐|차단되|차단돼|블록됐|블록되|중단됐|중단되)"
)
_OWN = re.compile(
    r"\A(?:i|we|it|this|that|work|progress|저|우리|이것|그것|이 작업|작업)?\s*(?:am|are|is|'m|'re)?\Z", re.IGNORECASE
)
_MARKS = re.compile(r"[*_`]{1,3}")


def todos(text: str) -> Iterator[Record]:
    """Tasks that TODO lines and unchecked items of checklists announce."""
    for match in _TODO.finditer(text):
        title = _clean(match["title"])
        if 3 <= len(title) <= TITLE_LIMIT:
            fields = {"title": title} | ({"assignee": match["who"].strip()} if match["who"] else {})
            yield Record("", fields, source="text")
    yield from markdown.parse(text).records


def blocked(text: str) -> Iterator[Record]:
    """What is said to be blocked and by what (`waits`). An empty title means the work that is going on."""
    for match in (*_BLOCKED.finditer(text), *_BLOCKED_KOREAN.finditer(text)):
        title, why = _clean(match["task"] or ""), _clean(match["why"])
        if why and len(title) <= TITLE_LIMIT:
            title = "" if _OWN.match(title) else title
            yield Record("", {"title": title}, "", waits=[why], source="text", only_known=True)


def _clean(words: str) -> str:
    return _MARKS.sub("", words).strip(" \t,:–—-.").strip()
