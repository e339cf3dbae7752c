"""Facts that say the same: the first stays and gains what the others bring, the others leave default search but are kept.
What one rule made of several sessions was united when it was concluded (`cognify.conclusions`); here are the rest, such
as what was remembered on purpose twice, and how many sessions said each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphmem.model.changes import Changes, Edge
from graphmem.ports.entries import DUPLICATE

if TYPE_CHECKING:
    from graphmem.memify.desk import Desk

_WORD = re.compile(r"\w+")
_LEAST = 3  # words; what is shorter says too little to be the same on purpose
_BATCH = 20_000


@dataclass(slots=True)
class Twins:
    """`first` leads from each duplicate to the fact that stays; `said` counts how often a fact that stays was said."""

    first: dict[str, str] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)


def twins(desk: Desk) -> Twins:
    """Facts by what they say: the same words in any order, in one project. What differs in endings or words is united by
    meaning, when it is derived (`cognify`)."""
    entries = desk.entries
    places = np.flatnonzero(entries.of("fact") & desk.here)
    groups: dict[tuple[int, str], list[int]] = {}
    for start in range(0, len(places), _BATCH):
        for place, text in desk.texts(places[start : start + _BATCH].tolist()).items():
            words = sorted(set(_WORD.findall(text.lower())))
            if len(words) >= _LEAST:
                groups.setdefault((int(entries.project[place]), " ".join(words)), []).append(place)
    found = Twins(said=dict(map(tuple, desk.query("said_again"))))
    for group in groups.values():
        if len(group) > 1:
            first, *others = sorted(group, key=lambda place: (desk.recorded[place], entries.ids[place]))
            keeper = entries.ids[first]
            found.said[keeper] = max(len(group), found.said.get(keeper, 1))
            found.first |= dict.fromkeys(desk.ids(others), keeper)
    return found


def consolidate(desk: Desk) -> None:
    """Mark duplicates, tie them to the first, and give it their evidence."""
    rows, found = desk.entries.rows, desk.twins
    marked = np.zeros(len(rows), bool)
    marked[[desk.place[item] for item in found.first if item in desk.place]] = True
    flags = desk.priors.flags
    was = (desk.before.flags[rows] & DUPLICATE) > 0
    flags[rows] = np.where(marked, flags[rows] | DUPLICATE, flags[rows] & ~np.uint8(DUPLICATE))
    desk.counts["duplicates"] = int(marked.sum())
    new = set(desk.ids(np.flatnonzero(marked & ~was)))
    if not new:
        return
    changes = Changes()
    for item in sorted(new):
        changes.edges.append(Edge("DUPLICATES", "Fact", item, "Fact", found.first[item], {"at": desk.run.now}))
    for item, label, source in desk.query("evidence_of_facts", ids=sorted(new)):
        evidence = {"method": "normalized", "confidence": 0.95}
        changes.edges.append(Edge("EVIDENCE_OF", label, source, "Fact", found.first[item], evidence))
    desk.changes.append(changes)
