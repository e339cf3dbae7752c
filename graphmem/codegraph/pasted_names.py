"""Names that C and C++ macros concatenate (`n##_ctl`): they are used although they do not occur in the source as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+\(([^)]*)\)((?:[^\n\\]|\\.|\\\r?\n)*)", re.M)
_PASTE = re.compile(r"(\w+)\s*##\s*(\w+)")
LANGUAGES = frozenset({"c", "cpp", "objc"})


class PastedNames:
    """The prefixes and suffixes that the macros of a tree add to their arguments, and all words that may be arguments."""

    def __init__(self) -> None:
        self._before: set[str] = set()
        self._behind: set[str] = set()
        self._words: set[str] = set()

    def read(self, text: str, words: Iterable[str]) -> None:
        """Add a file and its words."""
        self._words.update(words)
        for define in _DEFINE.finditer(text) if "##" in text else ():
            given = {name.strip() for name in define[1].split(",")}
            for left, right in _PASTE.findall(define[2]):
                if right in given and left not in given:
                    self._before.add(left)
                elif left in given and right not in given:
                    self._behind.add(right)

    def may_make(self, name: str) -> bool:
        """Return whether a macro may build a name from a word of a file."""
        stems = [name.removeprefix(part) for part in self._before if name.startswith(part) and name != part]
        stems += [name.removesuffix(part) for part in self._behind if name.endswith(part) and name != part]
        return any(stem in self._words for stem in stems)
