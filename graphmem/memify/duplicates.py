"""Finds equivalent facts: the first remains, the others are its duplicates. Results of the same rule in several sessions
are united earlier (`cognify.conclusions`); this handles the rest, such as explicit memories. `consolidate` applies the
result."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphmem.ports.entries import Entries

_WORD = re.compile(r"\w+")
_MIN_WORDS = 3  # shorter texts are too short to be equal on purpose
_BATCH = 20_000


@dataclass(slots=True)
class Duplicates:
    """`first` maps each duplicate to the remaining fact; `said` counts how often that was said."""

    first: dict[str, str] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)


def find_duplicates(
    entries: Entries,
    present: np.ndarray,
    recorded: np.ndarray,
    texts_of: Callable[[Sequence[int]], Mapping[int, str]],
    said_again: Mapping[str, int],
) -> Duplicates:
    """Group facts with the same words in any order, within a project. Facts that differ in inflection or words are united
    by meaning when derived.

    `present` (bool) and `recorded` (microseconds) are aligned with `entries`; `texts_of` returns the texts at positions;
    `said_again` counts what earlier steps united.
    """
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
