"""Names that macros of C and C++ put together (`n##_ctl`): no source has them whole, and yet they are used."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+\(([^)]*)\)((?:[^\n\\]|\\.|\\\r?\n)*)", re.M)
_PASTE = re.compile(r"(\w+)\s*##\s*(\w+)")
LANGUAGES = frozenset({"c", "cpp", "objc"})


class PastedNames:
    """What the macros of a tree put before or behind what they are given, and all words that may be given to them."""

    def __init__(self) -> None:
        self._before: set[str] = set()
        self._behind: set[str] = set()
        self._words: set[str] = set()

    def read(self, text: str, words: Iterable[str]) -> None:
        """Learn from a file, with the words in it."""
        self._words.update(words)
        for define in _DEFINE.finditer(text) if "##" in text else ():
            given = {name.strip() for name in define[1].split(",")}
            for left, right in _PASTE.findall(define[2]):
                if right in given and left not in given:
                    self._before.add(left)
                elif left in given and right not in given:
                    self._behind.add(right)

    def may_make(self, name: str) -> bool:
        """Return whether a macro may make a name out of a word that stands in a file."""
        stems = [name.removeprefix(part) for part in self._before if name.startswith(part) and name != part]
        stems += [name.removesuffix(part) for part in self._behind if name.endswith(part) and name != part]
        return any(stem in self._words for stem in stems)
