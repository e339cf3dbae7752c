"""Words of what a symbol does: of its own lines, without syntax, without what its name and docstring say, without secrets."""

from __future__ import annotations

from graphmem.codegraph.worker import parse_source
from graphmem.model.code import Symbol

SOURCE = b'''"""Keeps things."""
LIMIT = 3


class Store:
    """A store."""

    def put(self, key, value):
        """Put a value."""
        # the oldest entry leaves first
        if len(self.itemsByAge) > LIMIT:
            raise ValueError("crate overflows")

        def shorten(text):
            return text.strip()


def connect():
    password = "hunter2-Zq8!vR4kLm9pX"
    return login(password)
'''


def _symbols(source: bytes, path: str = "keep.py", language: str = "python") -> dict[str, Symbol]:
    facts = parse_source(path, source, language).facts
    assert facts is not None
    return {symbol.name: symbol for symbol in facts.symbols}


def test_a_symbol_has_the_words_of_its_own_lines() -> None:
    found = _symbols(SOURCE)
    words = found["put"].words.split()
    assert {"oldest", "entry", "itemsbyage", "items", "age", "crate", "overflows", "limit"} <= set(words)
    assert not {"value", "def", "self", "strip"} & set(words)  # said, syntax, of the nested function
    assert "strip" in found["shorten"].words and "oldest" not in found["Store"].words
    assert len(words) == len(set(words))


def test_no_secret_is_among_them() -> None:
    assert "hunter" not in " ".join(symbol.words for symbol in _symbols(SOURCE).values())


def test_other_languages_have_them_too() -> None:
    found = _symbols(b'func Evict(c *Cache) {\n\t// oldest goes\n\tpanic("no room")\n}\n', "a.go", "go")
    assert {"oldest", "room"} <= set(found["Evict"].words.split())
