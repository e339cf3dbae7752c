"""What an item becomes in the index: one row, or, where its text is long, a row for the whole and one for each of its
passages, which are what is searched and embedded. Pure: it reads and writes no file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from graphmem.backends.text import words
from graphmem.backends.text.marks import marks_of
from graphmem.backends.text.subjects import PREFIX, subject_names, symbol_in_words, symbol_names
from graphmem.model.changes import Item, Link
from graphmem.ports.text import SUMMARIES, TRIGGERS, Stored
from graphmem.text.passages import split_passages
from graphmem.text.settling import settles

BODY = 0.4  # weight of a word in the body, beside one in the text
TURN, SYMBOL, DOCUMENT = "turn", "symbol", "document"
_UNNAMED = frozenset({TURN, SUMMARIES, TRIGGERS})  # kinds that are about no one thing
_UNSPLIT = frozenset({SUMMARIES, TRIGGERS, "task"})  # kinds whose texts are read as one

STORED = (
    "SELECT i.row, w.cite, w.id, k.name, d.title, c.text, w.at, d.ref, s.name, p.name, d.role, d.event, w.sequence,"
    " d.tags, w.embed, d.body, coalesce(t.contested, 0), coalesce(t.until, 0), i.parent, i.start"
    " FROM items i JOIN contents c ON c.row = i.row"
    " JOIN items w ON w.row = CASE i.parent WHEN 0 THEN i.row ELSE i.parent END JOIN contents d ON d.row = w.row"
    " JOIN names k ON k.number = w.kind LEFT JOIN standings t ON t.id = w.id"
    " JOIN names s ON s.number = w.session JOIN names p ON p.number = w.project"
)


class Unit(NamedTuple):
    """What a row is found by. `number` counts the passages of an item from 1, 0 is the item itself."""

    number: int
    title: str
    text: str
    start: int


def units(item: Item) -> list[Unit]:
    """The item itself, and the passages in which it is found where it is long."""
    whole = Unit(0, item.title, item.text, 0)
    if item.kind in _UNSPLIT:
        return [whole]
    return [
        whole,
        *(
            Unit(number, _header(item.title, heading), item.text[start:end], start)
            for number, (start, end, heading) in enumerate(split_passages(item.text), 1)
        ),
    ]


def _header(title: str, heading: str) -> str:
    """What says where a passage belongs: the title of its item, and the headings above it that this does not end with."""
    return title if not heading or title.endswith(heading) else f"{title} › {heading}" if title else heading


def searched_grams(title: str, text: str, kind: str, ref: str) -> str:
    """The third column of the full text: what the words do not show, and of a document the words of its path."""
    found = words.compound_grams(f"{title} {text}")
    if kind == DOCUMENT:
        found += words.split_words(ref.rpartition(":")[0])
    return " ".join(found)


def numbers_of(unit: Unit, found: list[str], passages: int, body: str) -> tuple[int, int, int]:
    """Length in words, marks and how much it settles; nothing is looked for in a text that is found by its passages."""
    if passages:
        return len(found), 0, 0
    length = len(found) + round(BODY * (body.count(" ") + 1)) if body else len(found)
    return length, marks_of(unit.text, found), settles(unit.text)


def digest(kind: str, title: str, text: str, start: int = 0) -> bytes:
    """What a vector is keyed by."""
    return hashlib.sha256(embedded_text(kind, title, text, start).encode("utf-8", "surrogatepass")).digest()[:16]


def embedded_text(kind: str, title: str, text: str, start: int = 0) -> str:
    """What is embedded: the title counts as the first line, unless the text says it anyway; of the first lines of a symbol
    what one would say of it."""
    if kind == SYMBOL and not start:
        return symbol_in_words(title, text)
    return text if not title or text.startswith(title) else f"{title}\n{text}"


def about(items: Iterable[Item]) -> Iterator[Link]:
    """The names of what items are about."""
    for item in items:
        if item.kind not in _UNNAMED:
            named = symbol_names(item.title) if item.kind == SYMBOL else subject_names(item.title, item.text)
            for name in named:
                if folded := words.fold_name(name):
                    yield Link(item.id, PREFIX + folded, name)


def readable(item: Item) -> Item:
    """Without lone surrogates, which SQLite does not take."""
    title, text = (part.encode("utf-8", "replace").decode("utf-8") for part in (item.title, item.text))
    return item._replace(title=title, text=text)


def stored(row: tuple[Any, ...]) -> Stored:
    """A row of `STORED`."""
    number, cite, *fields, tags, embed, body, contested, until, parent, start = row
    item = Item._make([*fields, tuple(tags.split("\n")) if tags else (), bool(embed), body])
    status = "superseded" if until or contested > 1 else "contested" if contested else "active"
    return Stored(number, item, cite, status, parent, start)
