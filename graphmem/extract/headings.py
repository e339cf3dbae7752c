"""Recognises the headings of Markdown, reStructuredText, AsciiDoc, Org, plain changelogs and YAML, line by line: linear in the
length of a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.fences import fence_after

_MAX_TITLE_CHARS = 200  # of a heading; a longer line above an underline is a paragraph
_MAX_LINE_CHARS = 300  # of a line that are looked at
_MAX_FRONT_MATTER_LINES = 100
_HASHES = compile_later(r"(#{1,6})\s+(.+?)\s*#*$")
_BAR = compile_later(r"(=|-)\1{2,}\s*$")
_NOT_A_TITLE = compile_later(r"\s|[-*+>|#`~]|\d+[.)]\s")  # how a Markdown line begins that is no paragraph
_ADORNMENT = compile_later(r"([^\w\s])\1{2,}\s*$")
_EQUALS_SIGNS = compile_later(r"(={1,6})\s+(\S.*?)\s*=*$")
_DELIMITER = compile_later(r"(-{4,}|\.{4,}|={4,}|\+{4,}|\*{4,}|_{4,}|/{4,}|```)\s*$")
_DATE = r"(?:\s*[-–—(:/,]*\s*[\w ,./-]{4,20}\)?)?"  # as changelogs write one after a version
_RELEASE = compile_later(rf"(\*\*|__)((?:[A-Za-z]+ )?v?\d+(?:\.\d+){{1,3}}[\w.+-]*{_DATE})\1:?({_DATE})\s*$")
_PLAIN_RELEASE = compile_later(rf"((?:[A-Z]\w*(?: \w+){{0,3}} )?v?\d+(?:\.\d+){{1,3}}[\w.+-]*{_DATE}):?\s*$")
_STARS = compile_later(r"(\*{1,8})\s+(\S.*?)(?:\s+:[\w:@]+:)?\s*$")
_YAML_TITLE = compile_later(r"(\s*(?:- +)?)(?:title|headline|heading|name): +(['\"]?)(\S.*?)\2\s*$")
_YAML_TEXT = compile_later(r"(\s*(?:- +)*)[\w-]+: *[|>][+-]?\d*\s*$")  # what follows, indented further, is text
_FRONT_TITLE = compile_later(r"title:\s*(['\"]?)(.+?)\1\s*$", re.IGNORECASE)
_MARKUP = (  # of a title: what it says stays
    (compile_later(r"!?\[([^][]*)\]\([^()\s]*\)"), r"\1"),
    (compile_later(r":[\w:+.-]+:`~?([^`<]+?)\s*(?:<[^`]*>)?`"), r"\1"),
    (compile_later(r"`([^`<]+?)\s*<[^`]*>`_*"), r"\1"),
    (compile_later(r"\s*\{#[^{}]*\}\s*$"), ""),
    (compile_later(r"</?[a-zA-Z][^<>]*>"), ""),
    (compile_later(r"``"), "`"),
)


class Heading(NamedTuple):
    """A heading: its depth (1 is the highest), its text without markup, and its first and last line (from 1)."""

    depth: int
    title: str
    first: int
    last: int


def find_headings(lines: Sequence[str], name: str) -> Iterator[Heading]:
    """Yield the headings of a document in order. The suffix of its file `name` decides the markup; any other is read as Markdown,
    `.txt` and a name without suffix as whichever of that and reStructuredText has more of them."""
    suffix = PurePath(name).suffix.lower()
    if suffix in (".adoc", ".asciidoc", ".rdoc"):
        yield from _after_equals_signs(lines)
    elif suffix == ".org":
        found = ((number, _STARS.match(line[:_MAX_LINE_CHARS])) for number, line in enumerate(lines, 1))
        yield from (_heading(len(one[1]), one[2], number, number) for number, one in found if one)
    elif is_yaml(suffix):
        yield from _titles_in_yaml(lines)
    elif suffix == ".rst":
        yield from _with_releases(lines, _underlined(lines))
    else:
        is_plain = suffix in (".txt", "")
        readings = (_markdown, _underlined) if is_plain else (_markdown,)
        headings = max([list(read(lines)) for read in readings], key=len)
        yield from _with_releases(lines, headings, is_plain=is_plain)


def is_yaml(name: str) -> bool:
    """Return whether a file name or suffix is that of YAML."""
    return name.lower().endswith((".yml", ".yaml"))


def said_in_yaml(text: str) -> str:
    """Return the texts that YAML holds as blocks (`body: |`), without their indentation."""
    return "\n".join(line.strip() for line, is_text in _read_yaml(text.splitlines()) if is_text)


def _read_yaml(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it belongs to a block of text."""
    indent = -1  # of the key whose text the lines are
    for line in lines:
        is_text = indent >= 0 and (not line.strip() or len(line) - len(line.lstrip()) > indent)
        yield line, is_text
        if not is_text:
            begins = _YAML_TEXT.match(line[:_MAX_LINE_CHARS])
            indent = len(begins[1]) if begins else -1


def _titles_in_yaml(lines: Sequence[str]) -> Iterator[Heading]:
    for number, (line, is_text) in enumerate(_read_yaml(lines), 1):
        if not is_text and (found := _YAML_TITLE.match(line[:_MAX_LINE_CHARS])):
            yield _heading(len(found[1]) + 1, found[3], number, number)


def _with_releases(lines: Sequence[str], headings: Iterable[Heading], *, is_plain: bool = False) -> Iterator[Heading]:
    """Yield the headings, and below each the releases of a changelog that stand there as bold lines: `**4.5.0** (2026-02-15)`; in
    plain text (`is_plain`) as any line behind a blank one: `Changes in 4.5.0`."""
    depth = last = 0
    for heading in [*headings, Heading(0, "", len(lines) + 1, 0)]:
        for number in range(last + 1, heading.first):
            line = lines[number - 1][:_MAX_LINE_CHARS]
            is_first = number < 2 or not lines[number - 2].strip()
            is_alone = is_first and not (number < len(lines) and lines[number].strip())
            if is_alone and (found := _RELEASE.match(line)):
                yield _heading(depth + 1, f"{found[2]}{found[3]}", number, number)
            elif is_plain and is_first and (found := _PLAIN_RELEASE.match(line)):
                yield _heading(depth + 1, found[1], number, number)
        if heading.last:
            yield heading
            depth, last = heading.depth, heading.last


def _markdown(lines: Sequence[str]) -> Iterator[Heading]:
    start, title = _read_front_matter(lines)
    if title:
        yield Heading(1, title, 1, start)
    fence = ""
    for number, line in enumerate(lines[start:], start + 1):
        if fence := fence_after(line, fence):
            continue
        if found := _HASHES.match(line[:_MAX_LINE_CHARS]):
            yield _heading(len(found[1]), found[2], number, number)
        elif (bar := _BAR.match(line)) and number - 1 > start and _is_paragraph_line(lines, number - 2):
            yield _heading(1 if bar[1] == "=" else 2, lines[number - 2], number - 1, number)


def _read_front_matter(lines: Sequence[str]) -> tuple[int, str]:
    """Return the number of lines of the YAML at the start of a page, and the title that it gives."""
    if not lines or lines[0].rstrip() != "---":
        return 0, ""
    for number, line in enumerate(lines[1:_MAX_FRONT_MATTER_LINES], 2):
        if line.rstrip() == "---":
            titles = (found for one in lines[1 : number - 1] if (found := _FRONT_TITLE.match(one[:_MAX_TITLE_CHARS])))
            found = next(titles, None)
            return number, found[2] if found else ""
    return 0, ""


def _is_paragraph_line(lines: Sequence[str], at: int) -> bool:
    """Return whether a line can be the whole paragraph that an underline makes a heading."""
    line = lines[at]
    is_alone = at == 0 or not lines[at - 1].strip()
    return is_alone and 0 < len(line.strip()) <= _MAX_TITLE_CHARS and not _NOT_A_TITLE.match(line)


def _underlined(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield headings with a line of punctuation below, or also above. Each style that is new is one deeper than those before."""
    styles: list[tuple[str, bool]] = []
    for at in range(1, len(lines)):
        title, below = lines[at - 1].strip(), _ADORNMENT.match(lines[at])
        if not below or not title or len(title) > _MAX_TITLE_CHARS or _ADORNMENT.match(title):
            continue
        above = _ADORNMENT.match(lines[at - 2]) if at > 1 else None
        is_between = bool(above and above[1] == below[1])
        if not is_between and (lines[at - 1][0].isspace() or (at > 1 and lines[at - 2].strip())):
            continue  # a paragraph, or the rule of a table
        if len(lines[at].rstrip()) < min(len(title), 4):
            continue
        style = (below[1], is_between)
        if style not in styles:
            styles.append(style)
        yield _heading(styles.index(style) + 1, title, at - 1 if is_between else at, at + 1)


def _after_equals_signs(lines: Sequence[str]) -> Iterator[Heading]:
    delimiter = ""  # of the block that the line is in
    for number, line in enumerate(lines, 1):
        if found := _DELIMITER.match(line):
            delimiter = "" if delimiter == found[1] else delimiter or found[1]
        elif not delimiter and (found := _EQUALS_SIGNS.match(line[:_MAX_LINE_CHARS])):
            yield _heading(len(found[1]), found[2], number, number)


def _heading(depth: int, title: str, first: int, last: int) -> Heading:
    plain = title.strip()[:_MAX_TITLE_CHARS]
    for markup, said in _MARKUP:
        plain = markup.sub(said, plain)
    return Heading(depth, " ".join(plain.split()) or title.strip()[:_MAX_TITLE_CHARS], first, last)
