"""Splits a search into families of memory kinds (conversations, documents, code, history), and interleaves their results.
Otherwise a store with thousands of commits would answer every question with commits. Each family has its own word
frequencies."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphmem.ports.text import SUMMARIES, TRIGGERS
from graphmem.retrieve.analyse import is_report_text
from graphmem.retrieve.asking import asks_what_was_said
from graphmem.retrieve.calibrate import REPEAT_FACTOR
from graphmem.retrieve.kinds import SYMBOLS
from graphmem.retrieve.leads import choose_lead_hits
from graphmem.retrieve.ports import Ports, Reader
from graphmem.retrieve.records import Analysis, Candidate, Family, Merged, Request, scale_scores
from graphmem.retrieve.statements import raise_statements

OWN_FAMILY_KINDS = (
    *SYMBOLS,
    "document",
    "commit",
)  # kinds that are always a family; all others are one, but those asked for
_ASKED_WEIGHT = 2.0  # weight of a kind that the query asks for
_PROBABILITY_OFFSET = 0.2  # added to the best probability of a family, so that an unlikely family keeps some value
_UNASKED_FACTOR = 0.4  # factor for what a question about code does not ask for: such items get too high probabilities
_SAID_BONUS = 0.2  # added to the probability of what was said or noted, times its score, where a question asks for it
_TAKEN_FACTOR = 0.8  # factor on the value of a family for each item taken from it
_MIN_CANDIDATES = 100  # candidates of each channel in a family


def split_by_family(ports: Ports, request: Request, analysis: Analysis) -> list[Request]:
    """Return a request for each family that has items; the request itself if only one has."""
    if request.where.kinds is not None or not request.weights.get("families", 1.0):
        return [request]
    apart = [(kind,) for kind in dict.fromkeys((*OWN_FAMILY_KINDS, *analysis.wanted))]
    filters = [replace(request.where, kinds=kinds) for kinds in apart]
    filters.append(replace(request.where, but=(*(kind for (kind,) in apart), SUMMARIES, TRIGGERS)))
    there = [where for where in filters if ports.text.mask(where).any()]
    return [request] if len(there) < 2 else [replace(request, where=where, least=_MIN_CANDIDATES) for where in there]


def interleave_families(reader: Reader, request: Request, wanted: Sequence[str], families: list[Family]) -> Merged:
    """Return the candidates of all families in one order. `wanted`: the kinds that the query asks for."""
    about_code = any(one.analysis.about_code for one in families)
    if about_code:
        families = [
            one if one.analysis.about_code or set(one.request.where.kinds or ()) & set(wanted)
            else replace(one, ranked=_weigh_unasked(reader, one, wanted)) for one in families
        ]  # fmt: skip
        families = raise_statements(reader, request, families)
    heads = [one.ranked[: 2 * request.head_size + 1] for one in families]
    events = {one.row: one.item.event or one.item.id for one in reader.load(one.row for head in heads for one in head)}
    worth = [_value_family(one, wanted) for one in families]
    taken = _take_turns(heads, None if about_code else worth, events)
    by_row = {one.row: one._replace(score=0.0) for family in families for one in family.ranked}
    by_row |= {one.row: one for one in taken}
    first, leading = taken, 0
    if is_report_text(request.query):
        merged = [replace(one, ranked=[by_row[candidate.row] for candidate in one.ranked]) for one in families]
        leads = choose_lead_hits(reader, merged, events)
        rows, leading = {one.row for one in leads}, len(leads)
        first = [*leads, *(one for one in taken if one.row not in rows)]
    return Merged(list({**{one.row: one for one in first}, **by_row}.values()), leading, about_code)


def _weigh_unasked(reader: Reader, family: Family, wanted: Sequence[str]) -> list[Candidate]:
    """Return the candidates with adjusted probabilities, if a question about code does not ask for this family. What somebody
    said or noted may tell it where it is asked for, or where the question asks for no kind; what was read from a commit or a
    file is no better than its source."""
    is_said = asks_what_was_said(family.request.query)
    rows = [one.row for one in family.ranked if one.features] if is_said or not wanted else []
    said = {one.row for one in reader.load(rows) if one.item.session or one.item.sequence}
    return [
        one._replace(probability=_UNASKED_FACTOR * one.probability) if one.row not in said
        else one._replace(probability=min(1.0, one.probability + _SAID_BONUS * one.score)) if is_said
        else one
        for one in family.ranked
    ]  # fmt: skip


def _take_turns(
    heads: Sequence[Sequence[Candidate]], worth: list[float] | None, events: Mapping[int, str]
) -> list[Candidate]:
    """Return the candidates in the order in which the most valuable is taken each time, by probability or, with the `worth` of
    each family, by score. One whose event another family has already contributed goes to the end: for example, a fact from a
    commit."""
    left = [deque(head) for head in heads]
    family_of: dict[str, int] = {}  # event -> the family that contributed it
    first: list[Candidate] = []
    again: list[Candidate] = []

    def value(family: int) -> float:
        if not left[family]:
            return -1.0
        best = left[family][0]
        return best.probability if worth is None else worth[family] * best.score

    while any(left):
        family = max(range(len(left)), key=value)
        score, best = value(family), left[family].popleft()
        if family_of.setdefault(events.get(best.row, ""), family) != family:
            again.append(best._replace(score=0.0, probability=REPEAT_FACTOR * best.probability))
            continue
        first.append(best._replace(score=score))
        if worth is not None:
            worth[family] *= _TAKEN_FACTOR
    return [*scale_scores(first), *again]


def _value_family(family: Family, wanted: Sequence[str]) -> float:
    asked = any(kind in wanted for kind in family.request.where.kinds or ())
    return (_ASKED_WEIGHT if asked else 1.0) * (_PROBABILITY_OFFSET + family.ranked[0].probability)
