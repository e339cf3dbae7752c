"""Chooses the first hits for a bug report: at most one from each family (code, history, conversation)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

from graphmem.retrieve.kinds import DOCUMENTS, SYMBOLS
from graphmem.retrieve.ports import Reader
from graphmem.retrieve.records import Candidate, Family
from graphmem.text.deciding import mentions_amendment

_MAX_COMPARED = 5  # best items of a family that are compared by coverage
_MIN_COVERAGE = 0.35  # coverage of the report from which a source comes first
_MIN_SENTENCE_COVERAGE = 0.15  # share of the report in the best sentence of a source; below, its coverage counts as 0
_MAX_AMENDMENT_CANDIDATES = 40  # best items of a family that may amend the chosen one
_MIN_RELATIVE_COVERAGE = 0.4  # share of the coverage of the amended turn that an amendment needs


def choose_lead_hits(reader: Reader, families: Sequence[Family], events: Mapping[int, str]) -> list[Candidate]:
    """Return the candidates to show first: the best of each family, each from a different event, by decreasing probability.
    The source (commit or turn) that covers most of the report precedes the others if it covers enough. `events` maps rows to
    their events."""
    leads: dict[str, Candidate] = {}  # by event
    sources: list[tuple[float, Candidate]] = []  # with the coverage of each
    for family in families:
        kinds, head = family.request.where.kinds, family.ranked[:_MAX_AMENDMENT_CANDIDATES]
        fresh = [one for one in head if events.get(one.row, "") not in leads]
        if kinds == DOCUMENTS or not fresh:
            continue
        lead = fresh[0]
        if kinds != SYMBOLS:
            best = max(fresh[:_MAX_COMPARED], key=_report_coverage)
            lead = _find_amendment(reader, best, fresh)
            sources.append((_report_coverage(best), lead))
        leads[events.get(lead.row, "")] = lead
    ordered = sorted(leads.values(), key=lambda one: -one.probability)
    coverage, source = max(sources, key=itemgetter(0), default=(0.0, None))
    if source is None or coverage < _MIN_COVERAGE:
        return ordered
    # It may state a decision that the obvious fix would break.
    return [source, *(one for one in ordered if one.row != source.row)]


def _report_coverage(candidate: Candidate) -> float:
    """Return the share of the report in the best sentence of an item plus the share in the whole item (0 to 2); 0 if every
    sentence covers little."""
    features = candidate.features
    if not features or features["one_sentence"] < _MIN_SENTENCE_COVERAGE:
        return 0.0
    return features["one_sentence"] + features["coverage"]


def _find_amendment(reader: Reader, candidate: Candidate, others: Sequence[Candidate]) -> Candidate:
    """Return the turn of a later session that changes what was agreed in the session of this turn; the turn itself if
    there is none."""
    stored = reader.load([candidate.row])
    if not stored or not stored[0].item.session or candidate.match is None:
        return candidate
    item, least = stored[0].item, _MIN_RELATIVE_COVERAGE * candidate.match.coverage
    by_row = {one.row: one for one in others}
    for other in reader.load(by_row):
        later = other.item.kind == "turn" and other.item.session != item.session and other.item.at > item.at
        match = by_row[other.row].match
        if later and match is not None and match.coverage >= least and mentions_amendment(other.item.text):
            return by_row[other.row]
    return candidate
