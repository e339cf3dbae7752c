"""Known names and common nouns of software, from the word lists in `data/`. Finds known phrases at a position; `names.py`
decides about ambiguous words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from graphmem.text.entities.wordlists import read
from graphmem.text.entities.words import scan_words

# List -> (type of its names, whether they are common nouns). Of two lists with the same name the earlier one wins.
LISTS: dict[str, tuple[str, bool]] = {
    "languages": ("language", False),
    "operating_systems": ("operating_system", False),
    "applications": ("application", False),
    "libraries": ("library", False),
    "organizations": ("org", False),
    "websites": ("website", False),
    "classes": ("class", False),
    "functions": ("function", False),
    "licences": ("license", False),
    "keys": ("key", False),
    "values": ("value", True),
    "variables": ("variable", True),
    "errors": ("error", False),
    "tags": ("tag", False),
    "data_types": ("data_type", True),
    "data_structures": ("data_structure", True),
    "ui_elements": ("ui_element", True),
    "application_nouns": ("application", True),
    "file_types": ("file_type", False),
    "devices": ("device", False),
    "algorithms": ("algorithm", False),
}


class Entry(NamedTuple):
    """A known phrase. `spelling` is set if only this case matches; `ambiguous` if it is also an ordinary word; `generic`
    for common nouns ("button")."""

    type: str
    ambiguous: bool = False
    spelling: str | None = None
    generic: bool = False


class Vocabulary:
    """Known phrases by their lower-case words."""

    def __init__(self) -> None:
        self.phrases: dict[str, tuple[Entry, ...]] = {}
        self.longest: dict[str, int] = {}

    def add(self, phrase: str, entry: Entry) -> None:
        """Add an entry; a second one for the same phrase is kept only if it requires another spelling."""
        is_plain = phrase.isascii() and phrase.replace(" ", "").isalpha()  # most are; a scan takes ten times as long
        words = phrase.lower().split() if is_plain else scan_words(phrase).lows
        if not words:
            return
        key = " ".join(words)
        held = self.phrases.get(key, ())
        if all(e.spelling != entry.spelling for e in held):
            self.phrases[key] = tuple(sorted((*held, entry), key=lambda e: e.spelling is None))
        self.longest[words[0]] = max(self.longest.get(words[0], 0), len(words))

    def at(self, lows: Sequence[str], i: int) -> Iterator[tuple[int, tuple[Entry, ...]]]:
        """Yield (number of words, entries) of each known phrase that starts at word `i`, longest first."""
        for n in range(min(self.longest.get(lows[i], 0), len(lows) - i), 0, -1):
            found = self.phrases.get(lows[i] if n == 1 else " ".join(lows[i : i + n]))
            if found:
                yield n, found


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary of the word lists, cached."""
    made = Vocabulary()
    for name, (kind, common) in LISTS.items():
        for listed in read(name):
            generic = common or (listed.name.islower() and name in ("devices", "algorithms", "classes", "errors"))
            spelling = listed.name if listed.exact else None
            for form in _forms(listed.name, generic) if spelling is None else [listed.name]:
                made.add(form, Entry(kind, listed.ambiguous, spelling, generic))
            for alias in listed.aliases:
                made.add(alias, Entry(kind, _doubtful(alias), None, False))
    return made


@lru_cache(maxsize=8)
def vocabulary_of_names(names: frozenset[tuple[str, str]]) -> Vocabulary:
    """Return a vocabulary of the caller's own names (for example of a code graph) with types, in exact spelling."""
    made = Vocabulary()
    for name, kind in sorted(names):
        made.add(name, Entry(kind, False, name))
    return made


def _doubtful(alias: str) -> bool:
    return len(alias) < 3 and alias.isalpha() and alias not in ("js", "py", "vb", "rb")


def _forms(name: str, generic: bool) -> list[str]:
    if not generic:
        return [name]
    if name.endswith(("s", "x", "ch", "sh")):
        return [name, name + "es"]
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return [name, name[:-1] + "ies"]
    return [name, name + "s"]
