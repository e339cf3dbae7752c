"""Names the other side: a hit that is contested says which item contradicts it, and one that no longer holds which later one
took its place, so that nobody reads one side alone. The sides are marked in the index; which belong together is read from their
texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graphmem.model.results import Hit
from graphmem.ports.text import ItemFilter, Stored
from graphmem.retrieve.ports import Ports
from graphmem.retrieve.present import format_item_citation, summarise_item
from graphmem.retrieve.succession import takes_place
from graphmem.text.sentences import sentences
from graphmem.text.slot_changes import compare_sentences
from graphmem.text.topics import subject_words
from graphmem.trust.origin import may_bind

_CONTESTED = "contested"
_MOST = 200  # contested items that are compared with a hit
_SHARED = 0.5  # of the words of the shorter text
_SENTENCES = 3
_AMENDED = "amended"
_ENDED = frozenset({"superseded", _AMENDED})
_LATER = 20  # later items that are compared with one that no longer holds
_LOOKED_UP = 5  # items of a chat whose successors are looked for
_MOST_CHARS = 300  # of an item that is searched for


def name_other_sides(ports: Ports, hits: Sequence[Hit], found: Sequence[Stored], as_of: int = 0) -> list[Hit]:
    """Return the hits; those that are contested or no longer hold with the text and citation of the other side, as of a time
    with the status of that time."""
    hits = [
        _with_successor(ports, hit, one, as_of) if one.status in _ENDED else hit
        for hit, one in zip(hits, found, strict=True)
    ]
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


def find_successors(ports: Ports, one: Stored) -> list[Stored]:
    """Return the later statements that took the place of an item that no longer holds, or of what else was decided in its chat,
    oldest first; empty where their words do not tell."""
    ended = [one] if one.status != _AMENDED else _ended_in_session(ports, one)
    found = {new.row: new for old in ended[:_LOOKED_UP] for new in _later_than(ports, old)}
    return sorted(found.values(), key=lambda new: (new.item.at, new.item.kind != "fact", new.row))


def name_successor(ports: Ports, one: Stored) -> str:
    """Return the citation and text of what holds in place of an item now; "" where nothing is known of it."""
    later = find_successors(ports, one) if one.status in _ENDED else []
    return _named(later[-1]) if later else ""


def _with_successor(ports: Ports, hit: Hit, one: Stored, as_of: int) -> Hit:
    later = find_successors(ports, one)
    if as_of:
        later = [new for new in later if new.item.at <= as_of]
        if not later:  # it held then
            return replace(hit, status="active")
    return replace(hit, against=_named(later[-1])) if later else hit


def _ended_in_session(ports: Ports, one: Stored) -> list[Stored]:
    where = ItemFilter(kinds=("fact", "turn"), session=one.item.session, project=one.item.project, replaced=True)
    rows = np.flatnonzero(ports.text.mask(where))[:_MOST].tolist() if one.item.session else []
    return [other for other in ports.text.items(rows) if other.status == "superseded"]


def _later_than(ports: Ports, old: Stored) -> list[Stored]:
    where = ItemFilter(kinds=("fact", "turn"), project=old.item.project, since=old.item.at + 1)
    terms = dict.fromkeys(ports.text.terms(old.item.text[:_MOST_CHARS]), 1.0)
    found = ports.text.items([match.row for match in ports.text.search(terms, where, _LATER)]) if terms else []
    marks = ports.guard.marks([one.item for one in found]) if ports.guard else [None] * len(found)
    return [
        new
        for new, mark in zip(found, marks, strict=True)
        if new.status not in _ENDED
        and _is_other(old, new)
        and (mark is None or (not mark.withheld and may_bind(mark.origin)))
        and takes_place(new.item.text, old.item.text, words="assistant" not in (new.item.role, old.item.role))
    ]


def _named(one: Stored) -> str:
    return f"{format_item_citation(one)} {summarise_item(one.item)}"


def _name(one: Stored, others: Sequence[Stored]) -> str:
    best, other = max(
        ((_likeness(one, other), other) for other in others if _is_other(one, other)),
        key=lambda pair: pair[0],
        default=(0.0, None),
    )
    return _named(other) if other is not None and best else ""


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
