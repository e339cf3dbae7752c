"""Reads the word lists in `data/`: one or more names per line, separated by commas, or `name = alias, alias`; lines
starting with # are comments. `vocabulary.py` interprets them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple


class Listed(NamedTuple):
    """A name in a list. Prefix `~`: also an ordinary word, `!`: case-sensitive. `aliases` are other names."""

    name: str
    ambiguous: bool = False
    exact: bool = False
    aliases: tuple[str, ...] = ()


def read(name: str) -> Iterator[Listed]:
    """Yield all names in `data/<name>.txt`, in order."""
    text = (files("graphmem.text.entities") / "data" / f"{name}.txt").read_text("utf-8")
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        main, equals, others = line.partition(" = ")
        if equals:
            yield _listed(main, tuple(filter(None, map(str.strip, others.split(",")))))
        else:
            yield from (_listed(word) for word in line.split(",") if word.strip())


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text, for short lists next to the rule that uses them."""
    return frozenset(text.split())


def words_of(name: str) -> list[str]:
    """Return the bare names of a list."""
    return [listed.name for listed in read(name)]


def _listed(marked: str, aliases: tuple[str, ...] = ()) -> Listed:
    marked = marked.strip()
    name = marked.lstrip("~!")
    marks = marked[: len(marked) - len(name)]
    return Listed(name, "~" in marks, "!" in marks, aliases)
