"""Which facts say the same: the first stays, the others are its duplicates. What one rule made of several sessions was united
when it was concluded (`cognify.conclusions`); here are the rest, such as what was remembered on purpose twice. What follows from
a duplicate is in `consolidate`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphmem.ports.entries import Entries

_WORD = re.compile(r"\w+")
_MIN_WORDS = 3  # what is shorter says too little to be the same on purpose
_BATCH = 20_000


@dataclass(slots=True)
class Duplicates:
    """`first` leads from each duplicate to the fact that stays; `said` counts how often a fact that stays was said."""

    first: dict[str, str] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)


def find_duplicates(
    entries: Entries,
    present: np.ndarray,
    recorded: np.ndarray,
    texts_of: Callable[[Sequence[int]], Mapping[int, str]],
    said_again: Mapping[str, int],
) -> Duplicates:
    """Group facts that hold the same words in any order, within one project. What differs in endings or words is united by
    meaning when it is derived.

    `present` (bool) and `recorded` (microseconds) are aligned with `entries`; `texts_of` gives the texts at places; `said_again`
    counts what earlier steps united already."""
    places = np.flatnonzero(entries.of("fact") & present)
    groups: dict[tuple[int, str], list[int]] = {}
    for start in range(0, len(places), _BATCH):
        for place, text in texts_of(places[start : start + _BATCH].tolist()).items():
            words = sorted(set(_WORD.findall(text.lower())))
            if len(words) >= _MIN_WORDS:
                groups.setdefault((int(entries.project[place]), " ".join(words)), []).append(place)
    found = Duplicates(said=dict(said_again))
    for group in groups.values():
        if len(group) > 1:
            first, *others = sorted(group, key=lambda place: (recorded[place], entries.ids[place]))
            keeper = entries.ids[first]
            found.said[keeper] = max(len(group), found.said.get(keeper, 1))
            found.first |= dict.fromkeys((entries.ids[place] for place in others), keeper)
    return found
