"""Finds what users marked private: `<private>…</private>`, `[private]…[/private]`, HTML comments.
Tags inside fenced or inline code are literal text; one without its end hides the rest where it plainly begins a section.
Replacing the sections is for `filter`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from graphmem.privacy.patterns import compile_pattern

PRIVATE = "private"  # the kind of what users marked; every other kind is one of secrets
TAG = r"""(?ix)
    (?P<angle_open>   <private(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=`]+))*\s*/?>)
  | (?P<angle_close>  </private\s*>)
  | (?P<bracket_open> \[private\])             | (?P<bracket_close> \[/private\])
  | (?P<comment_open> <!--\s{0,9}private\s{0,9}-->) | (?P<comment_close> <!--\s{0,9}/private\s{0,9}-->)
"""
_WORD, _BEFORE = "private", 14  # characters of a tag before the word
_SIGNS = " \t>+-*#/;%|"  # next to a tag that stands alone on its line: of comments, lists, quotes and patches
_HOLLOW = "<private>-</private>"
FENCE = r"(?m)^[ \t>]*(`{3,}|~{3,})([^\n]*)$"


class Section(NamedTuple):
    """`text[start:end]` with both tags; `inner` is what is between them."""

    start: int
    end: int
    inner: str


class PrivateSections(NamedTuple):
    """The private sections in order, disjoint; `unclosed` contains the start of each opening tag that is never closed,
    including a tag whose section extends to the end."""

    sections: tuple[Section, ...]
    unclosed: tuple[int, ...]


class _Tag(NamedTuple):
    start: int
    end: int
    syntax: str
    opens: bool
    literal: bool


def has_tags(text: str) -> bool:
    """Return whether there is any tag at all, be it literal text in code."""
    return next(find_tags(text), None) is not None


def find_tags(text: str) -> Iterator[re.Match[str]]:
    """Yield all tags in order, be they literal text in code; looked for only around the word that all of them hold."""
    lower, tag = text.lower(), compile_pattern(TAG)
    if len(lower) != len(text):  # a few letters (such as `İ`) grow
        yield from tag.finditer(text)
        return
    done = 0
    for word in compile_pattern(_WORD).finditer(lower):
        head = lower[max(0, word.start() - _BEFORE) : word.start()]
        at = word.start() - len(head) + max(head.rfind("<"), head.rfind("["))
        match = tag.match(text, at) if at >= max(done, word.start() - len(head)) else None
        if match is not None:
            done = match.end()
            yield match


def strip_private_sections(text: str, *, strict: bool = False) -> str:
    """Return the text with nothing left in its private sections, but as many lines. What is to be cut into pieces is
    made hollow first: in a piece a section may lack its tags. The pieces still tell that there was one, so that it is
    counted and replaced as any other."""
    if not has_tags(text):
        return text
    pieces, at = [], 0
    for section in private_sections(text, strict=strict).sections:
        if section.inner.strip():
            pieces += [text[at : section.start], _HOLLOW, "\n" * text.count("\n", section.start, section.end)]
            at = section.end
    return "".join([*pieces, text[at:]])


def hollowed_parts(parts: Sequence[str], *, strict: bool = False) -> list[str]:
    """Return the same for parts of one text, of which a section may begin in one and end in another."""
    lines = iter(strip_private_sections("\n".join(parts), strict=strict).split("\n"))
    return ["\n".join(islice(lines, part.count("\n") + 1)) for part in parts]


def private_sections(text: str, *, strict: bool = False) -> PrivateSections:
    """Return sections between matching tags of one syntax; of nested ones the outermost. A tag without its end hides the rest where
    it plainly begins a section, or wherever it stands if `strict`. Linear in the length of `text`."""
    if "private" not in text.lower():
        return PrivateSections((), ())
    found = list(_tags(text))
    pairs, unclosed = _pairs(tag for tag in found if not tag.literal)
    if unclosed:
        # A stray backtick inside a section could make its closing tag look like code: rather hide than leak.
        more, unclosed = _pairs(tag for tag in found if not (tag.literal and tag.opens))
        pairs += more
    sections: list[Section] = []
    for opening, closing in sorted(set(pairs)):
        start, end = opening.start, closing.end
        if sections and start < sections[-1].end:
            last = sections.pop()
            sections.append(Section(last.start, max(last.end, end), text[last.start : max(last.end, end)]))
        else:
            sections.append(Section(start, end, text[opening.end : closing.start]))
    hidden = [(section.start, section.end) for section in sections]
    unclosed = [tag for tag in unclosed if not _within(hidden, tag.start)]
    first = len(text) - len(text.lstrip())
    for tag in unclosed:
        if strict or _begins(text, tag, first):
            sections = [section for section in sections if section.end <= tag.start]
            sections.append(Section(tag.start, len(text), text[tag.end :]))
            break
    return PrivateSections(tuple(sections), tuple(tag.start for tag in unclosed))


def _begins(text: str, tag: _Tag, first: int) -> bool:
    """Return whether an opening tag begins a section, rather than being mentioned: it stands alone on its line, or is
    the `first` of a text. (What begins with `[private]` may be a title.)"""
    if tag.start == first and tag.syntax != "bracket":
        return True
    start, end = tag.start, tag.end
    while start and text[start - 1] in _SIGNS:
        start -= 1
    while end < len(text) and text[end] in _SIGNS:
        end += 1
    return (not start or text[start - 1] == "\n") and (end == len(text) or text[end] in "\r\n")


def _tags(text: str) -> Iterator[_Tag]:
    code = list(_code(text))
    for match in find_tags(text):
        syntax, _, side = (match.lastgroup or "").rpartition("_")
        if match[0] in ("[PRIVATE]", "[/PRIVATE]"):
            syntax = "marker"  # what `filter` writes: a pair only with a closing tag in capitals
        yield _Tag(*match.span(), syntax, side == "open", _within(code, match.start()))


def _pairs(tags: Iterable[_Tag]) -> tuple[list[tuple[_Tag, _Tag]], list[_Tag]]:
    """Return each closing tag with the last open one of its syntax, and the opening tags that are left over."""
    pairs: list[tuple[_Tag, _Tag]] = []
    stacks: dict[str, list[_Tag]] = {}
    for tag in tags:
        stack = stacks.setdefault(tag.syntax, [])
        if tag.opens:
            stack.append(tag)
        elif stack:
            pairs.append((stack.pop(), tag))
    left = [tag for syntax, stack in stacks.items() if syntax != "marker" for tag in stack]
    return pairs, sorted(left)


def _within(intervals: list[tuple[int, int]], at: int) -> bool:
    """Return whether one of the sorted, disjoint intervals holds the offset."""
    i = bisect_right(intervals, (at, len(intervals) and intervals[-1][1])) - 1
    return i >= 0 and intervals[i][0] <= at < intervals[i][1]


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Fenced blocks that are closed, and inline code within a line, in order."""
    at = 0
    for start, end in _fences(text):
        yield from _inline(text, at, start)
        yield start, end
        at = end
    yield from _inline(text, at, len(text))


def _fences(text: str) -> Iterator[tuple[int, int]]:
    opening: re.Match[str] | None = None
    for fence in compile_pattern(FENCE).finditer(text):
        if opening is None:
            opening = fence if "`" not in fence[2] else None
        elif fence[1].startswith(opening[1]) and not fence[2].strip():
            yield opening.start(), fence.end()
            opening = None


def _inline(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for token in compile_pattern(r"`+|\n").finditer(text, start, end):
        if token[0] != "\n":
            runs.append(token.span())
        elif runs:
            yield from _paired(runs)
            runs = []
    yield from _paired(runs)


def _paired(runs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Inline code of one line: from each run of backticks to the next of the same length."""
    partner: list[int] = [0] * len(runs)
    latest: dict[int, int] = {}
    for i in reversed(range(len(runs))):
        length = runs[i][1] - runs[i][0]
        partner[i] = latest.get(length, 0)
        latest[length] = i
    i = 0
    while i < len(runs):
        if partner[i]:
            yield runs[i][0], runs[partner[i]][1]
            i = partner[i]
        i += 1
