"""Splits long texts into passages, the unit that is indexed, embedded, ranked and shown: a few paragraphs, list items or
lines of code, at most about 200 tokens, below their nearest heading. Returns offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from graphmem.text.fences import fence_after

MAX_TOKENS = 200  # tokens of a passage
WHOLE = 260  # tokens up to which a text stays in one piece: two halves would each lack their context
_MIN_TOKENS = 50  # tokens: a shorter rest belongs to the passage before it, a shorter beginning waits for more
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$|\*\*([^*\n]{2,80}?)[:：]?\*\*[:：]?\s*$")
_SENTENCE = re.compile(r"[.!?。！？…][\"'”’)\]*_`]*\s+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_DEEPEST = 7  # level of a line in bold, below every numbered heading


class Passage(NamedTuple):
    """Characters `start` to `end` of a text, and the headings above them within it, joined by " › "."""

    start: int
    end: int
    heading: str


class _Block(NamedTuple):
    start: int
    end: int
    heading: str
    opens: bool  # it begins with a heading


def split_passages(text: str) -> list[Passage]:
    """Return the passages of `text` in order, disjoint and without white space around them. A text that is short enough
    to be found as a whole has none."""
    if approximate_tokens(text) <= WHOLE:
        return []
    found: list[Passage] = []
    start = end = size = 0
    heading = ""
    for block in _pieces(text):
        cost = approximate_tokens(text[block.start : block.end])
        if size and (size + cost > MAX_TOKENS or (block.opens and size >= _MIN_TOKENS)):
            found.append(Passage(start, end, heading))
            size = 0
        if not size:
            start = block.start
        if not size or block.opens:  # a heading that waited for more
            heading = block.heading
        end, size = block.end, size + cost
    if size:
        short = size < _MIN_TOKENS and found and found[-1].heading == heading
        found[-1:] = [Passage(found[-1].start, end, heading)] if short else [*found[-1:], Passage(start, end, heading)]
    return [_trimmed(text, *one) for one in found] if len(found) > 1 else []


def _trimmed(text: str, start: int, end: int, heading: str) -> Passage:
    part = text[start:end]
    return Passage(start + len(part) - len(part.lstrip()), start + len(part.rstrip()), heading)


def approximate_tokens(text: str) -> int:
    """Return about how many tokens `text` has: four ASCII characters each, 1.7 for a Korean syllable. Exact to a fifth,
    and a hundred times faster than counting."""
    if text.isascii():
        return (len(text) + 3) // 4
    extra = len(text.encode("utf-8", "replace")) - len(text)  # two for a syllable
    return int(len(text) / 4 + 0.72 * extra) + 1


def _pieces(text: str) -> Iterator[_Block]:
    """Paragraphs and blocks of code; those that are too long in lines, then in sentences, then in words."""
    for block in _blocks(text):
        opens = block.opens
        for start, end in _fitting(text, block.start, block.end):
            yield _Block(start, end, block.heading, opens)
            opens = False


def _fitting(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if approximate_tokens(text[start:end]) <= MAX_TOKENS:
        yield start, end
        return
    for left, right in _lines(text, start, end):
        if approximate_tokens(text[left:right]) <= MAX_TOKENS:
            yield left, right
        else:
            yield from _sentences(text, left, right)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if text[start:stop].strip():
            yield start, stop
        start = stop + 1


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    last = start
    for match in _SENTENCE.finditer(text, start, end):
        yield from _words(text, last, match.end())
        last = match.end()
    yield from _words(text, last, end)


def _words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a run without sentences, cut at blanks if there are some."""
    last = max((match.end() - 1 for match in _NOT_ASCII.finditer(text, start, end)), default=-1)
    while end - start > 4 * MAX_TOKENS or approximate_tokens(text[start:end]) > MAX_TOKENS:
        room = MAX_TOKENS * 4 if last < start else MAX_TOKENS // 2
        blank = text.rfind(" ", start + room // 2, start + room)
        stop = blank if blank > start else start + room
        yield start, stop
        start = stop
    if text[start:end].strip():
        yield start, end


def _blocks(text: str) -> Iterator[_Block]:
    """Runs of lines between blank ones and headings; a fenced block of code is one."""
    above: list[tuple[int, str]] = []
    start = stop = -1
    at, open_fence, opens, named = 0, "", False, False
    for line in text.splitlines(keepends=True):
        begin, at = at, at + len(line)
        fenced, open_fence, blank = bool(open_fence), fence_after(line, open_fence), not line.strip()
        fence = fenced != bool(open_fence)  # this line opens or closes a block
        match = None if fenced or fence else _HEADING.match(line)
        if start >= 0 and not fenced and ((blank and not named) or match or fence):
            yield _Block(start, stop, _path(above), opens)
            start = -1
        if match:
            level = len(match[1]) if match[1] else _DEEPEST
            above = [*(one for one in above if one[0] < level), (level, match[2] or match[3])]
        if blank and not open_fence:
            continue
        if start < 0:
            start, opens = begin + len(line) - len(line.lstrip()), bool(match)
        named = bool(match)  # a heading stays with what follows it
        stop = begin + len(line.rstrip())
        if fence and not open_fence:
            yield _Block(start, stop, _path(above), opens)
            start = -1
    if start >= 0:
        yield _Block(start, stop, _path(above), opens)


def _path(above: list[tuple[int, str]]) -> str:
    return " › ".join(title for _, title in above)
