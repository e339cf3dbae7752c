"""Names the other side of a contradiction: a hit that is contested says which item contradicts it, so that nobody reads one side
alone. Both sides are marked in the index; which belong together is read from their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphmem.model.results import Hit
from graphmem.ports.text import Stored
from graphmem.retrieve.ports import Ports
from graphmem.retrieve.present import format_item_citation, summarise_item
from graphmem.text.sentences import sentences
from graphmem.text.slot_changes import compare_sentences
from graphmem.text.topics import subject_words

_CONTESTED = "contested"
_MOST = 200  # contested items that are compared with a hit
_SHARED = 0.5  # of the words of the shorter text
_SENTENCES = 3


def name_other_sides(ports: Ports, hits: Sequence[Hit], found: Sequence[Stored]) -> list[Hit]:
    """Return the hits; those that are contested with the text and citation of what contradicts them."""
    if not any(hit.status == _CONTESTED for hit in hits):
        return list(hits)
    others = ports.text.contested(_MOST)
    if ports.guard is not None:  # nobody is shown through another hit what is withheld
        marks = ports.guard.marks([one.item for one in others])
        others = [one for one, mark in zip(others, marks, strict=True) if not mark.withheld]
    return [
        replace(hit, against=_name(one, others)) if hit.status == _CONTESTED else hit
        for hit, one in zip(hits, found, strict=True)
    ]


def _name(one: Stored, others: Sequence[Stored]) -> str:
    best, other = max(
        ((_likeness(one, other), other) for other in others if _is_other(one, other)),
        key=lambda pair: pair[0],
        default=(0.0, None),
    )
    return f"{format_item_citation(other)} {summarise_item(other.item)}" if other is not None and best else ""


def _is_other(one: Stored, other: Stored) -> bool:
    same = one.item.event and one.item.event == other.item.event
    return not same and one.item.id != other.item.id and one.item.project == other.item.project


def _likeness(one: Stored, other: Stored) -> float:
    """Return how likely both contradict each other, above 1 where their sentences say so; a fact before the turn it is from."""
    a, b = sentences(one.item.text)[:_SENTENCES], sentences(other.item.text)[:_SENTENCES]
    first = 0.01 * (other.item.kind == "fact")
    if any(compare_sentences(x, y) or compare_sentences(y, x) for x in a for y in b):
        return 1.0 + first
    ours, theirs = subject_words(one.item.text), subject_words(other.item.text)
    shared = len(ours & theirs) / max(1, min(len(ours), len(theirs)))
    return shared + first if shared >= _SHARED and ours != theirs else 0.0
