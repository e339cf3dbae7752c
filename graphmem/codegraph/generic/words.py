"""The words of a name, by which a variable is compared with the classes of the tree: `current_user`, `@user` and `users` are named
like `User`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MARK = "~"  # before a word in the mentions and the interface of a file, where it is no name
INCLUDED = "&"  # before the name of a module: the classes that include it
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_ENDS = ((("sses", "shes", "ches", "xes"), 2, ""), (("ies",), 3, "y"), (("s",), 1, ""))  # of words for several


def of_class(name: str) -> str:
    """Return the name of a class as a variable has it: `LineItem` is `line_item`."""
    return "_".join(part.lower() for part in _PART.findall(name))


def of(name: str) -> Iterator[tuple[str, bool]]:
    """Yield what may be the name of the class of a variable, the longest first, and whether it is named like several objects."""
    word = name.lstrip("@$").rstrip("?!=").rstrip("0123456789").strip("_")
    while word:
        yield word, False
        one = _one(word)
        if one:
            yield one, True
        word = word.partition("_")[2]


def mentioned(names: Iterable[str]) -> Iterator[str]:
    """Yield what names may be compared with, marked as words."""
    for name in names:
        if name[:1].islower() or name[:1] in "@_":
            yield from (f"{MARK}{word}" for word, _ in of(name))


def _one(word: str) -> str:
    """Return the singular of a word; "" if it is none for several."""
    for ends, cut, instead in _ENDS:
        if word.endswith(ends) and not word.endswith("ss") and len(word) > cut + 1:
            return word[:-cut] + instead
    return ""
