"""Estimates the probability that a hit answers the query, and the confidence of the result. Logistic models: whether a hit
answers (`meant`; `question` for questions about code), whether the store contains the answer (`there`; `answered` for
questions about code), and whether it contains the subject (`known`). Conversations: also `answerable.py`.
`python -m graphmem.bench.calibration DIR` fits `meant`, `there` and `known` on clones of public repositories."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from graphmem.model.changes import Item
from graphmem.model.results import NOWHERE
from graphmem.retrieve.answerable import answer_probability, topic_probability
from graphmem.retrieve.asking import BY_FORM
from graphmem.retrieve.concepts import SIGNALS as CONCEPTS
from graphmem.retrieve.concepts import assess_knowledge
from graphmem.retrieve.demote import put_likely_parts_first
from graphmem.retrieve.echoes import replace_echoes_by_replies
from graphmem.retrieve.kinds import TURN
from graphmem.retrieve.ports import Ports, Reader
from graphmem.retrieve.records import Analysis, Candidate, Family, Merged, Request, Verdict, sort_scores
from graphmem.retrieve.stems import stem
from graphmem.retrieve.unknown import find_unknown
from graphmem.text.keys import identifiers
from graphmem.text.words import content_words, is_question

_MAX_HALF_CHARS = 200  # characters of a turn that may be half a sentence
_MIN_TOLD_SHARE = 0.6  # share of the words of a fact that a turn has which says it itself
HIGH, GAP, SUGGESTED = 0.92, 0.03, 0.75
MIN_RESTATED_SHARE = 0.85  # share of words in common from which a hit is what the query itself says
_MIN_ESTIMATED_HITS = 30  # hits of each family whose probability is estimated, where a question is about code
_MIN_ANSWER_PROBABILITY = 0.18  # probability that a question about code has an answer, below which it has none
_UNKNOWN_NAME_FACTOR = 0.3  # what is left of it where a name of the question occurs nowhere
_MAX_EVIDENCE_HITS = 10  # hits that say whether anything is relevant
_MIN_QUOTED_TERMS = 4  # terms of a query that a text holds word for word: whoever types them means that text
REPEAT_FACTOR = 0.1  # of the probability of a hit, where another one of the same event says it already
_ASKED_KIND_LOG_ODDS = (
    1.4  # log odds of a kind that the wording asks for, beside what was learnt; of another kind as much less
)
_MIN_SPELT_OUT = 1.4  # strength of a name with which the query spells out this very symbol
_MAX_QUERY_WORDS = 40  # words of a query whose rarity is looked up
_OTHER_VERSION_FACTOR = 0.5  # of the probability of a text without the version whose change a question asks for
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)+)(?!\.?\w)")
_ASKS_CHANGE = re.compile(
    r"\b(?:drop|remov|add|support|introduc|requir|deprecat|chang|fix|bump|upgrad|new)\w*|지원|제거|추가|변경|바뀌", re.I
)
_SIGNALS = (
    "window",
    "entities",
    "hop",
    "answer",
    "one_sentence",
    "phrase",
    "quote",
    "verbatim",
    "decision",
    "person",
    *CONCEPTS,
)


def estimate_hits(reader: Reader, family: Family) -> list[Candidate]:
    """Return the candidates of a family, the best of them with features and probability. Probabilities never rise from one hit
    to the next."""
    request, analysis = family.request, family.analysis
    most = max(2 * request.head_size + 1, _MIN_ESTIMATED_HITS if analysis.about_code else 0)
    items = {one.row: one.item for one in reader.load(one.row for one in family.ranked[:most])}
    leads, again = _group_events(family.ranked[:most], items)
    head = [*leads, *again]
    head = [_estimate(reader, family, head, place, items) for place in range(len(head))]
    leads, again = head[: len(leads)], head[len(leads) :]
    leads = replace_echoes_by_replies(reader.ports.text, request.query, leads, items)
    if analysis.about_code:
        leads = sort_scores(sorted(leads, key=lambda one: -one.probability))
        leads = put_likely_parts_first(reader, request.query, leads)
    again = [one._replace(probability=REPEAT_FACTOR * one.probability) for one in again]
    return [*_level_probabilities(leads), *again, *family.ranked[most:]]


def _estimate(
    reader: Reader, family: Family, ranked: Sequence[Candidate], place: int, items: Mapping[int, Item]
) -> Candidate:
    """Return the candidate at a place of the ranking with its features and probability."""
    kind = items[ranked[place].row].kind if ranked[place].row in items else ""
    features = hit_features(family.analysis, ranked, place, kind)
    candidate = ranked[place]._replace(features=features)
    return candidate._replace(probability=_estimate_probability(reader, family, candidate, kind))


def _group_events(ranked: Sequence[Candidate], items: Mapping[int, Item]) -> tuple[list[Candidate], list[Candidate]]:
    """Return the candidates, one of each event, and those that repeat one of them: a fact next to the turn that it was read
    from. Of both the source leads, in the better place of the two, unless it is half a sentence that the fact completes."""
    groups: dict[str, list[Candidate]] = {}
    for one in ranked:
        item = items.get(one.row)
        groups.setdefault((item.event or item.id) if item else str(one.row), []).append(one)
    leads, again = [], []
    for group in groups.values():
        lead = next((one for one in group if one.row in items and items[one.row].kind != "fact"), None)
        if lead is None:  # several facts of one turn say several things
            leads += group
            continue
        whole = [one for one in group if one is not lead and _completes(items[one.row], items[lead.row])]
        if whole:
            leads += whole
            again += [one for one in group if one not in whole]
            continue
        leads.append(lead._replace(score=max(one.score for one in group)))
        again += [one for one in group if one is not lead]
    return leads, again


def _completes(fact: Item, source: Item) -> bool:
    """Return whether a fact says what its source leaves out: "The port of the gateway is 50061." of "ah wait no, 50061"."""
    if fact.kind != "fact" or source.kind != TURN or len(source.text) > _MAX_HALF_CHARS:
        return False
    told, said = (set(map(stem, content_words(one.text))) for one in (fact, source))
    return len(told & said) < _MIN_TOLD_SHARE * len(told)


def calibrate_hits(
    reader: Reader, request: Request, analysis: Analysis, merged: Merged
) -> tuple[list[Candidate], Verdict]:
    """Return the candidates with the best of them ordered by probability, and the confidence of the result."""
    if not merged.ranked or not analysis.terms:
        return [one._replace(probability=0.0) for one in merged.ranked], Verdict()
    size = request.head_size
    head = list(merged.ranked[:size])
    # A reranker has read the hits: its order stays.
    head = _level_probabilities(head) if reader.ports.reranker is not None else _order(head, merged.leading)
    ranked = [*head, *merged.ranked[size:]]
    best = [one.probability for one in ranked[:2]]
    kind = reader.load([ranked[0].row])[0].item.kind
    if merged.about_code and kind in BY_FORM:
        gap = best[0] - best[1] if len(best) > 1 else math.inf
        return ranked, _judge_question(reader, request, ranked[:_MAX_EVIDENCE_HITS], gap)
    gap = best[0] - best[1] if len(head) > 1 else math.inf
    return ranked, _judge_answer(reader, request, ranked, gap, is_talk=kind == "turn")


def _judge_question(reader: Reader, request: Request, best: Sequence[Candidate], gap: float) -> Verdict:
    """Return the verdict on a question about code: none if a name of the question occurs nowhere, or if the answer is probably not
    there. `best` are the first hits, `gap` is how far the probability of the second is below that of the first."""
    first = best[0].probability
    names = dict.fromkeys(find_unknown(reader, request.query, [one.row for one in best]), NOWHERE)
    probability = apply_model("answered", _question_evidence(reader, request, best))
    probability = max(first, probability) if first >= HIGH else probability
    if names:
        probability *= _UNKNOWN_NAME_FACTOR
    if first >= HIGH and gap >= GAP and not names:
        return Verdict("high", probability, names)
    if probability < _MIN_ANSWER_PROBABILITY or names:
        return Verdict("none", probability, names)
    unknown = _find_unknown_number(reader.ports, request.query)
    return Verdict("none" if unknown else "suggested", probability, unknown)


def _question_evidence(reader: Reader, request: Request, best: Sequence[Candidate]) -> dict[str, float]:
    """Return the features of a question about code: what the store knows of its words, and the most that a hit says of them."""
    chance = min(0.999, max(1e-4, best[0].probability))
    return {
        **assess_knowledge(reader, request)._asdict(),
        "best": math.log(chance / (1 - chance)),
        **{
            name: max((one.features.get(name, 0.0) for one in best), default=0.0)
            for name in ("one_sentence", "coverage", "concepts_in_title", "cosine", "window")
        },
    }


def _judge_answer(
    reader: Reader, request: Request, ranked: Sequence[Candidate], gap: float, *, is_talk: bool
) -> Verdict:
    """Return the verdict on any other query, by how likely the store contains the subject and the answer. `gap` is how far the
    probability of the second hit is below that of the first; a first hit from a conversation (`is_talk`) is judged otherwise."""
    evidence = answer_evidence(reader.ports, request, ranked)
    known, there = apply_model("known", evidence), apply_model("there", evidence)
    if is_talk:
        texts = [one.item.text for one in reader.load(one.row for one in ranked[:_MAX_EVIDENCE_HITS])]
        known, there = topic_probability(evidence), answer_probability(request.query, texts, there)
    best = ranked[0].probability
    probability = max(known * there, best if best >= HIGH else 0.0)
    if best >= HIGH and gap >= GAP:
        return Verdict("high", probability)
    if max(best, known) < SUGGESTED:
        return Verdict("none", probability)
    unknown = _find_unknown_number(reader.ports, request.query)
    return Verdict("none" if unknown else "suggested", probability, unknown)


def nonincreasing_fit(values: Sequence[float]) -> list[float]:
    """Return the non-increasing values nearest to the given ones (isotonic regression by pool adjacent violators).

    >>> nonincreasing_fit([0.5, 0.2, 0.4, 0.1])
    [0.5, 0.30000000000000004, 0.30000000000000004, 0.1]
    """
    pools: list[tuple[float, int]] = []
    for value in values:
        total, count = value, 1
        while pools and pools[-1][0] / pools[-1][1] < total / count:
            before = pools.pop()
            total, count = total + before[0], count + before[1]
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]


def _level_probabilities(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with the nearest probabilities that never rise."""
    fitted = nonincreasing_fit([one.probability for one in ranked])
    return [one._replace(probability=value) for one, value in zip(ranked, fitted, strict=True)]


def _order(head: list[Candidate], leading: int) -> list[Candidate]:
    """Return candidates by probability, with falling scores. The first `leading` ones stay first."""
    ordered = head[:leading] + sorted(head[leading:], key=lambda one: -one.probability)
    if leading:
        ordered = _level_probabilities(ordered)
    is_kept = not leading and [one.row for one in ordered] == [one.row for one in head]
    return ordered if is_kept else sort_scores(ordered)


@cache
def load_models() -> Mapping[str, Any]:
    """Return the models by name, each with its bias and weights. `calibration.json` is written by the command above; those of
    `questions.json` were fitted once, on 250 questions to ten public repositories, each left out in turn."""
    folder = Path(__file__).parent / "data"
    names = ("calibration.json", "questions.json")
    return {name: one for file in names for name, one in json.loads((folder / file).read_text("utf-8")).items()}


def apply_model(model: str, features: Mapping[str, float], kind: str = "", more: float = 0.0) -> float:
    """Return the probability that a model gives to features; a name that it has no weight for counts nothing. `more` is
    added to its log odds."""
    one = load_models()[model]
    total = one["bias"] + one.get("kinds", {}).get(kind, 0.0) + more
    total += sum(weight * features.get(name, 0.0) for name, weight in one["weights"].items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _estimate_probability(reader: Reader, family: Family, candidate: Candidate, kind: str) -> float:
    """Return the probability that a candidate answers, from its features."""
    features, analysis = candidate.features, family.analysis
    is_asked = not analysis.wanted or kind in analysis.wanted
    is_spelt_out = kind == "symbol" and features["entities"] >= _MIN_SPELT_OUT
    if analysis.about_code:
        wanted = analysis.wanted if is_asked or not is_spelt_out else (*analysis.wanted, kind)  # it is asked about
        known = {**features, "entities": 0.0} if is_spelt_out else features
        probability = apply_model("question", {**known, **question_features(wanted, kind)})
    else:
        asked = (
            0.0 if not analysis.wanted else _ASKED_KIND_LOG_ODDS if kind in analysis.wanted else -_ASKED_KIND_LOG_ODDS
        )
        probability = apply_model("meant", features, kind, asked)
    if (features["quote"] and len(analysis.terms) >= _MIN_QUOTED_TERMS) or (
        is_spelt_out and is_asked and not features["test_mismatch"]
    ):
        probability = max(probability, HIGH + GAP)
    if _lacks_version(reader, family.request.query, candidate.row):
        return _OTHER_VERSION_FACTOR * probability
    if features["coverage"] > 0.9:
        probability = max(probability, _restated_share(reader, family.request.query, candidate.row))
    return probability


def _lacks_version(reader: Reader, query: str, row: int) -> bool:
    """Return whether a question is about a change of one version, and the item names others only."""
    asked = _VERSION.findall(query)
    if not asked or not _ASKS_CHANGE.search(query):
        return False
    said = "\n".join(f"{one.item.title}\n{one.item.text}" for one in reader.load([row]))
    forms = (rf"(?<![\d.]){re.escape(one)}(?!\d)|(?<!\d){one.replace('.', '')}(?!\d)" for one in asked)  # 3.7.1, py37
    return not any(re.search(form, said) for form in forms)


def question_features(wanted: Sequence[str], kind: str) -> dict[str, float]:
    """Return whether a kind is the one that a question asks for, one that may serve, or another. How something is done is told by
    a page; code serves where no page does."""
    asked = [one for one in wanted if one in BY_FORM]
    serves = kind in asked[1:] and asked[0] != "document"
    other = bool(asked) and not serves and asked[0] != kind
    return {
        "asked": float(asked[:1] == [kind]),
        "second": float(serves),
        "unasked": float(other),
        "strict": float(other and len(asked) == 1),
    }


def hit_features(analysis: Analysis, ranked: Sequence[Candidate], place: int, kind: str) -> dict[str, float]:
    """Return the features of the candidate at a place: how much of the query it says, how near it is, and how far its score is
    above that of its best rival."""
    one = ranked[place]
    rival = ranked[1] if place == 0 and len(ranked) > 1 else ranked[0]
    coverage = one.match.coverage if one.match else 0.0
    found = {name: one.signals.get(name, 0.0) for name in _SIGNALS} | {
        "coverage": coverage,
        "own": one.match.own if one.match else 0.0,
        "cosine": one.signals.get("vectors", 0.0),
        "score": one.score,
        "lead": one.score - rival.score if rival is not one else 1.0,
        "first": float(place == 0),
        "rank": math.log1p(place),
        "wanted": float(kind in analysis.wanted),
        "words": min(1.0, len(analysis.terms) / 10),
    }
    if analysis.vector is None:  # words must make up for it
        found["cosine"] = found["window"] = 0.45 * coverage
    return found


def answer_evidence(ports: Ports, request: Request, ranked: Sequence[Candidate]) -> dict[str, float]:
    """Return the features of a result: the best that a single passage says of the query, how far the first hit is above the
    others, and which share of the words of the query occurs nowhere."""
    head = [one for one in ranked[:_MAX_EVIDENCE_HITS] if one.features]
    if not head:
        return {}
    first = head[0].features
    words = content_words(request.query)[:_MAX_QUERY_WORDS]
    having = ports.text.frequencies(words, request.where)[1]
    chances = sorted((one.probability for one in head), reverse=True)
    return {
        **{
            f"best_{name}": max(one.features[name] for one in head)
            for name in ("coverage", "own", "one_sentence", "phrase", "cosine", "entities")
        },
        **{
            f"first_{name}": first[name]
            for name in ("coverage", "own", "one_sentence", "cosine", "window", "lead", "wanted")
        },
        "chance": chances[0],
        "gap": chances[0] - chances[1] if len(chances) > 1 else chances[0],
        "unknown": having.count(0) / (len(having) or 1),
        "words": min(1.0, len(words) / 10),
    }


def _find_unknown_number(ports: Ports, query: str) -> dict[str, str]:
    """Return the first name in the query that has a number which occurs nowhere: its other words only find others of that
    kind."""
    for name in identifiers(query):
        if ports.text.unknown([part for part in name.lower().split("-") if part.isdigit()]):
            return {name: NOWHERE}
    return {}


def _restated_share(reader: Reader, query: str, row: int) -> float:
    """Return the share of words that an item and the query have in common, if that is almost all; 0 for a question."""
    for stored in reader.load([row]):
        if is_question(stored.item.text):
            return 0.0
        asked, said = set(content_words(query)), set(content_words(f"{stored.item.title} {stored.item.text}"))
        share = len(asked & said) / (len(asked | said) or 1)
        return share if share >= MIN_RESTATED_SHARE else 0.0
    return 0.0
