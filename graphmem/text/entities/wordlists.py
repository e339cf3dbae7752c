"""Reads the word lists in `data/`: one or more names a line, separated by commas, or `name = alias, alias`; a line that
starts with # is a comment. Knows the format only; what a list means is said in `vocabulary.py`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple


class Listed(NamedTuple):
    """One name of a list. `~` before it: also an ordinary word, `!`: only in this case. `aliases` are other names."""

    name: str
    ambiguous: bool = False
    exact: bool = False
    aliases: tuple[str, ...] = ()


def read(name: str) -> Iterator[Listed]:
    """All names of the list `data/<name>.txt`, in order."""
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
    """The words of a text: for short lists that belong beside the rule that uses them."""
    return frozenset(text.split())


def words_of(name: str) -> list[str]:
    """The bare names of a list."""
    return [listed.name for listed in read(name)]


def _listed(marked: str, aliases: tuple[str, ...] = ()) -> Listed:
    marked = marked.strip()
    name = marked.lstrip("~!")
    marks = marked[: len(marked) - len(name)]
    return Listed(name, "~" in marks, "!" in marks, aliases)
