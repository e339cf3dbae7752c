"""The queue of what is new and waits for a person's approval (setting `approval.required`), and what in it excludes or repeats
something else. Reads the index only; the decisions are in `evolution/approvals.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from graphmem.errors import UsageError
from graphmem.log.approvals import WAITING, read_approvals
from graphmem.model.table import Table
from graphmem.ports.text import ItemFilter, Stored
from graphmem.retrieve.present import format_item_citation, to_datetime
from graphmem.text.replacements import read_replacing, replacement_strength
from graphmem.text.restating import REPLACES, restatement_strength
from graphmem.text.sentences import sentences

EXCLUDES, REPEATS = "excludes", "repeats"
_WORD = re.compile(r"\w{3,}")
_ALIKE = 0.6  # share of common words from which a text repeats another
_NUMBERED = re.compile(r"(?:\b(?:number|no\.?|nr\.?)|#)\s*(\d+)", re.I)  # a number that names a thing
_FEWEST_COMMON = 2  # words of two texts that are compared
_MOST_SENTENCES = 3
_COLUMNS = ["id", "kind", "at", "session", "status", "title", "text", "citation"]


def list_unapproved(parts: Any, *, limit: int = 50, every: bool = False) -> Table:
    """Return what waits for approval, newest first; with `every`, also what was rejected. Raises UsageError for a limit below
    1."""
    if limit < 1:
        raise UsageError(f"limit is a number of rows: at least 1, not {limit}", limit=limit)
    found = sorted(_unapproved(parts), key=lambda one: (-one.item.at, one.row))
    rows = [
        [one.item.id, one.item.kind, to_datetime(one.item.at), one.item.session, one.status, one.item.title, one.item.text,
         format_item_citation(one)]
        for one in found
        if every or one.status == WAITING
    ]  # fmt: skip
    return Table(_COLUMNS, rows[:limit], len(rows) > limit)


def _unapproved(parts: Any) -> list[Stored]:
    import numpy as np

    if not read_approvals(parts.log).is_required:
        return []
    text = parts.retriever.ports.text
    rows = np.flatnonzero(text.mask(ItemFilter(waiting=True)) & ~text.mask(ItemFilter())).tolist()
    items = text.items(sorted({one.whole for one in text.items(rows)}))
    return [one for one in items if one.status != "active"]


class Related(NamedTuple):
    """Another memory that says otherwise (`EXCLUDES`), so that at most one of the two holds, or the same (`REPEATS`)."""

    id: str
    how: str


def find_related(waiting: Mapping[str, str], others: Mapping[str, str], *, most: int = 3) -> dict[str, list[Related]]:
    """Return for each text that waits, by id, which of the other ones it excludes or repeats: of those that wait, and of `others`,
    which hold already. What excludes comes first.

    >>> find_related({"a": "The office closes at 17:00."}, {"b": "The office closes at 19:00."})
    {'a': [Related(id='b', how='excludes')]}
    """
    words = {id: frozenset(_WORD.findall(text.lower())) for id, text in {**others, **waiting}.items()}
    texts = {**others, **waiting}
    found: dict[str, list[Related]] = {}
    for id, text in waiting.items():
        near = (one for one in texts if one != id and len(words[one] & words[id]) >= _FEWEST_COMMON)
        pairs = [Related(one, how) for one in near if (how := _relation(text, texts[one], words[id], words[one]))]
        if pairs:
            found[id] = sorted(pairs, key=lambda pair: pair.how != EXCLUDES)[:most]
    return found


def _relation(text: str, other: str, words: frozenset[str], others: frozenset[str]) -> str:
    if set(_NUMBERED.findall(text)) != set(_NUMBERED.findall(other)):
        return ""
    if _takes_place(text, other) or _takes_place(other, text):
        return EXCLUDES
    numbers = {word for word in words ^ others if any(letter.isdigit() for letter in word)}
    return REPEATS if not numbers and len(words & others) >= _ALIKE * len(words | others) else ""


def _takes_place(new: str, old: str) -> bool:
    earlier = list(_first(sentences(old)))
    for sentence in _first(sentences(new)):
        replacing = read_replacing(sentence)
        for before in earlier:
            if restatement_strength(sentence, before) >= REPLACES:
                return True
            if replacing is not None and replacement_strength(replacing, sentence, before) >= REPLACES:
                return True
    return False


def _first(found: Iterable[str]) -> Iterable[str]:
    return islice(found, _MOST_SENTENCES)
