"""Converts an item to index rows: one, or for a long text one for the whole and one for each passage, which are searched
and embedded. Pure functions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from graphmem.backends.text import words
from graphmem.backends.text.subjects import PREFIX, subject_names, symbol_in_words, symbol_names
from graphmem.backends.text.text_flags import text_flags
from graphmem.makeway import make_way
from graphmem.model.changes import Item, Link
from graphmem.ports.text import SUMMARIES, TRIGGERS, Stored
from graphmem.text.passages import split_passages
from graphmem.text.settling import score_conclusiveness

BODY = 0.4  # weight of a word in the body, beside one in the text
TURN, SYMBOL, DOCUMENT = "turn", "symbol", "document"
_UNNAMED = frozenset({TURN, SUMMARIES, TRIGGERS})  # kinds without a single topic
_UNSPLIT = frozenset({SUMMARIES, TRIGGERS, "task"})  # kinds whose texts are treated as a unit

STORED = (
    "SELECT i.row, w.cite, w.id, k.name, d.title, c.text, w.at, d.ref, s.name, p.name, d.role, d.event, w.sequence,"
    " d.tags, w.embed, d.body, coalesce(t.contested, 0), coalesce(t.until, 0), i.parent, i.start"
    " FROM items i JOIN contents c ON c.row = i.row"
    " JOIN items w ON w.row = CASE i.parent WHEN 0 THEN i.row ELSE i.parent END JOIN contents d ON d.row = w.row"
    " JOIN names k ON k.number = w.kind LEFT JOIN standings t ON t.id = w.id"
    " JOIN names s ON s.number = w.session JOIN names p ON p.number = w.project"
)


class Unit(NamedTuple):
    """The searchable content of a row. `number` counts the passages of an item from 1; 0 is the item itself."""

    number: int
    title: str
    text: str
    start: int


def split_item(item: Item) -> list[Unit]:
    """Return the item itself, and its passages if it is long."""
    make_way()
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
    """Return the context of a passage: the title of its item, and its headings that the title does not end with."""
    return title if not heading or title.endswith(heading) else f"{title} › {heading}" if title else heading


def searched_grams(title: str, text: str, kind: str, ref: str) -> str:
    """Return the third full-text column: what word matching misses, and for a document the words of its path."""
    found = words.compound_grams(f"{title} {text}")
    if kind == DOCUMENT:
        found += words.split_words(ref.rpartition(":")[0])
    return " ".join(found)


def numbers_of(unit: Unit, found: list[str], passages: int, body: str) -> tuple[int, int, int]:
    """Return length in words, text flags and conclusiveness; zeros for a text that is searched by its passages."""
    if passages:
        return len(found), 0, 0
    length = len(found) + round(BODY * (body.count(" ") + 1)) if body else len(found)
    return length, text_flags(unit.text, found), score_conclusiveness(unit.text)


def vector_key(kind: str, title: str, text: str, start: int = 0) -> bytes:
    """Return the key of a vector."""
    return hashlib.sha256(embedded_text(kind, title, text, start).encode("utf-8", "surrogatepass")).digest()[:16]


def embedded_text(kind: str, title: str, text: str, start: int = 0) -> str:
    """Return the text to embed: with the title as first line, unless the text repeats it; for a symbol, a natural
    description instead of its first lines."""
    if kind == SYMBOL and not start:
        return symbol_in_words(title, text)
    return text if not title or text.startswith(title) else f"{title}\n{text}"


def topic_names(items: Iterable[Item]) -> Iterator[Link]:
    """Yield the names of the topics of items."""
    for item in items:
        if item.kind not in _UNNAMED:
            named = symbol_names(item.title) if item.kind == SYMBOL else subject_names(item.title, item.text)
            for name in named:
                if folded := words.fold_name(name):
                    yield Link(item.id, PREFIX + folded, name)


def replace_surrogates(item: Item) -> Item:
    """Return text without lone surrogates, which SQLite does not accept."""
    title, text = (part.encode("utf-8", "replace").decode("utf-8") for part in (item.title, item.text))
    return item._replace(title=title, text=text)


# What the mark of an item says; "amended": the decision of the chat that it belongs to was revised later.
_STATUSES = ("active", "contested", "superseded", "amended", "waiting", "rejected")


def stored_from_row(row: tuple[Any, ...]) -> Stored:
    """Return a row of `STORED`."""
    number, cite, *fields, tags, embed, body, contested, until, parent, start = row
    item = Item._make([*fields, tuple(tags.split("\n")) if tags else (), bool(embed), body])
    status = "superseded" if until else _STATUSES[contested]
    return Stored(number, item, cite, status, parent, start)
