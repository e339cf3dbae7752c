"""Reads catalogues of translations (gettext, `.po`) of pages: what a page says in another language, cut at its headings. A
catalogue of the messages of a program says nothing that its sources do not say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from graphmem.patterns import compile_later

_PLACE = compile_later(r"#: *(\S+?):(\d+)")
_OF_A_PAGE = compile_later(r"(?i)\.(?:rst|md|mdx|markdown|txt|adoc|html?)$")
_QUOTED = compile_later(r"(?:(msgid|msgstr(?:\[0\])?) +)?(\".*\")\s*$")
_ESCAPED, _ESCAPES = compile_later(r"\\(.)"), {"n": "\n", "t": "\t"}
_MAX_HEADING_CHARS = 100
_END = compile_later(r".*[.:,;!。]\W*$|[`:.*\d]")  # how a line ends, or begins, that is no heading
_HEADING_LINES = 2  # from a heading to what follows it: its underline, or a blank line


class _Said(NamedTuple):
    """The lines of an entry."""

    msgid: list[str]
    msgstr: list[str]


class _Entry(NamedTuple):
    """A text of a page: its line in the catalogue, file and line of the page, the text, and its translation."""

    at: int
    path: str
    line: int
    text: str
    translation: str

    @property
    def said(self) -> str:
        """Return the translation, or the text that has none."""
        return self.translation or self.text


def is_of_pages(text: str) -> bool:
    """Return whether a catalogue translates pages."""
    return any(True for _ in _read_entries(text.splitlines()))


def read_catalogue(text: str, most: int) -> Iterator[tuple[str, str, int]]:
    """Yield the sections of the translated pages (title, text of about `most` characters at most, line in the catalogue); sections
    without any translation are left out. A title is followed by its original."""
    title, part, path, size = "", list[_Entry](), "", 0
    entries = list(_read_entries(text.splitlines()))
    for place, entry in enumerate(entries):
        is_heading = _is_heading(entries, place)
        if entry.path != path or is_heading or size > most:
            yield from _section(title, part)
            part, size = [], 0
        if entry.path != path or is_heading:
            title = f"{entry.said} ({entry.text})" if is_heading and entry.translation else entry.said
        path = entry.path
        part.append(entry)
        size += len(entry.said)
    yield from _section(title, part)


def _section(title: str, part: list[_Entry]) -> Iterator[tuple[str, str, int]]:
    if any(one.translation for one in part):
        yield title[: 2 * _MAX_HEADING_CHARS], "\n\n".join(one.said for one in part), part[0].at


def _is_heading(entries: list[_Entry], place: int) -> bool:
    """Return whether a text is short, no sentence, and the next one stands below its underline."""
    one = entries[place]
    after = entries[place + 1] if place + 1 < len(entries) else None
    is_above = after is not None and after.path == one.path and after.line >= one.line + _HEADING_LINES
    return is_above and len(one.text) <= _MAX_HEADING_CHARS and not _END.match(one.text)


def _read_entries(lines: list[str]) -> Iterator[_Entry]:
    """Yield the texts of pages in the order of the catalogue."""
    place, at, is_fuzzy = ("", 0), 0, False
    said, key = _Said([], []), ""
    for number, line in enumerate([*lines, "#: "], 1):
        if line.startswith("#"):
            if key == "msgstr":  # the next entry begins
                if place[0] and (text := "".join(said.msgid)):
                    yield _Entry(at, *place, text, "" if is_fuzzy else "".join(said.msgstr))
                place, is_fuzzy, key = ("", 0), False, ""
                said = _Said([], [])
            if (found := _PLACE.match(line)) and _OF_A_PAGE.search(found[1]):
                place, at = (found[1], int(found[2])), number
            is_fuzzy = is_fuzzy or (line.startswith("#,") and "fuzzy" in line)
        elif found := _QUOTED.match(line):
            key = (found[1] or key).partition("[")[0]
            if key:
                getattr(said, key).append(_unquoted(found[2]))


def _unquoted(text: str) -> str:
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1])
