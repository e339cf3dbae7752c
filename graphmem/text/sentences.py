"""Splits English, Korean and mixed text into sentences by rules: wrapped prose is joined; list items, headings, log lines
and code blocks are separate. Returns offsets. Linear in the text; no spaCy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.patterns import compile_later
from graphmem.text.entities.wordlists import word_set

# All patterns for lines are matched against the line without the white space around it.
FENCE = compile_later(r"(```++|~~~++)")
# Lines that never continue the line before them: list items, headings, quotes, table rows, prompts, frames of a stack
# trace, and "word: ...".
STARTS_ALONE = compile_later(
    r"(?:[-*+•·▪◦‣]\s|\d{1,3}[.)]\s|[a-zA-Z][.)]\s|\(\d{1,3}\)\s|\#{1,6}\s|>|\||[$%❯]\s|\.\.\."
    r"|at \S{1,200}\(|File \"|Traceback"
    r"|[①-⑳○●■□▶✓✗✅❌]|[\w.-]{1,60}(?:\([\w.-]{1,40}\))?!?:\s)"
)
# Lines of a log: a time, a level or a bracketed tag at the start.
LOG = compile_later(
    r"(?:\[[^\]\n]{1,40}\]|(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|FAIL|FAILED|PASS|PASSED|OK|E|W|I)\b[ :\]])"
)
RULE = compile_later(r"([-=_*~#])\1{2,}$")
ASSIGNMENT = compile_later(r"[\w.\[\]\"']{1,80} ?(?:[-+*/|&]?=|:=|->) ")
STATEMENT = compile_later(
    r"(?:def|class|import|from|return|if|for|while|func|fn|let|const|var|public|private|static)\b"
)

TERMINATOR = compile_later(r"[.!?…]+[\"'”’)\]»*_`]*(?=\s|$)|[。！？]+[\"'”’」』)\]]*")
INLINE_CODE = compile_later(r"`[^`\n]+`")
ABBREVIATIONS = word_set(
    """
    e.g i.e etc vs cf al approx ca resp incl excl est fig figs eq eqs sec ch no nos vol pp p mr mrs ms dr prof
    st jr sr rev gen inc ltd co corp dept univ jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu
    fri sat sun a.m p.m u.s u.k ph.d viz
    """
)
ALWAYS_MORE = word_set("e.g i.e vs cf approx fig figs eq eqs mr mrs ms dr prof viz ca resp")
LAST_WORD = compile_later(r"[\w.]+$")
KOREAN_END = compile_later(r"(?:다|요|죠|까|함|음|임|됨|중|것|완료|예정|니다)[.!?~)]*$")
KOREAN_CLAUSE = compile_later(
    r"[a-z][\w/-]{1,30} ?[가-힣]"
)  # "commit it. commit 메시지는 …": a name opens a Korean sentence
WRAP = 40  # a shorter line was hardly wrapped by its writer


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each sentence, in order and disjoint, without white space around them; together they
    hold every visible character of `text`. A fenced code block is one sentence."""
    return [
        span
        for start, end, prose in _blocks(text)
        for span in (_split_prose(text, start, end) if prose else _trimmed(text, start, end))
    ]


def sentences(text: str) -> list[str]:
    """Return the sentences themselves."""
    return [text[start:end] for start, end in split_sentences(text)]


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whether it is prose) of the parts of `text` in which no sentence crosses a border."""
    start, fence, before = 0, "", ""
    place = 0
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line.lstrip())
        if fence:
            if mark and mark[1].startswith(fence):
                yield start, place + len(line), False
                start, fence, before = place + len(line), "", ""
        elif mark:
            yield start, place, True
            start, fence = place, mark[1]
        elif not _continues(before, line):
            yield start, place, not _is_code(before.strip())
            start, before = place, line
        else:
            before = line
        place += len(line)
    yield start, place, not fence and not _is_code(before.strip())


def _continues(before: str, line: str) -> bool:
    """Return whether `line` continues with the sentence of the line before it."""
    last, first = before.strip(), line.strip()
    if not last or not first or _stands_alone(first) or RULE.match(last) or _is_code(last):
        return False
    if (
        last.startswith(("#", "|", "$ ", ">"))
        or LOG.match(last)
        or last[-1] in ".!?…:。！？"
        or KOREAN_END.search(last[-12:])
    ):
        return False
    if _indent(line) >= 4 > _indent(before) and not STARTS_ALONE.match(last):
        return False
    return first[0].islower() or len(last) >= WRAP or last[-1] in ",;(-—"


def _stands_alone(line: str) -> bool:
    return any(pattern.match(line) for pattern in (STARTS_ALONE, LOG, RULE)) or _is_code(line)


def _is_code(line: str) -> bool:
    """Return whether a line without white space around it is a statement of a program."""
    if line.endswith((";", "{")) or not line.strip("})];,"):
        return bool(line)
    return ASSIGNMENT.match(line) is not None or (line.endswith((":", ")")) and STATEMENT.match(line) is not None)


def _indent(line: str) -> int:
    """Return the width of the white space that a line starts with; a tab is as wide as four spaces."""
    return sum(4 if c == "\t" else 1 for c in line[: len(line) - len(line.lstrip())])


def _split_prose(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    block = text[start:end]
    code = [span.span() for span in INLINE_CODE.finditer(block)] if "`" in block else []
    at, begin = 0, 0
    for match in TERMINATOR.finditer(block):
        while at < len(code) and code[at][1] <= match.start():
            at += 1
        inside = at < len(code) and code[at][0] < match.start()
        if not inside and _ends(block, match):
            yield from _trimmed(text, start + begin, start + match.end())
            begin = match.end()
    yield from _trimmed(text, start + begin, end)


def _ends(block: str, match: re.Match[str]) -> bool:
    """Return whether the mark ends a sentence here, rather than an abbreviation, a number or an aside."""
    mark = match.group()
    following = block[match.end() : match.end() + 40].lstrip()
    if not following or mark[0] in "。！？":
        return True
    before = LAST_WORD.search(block, max(0, match.start() - 20), match.start())
    word = before.group().lower() if before else ""
    if mark[0] == "." and len(mark) == 1:
        if word in ALWAYS_MORE or (word in ABBREVIATIONS and not following[0].isupper()):
            return False
        if (
            len(word) == 1
            and word.isalpha()
            and word != "i"
            and block[match.start() - 1].isupper()
            and following[0].isupper()
        ):
            return False  # the initial of a name
        if word.isdigit() and len(word) <= 2 and match.start() - len(word) == _first_visible(block):
            return False  # the number of a list item
    return not following[0].islower() or (len(word) > 1 and word.isalpha() and bool(KOREAN_CLAUSE.match(following)))


def _first_visible(block: str) -> int:
    return len(block) - len(block.lstrip())


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    if part.strip():
        left = len(part) - len(part.lstrip())
        yield start + left, start + len(part.rstrip())
