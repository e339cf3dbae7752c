"""Ranks candidates by a weighted sum of signals, each scaled to [0, 1] over the candidates. Reciprocal rank fusion would
discard how far apart the scores are (Bruch et al., "An Analysis of Fusion Functions for Hybrid Retrieval", 2023). `why` keeps
each signal's share."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import repeat

import numpy as np

from graphmem.ports.embedder import QueryEmbedder
from graphmem.ports.text import Traits
from graphmem.retrieve.analyse import is_report_text
from graphmem.retrieve.concepts import concept_signals
from graphmem.retrieve.kinds import COMMITS, SYMBOLS, TURN
from graphmem.retrieve.ports import Ports, Reader
from graphmem.retrieve.proximity import proximity_signals
from graphmem.retrieve.records import Analysis, Candidate, ChannelResults, Request
from graphmem.retrieve.reports import file_scores, frame_scores, quoted_file_scores
from graphmem.retrieve.rescoring import exact_identifier_match, similarity_to_best, soft_term_match

# Weight of each signal in a hit's score. The channels words, vectors, entities and hop contribute candidates; the other
# signals only order them. Fitted on conversations, and checked on conversations that were not used for fitting.
WEIGHTS = {
    "words": 1.0,  # BM25; for a turn, together with the surrounding turns
    "window": 0.5,  # cosine of the surrounding turns
    "sentence": 0.35,  # cosine of the item itself, if the embedder encodes sentences rather than words
    "previous_turn": 0.1,  # cosine of a turn with its predecessor
    "entities": 1.0,  # is about something that the query names
    "hop": 0.6,  # is about something that a top candidate mentions; a share of that candidate's score
    "answer": 0.45,  # follows a question that contains the query's words
    "length": 0.15,  # a long turn
    "question": -0.05,  # is a question itself
    "speaker": 0.15,  # said by a person whom the query names
    "speaker_words": 0.1,  # the same, and contains the query's words
    "dated": 0.1,  # contains a time, and the query asks when
    "time": 0.5,  # from the period that the query asks about
    "nearest": 0.05,  # similar to the best candidates
    "similar_words": 0.2,  # has a similar word for each word of the query
    "verbatim": 0.25,  # contains the identifiers of the query as written
    "passages": -0.8,  # one of many passages of a turn: long texts match by chance
    "person": 0.3,  # said by the person whom the query calls "I" or "you"
    "person_words": 0.2,  # the same, and contains the query's words
    "output": -0.2,  # output of a tool
    "decision": 0.25,  # states a decision, rule or cause, and the query asks for one
    "phrase": 0.225,  # contains adjacent words of the query next to each other
    "one_sentence": 0.2,  # contains much of the query in one sentence
    "quote": 3.0,  # contains the whole query verbatim
    "quoted": 0.5,  # in a file that a bug report names
    "frame": 0.4,  # in the innermost own frame of a stack trace of a bug report
    "file": 0.25,  # in a file that matches much of a bug report
    "concepts": 0.8,  # says much of what a question about code is about, also in like words
    "concepts_in_title": 0.3,  # the same of its title
}
_ASKS_WHEN = re.compile(r"\s*(?:since )?(?:when|what (?:time|date|day|year|month))\b|언제|며칠", re.IGNORECASE)
_ASKS_DECISION = re.compile(
    r"\b(?:why|decid\w*|decision|agree\w*|cho(?:se|sen|ice)|reasons?|cause[ds]?|conclu\w+|settled?|polic(?:y|ies)|rules?|allowed|must|should)\b"
    r"|왜|결정|이유|원인|합의|결론|규칙|정했",
    re.IGNORECASE,
)
# Coverage from which words are fully trusted, and how fast trust falls below it. A turn need not repeat what its neighbours
# say; of a text that stands alone, a word or two in common is chance.
_TRUST_IN_TURNS, _TRUST_IN_TEXTS = (0.4, 2), (0.8, 3)
_UNSCALED_CHANNELS = frozenset({"entities"})  # in [0, 1] by themselves
_LONG_TURN = math.log1p(30)  # words of a turn that says enough
_SHORT_TURN_WORDS = 40  # words of a turn up to which its neighbours count in full
_ADDRESSED_ROLES = (  # who is meant in a conversation with an assistant
    ("user", re.compile(r"\b(?:i|my|me|mine|we|our|us)\b|내가|제가|나는|저는|내 |제 |우리", re.IGNORECASE)),
    ("assistant", re.compile(r"\b(?:you|your)\b|네가|당신|추천해 준|알려 준", re.IGNORECASE)),
)
_WRITTEN_LENGTH = 0.8  # what was written down on purpose says enough at any length


class _Score:
    """The score of each candidate as a sum of weighted signals."""

    def __init__(self, weights: Mapping[str, float], rows: list[int]) -> None:
        self.weights, self.rows = weights, rows
        self.total = np.zeros(len(rows))
        self.parts: dict[str, np.ndarray] = {}  # signal -> its share of the total

    def add(self, name: str, values: np.ndarray, scale: float = 1.0) -> None:
        """Add a signal in [0, 1], times its weight and `scale`."""
        if weight := self.weights.get(name):
            self.parts[name] = weight * scale * values
            self.total += self.parts[name]

    def add_normalised(self, name: str, values: np.ndarray, trust: float) -> None:
        """Add a signal, scaled to [0, 1] over the candidates, times its weight and `trust`."""
        weight = self.weights[name] * trust
        low, high = values.min(), values.max()
        if high > 0 or high > low:
            scaled = weight * (values - low) / (high - low) if high > low else weight * np.ones(len(values))
            self.parts[name] = scaled
            self.total += scaled


def rank_candidates(reader: Reader, request: Request, analysis: Analysis, found: ChannelResults) -> list[Candidate]:
    """Return the candidates with their signals, best first. The first of them, twice the
    head and one more, have a score, and the share of each signal."""
    rows = found.rows
    if not rows:
        return []
    asked = [word.lower() for word in re.findall(r"\w+", request.query)[:100]]
    roles = [role for role, said in _ADDRESSED_ROLES if said.search(request.query)]
    traits = reader.ports.text.traits(rows, asked, roles)
    signals = {name: _values(scores, rows) for name, scores in found.channels.items() if scores}
    signals |= similarity_signals(reader.ports, analysis, rows, traits)
    signals |= trait_signals(reader.ports, request.query, analysis.span, found, traits)
    score = _Score(request.weights, rows)
    trust = _word_trust(request, analysis, found)
    _add_channels(score, signals, trust)
    signals |= _add_text_signals(score, reader, request, analysis, trust)
    order = _best_passages(np.array(rows), traits.parent, score.total).tolist()
    columns = {name: values.tolist() for name, values in signals.items()}
    of_row = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    ranked = [Candidate(rows[at], of_row[at], found.matches.get(rows[at])) for at in order]
    scale = max(float(score.total.max()), 1e-9)
    for place, at in enumerate(order[: 2 * request.head_size + 1]):
        why = {name: round(float(values[at]) / scale, 4) for name, values in score.parts.items() if values[at]}
        ranked[place] = ranked[place]._replace(score=max(0.0, float(score.total[at]) / scale), why=why)
    return ranked


def _add_channels(score: _Score, signals: Mapping[str, np.ndarray], trust: float) -> None:
    """Add the signals that need no text. `trust` is the factor of the words channel."""
    for name in score.weights:
        if name not in signals or name == "hop":
            continue
        if name in _UNSCALED_CHANNELS:
            score.add(name, signals[name])
        else:
            score.add_normalised(name, signals[name], trust if name == "words" else 1.0)
    if "hop" in signals:
        score.add("hop", signals["hop"], float(score.total.max()))


def _add_text_signals(
    score: _Score, reader: Reader, request: Request, analysis: Analysis, trust: float
) -> dict[str, np.ndarray]:
    """Add the signals that are read from the texts of the best candidates, and return them. `trust` is the factor of the words
    channel."""
    rows, query, kinds = score.rows, request.query, request.where.kinds
    found: dict[str, np.ndarray] = {}

    def add(name: str, values: np.ndarray) -> None:
        found[name] = values
        score.add(name, values)

    if _has_turns(request) or (trust < 1 and _asks_for_texts(request, analysis)):
        add("nearest", similarity_to_best(reader.ports, analysis, rows, score.total))
        add("similar_words", soft_term_match(reader, request, rows, score.total))
    add("verbatim", exact_identifier_match(reader, query, rows, score.total))
    for name, values in proximity_signals(reader, request, rows, score.total).items():
        add(name, values)
    if analysis.about_code:
        for name, values in concept_signals(reader, request, rows, score.total).items():
            add(name, values)
    if kinds == SYMBOLS and is_report_text(query):
        score.add("quoted", quoted_file_scores(reader, query, rows, score.total), float(score.total.max()))
        score.add("frame", frame_scores(reader, query, rows, score.total), float(score.total.max()))
        score.add("file", file_scores(reader, rows, score.total), float(score.total.max()))
    return found


def _best_passages(rows: np.ndarray, parent: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the order of candidates with only the best passage of each item: several matching passages usually mean
    that the item is long, not that it answers."""
    order = np.lexsort((rows, -total))
    if not parent.any():
        return order
    first: dict[int, int] = {}  # place of the best passage of each item
    kept = [at for at in order.tolist() if not parent[at] or first.setdefault(int(parent[at]), at) == at]
    return np.array(kept)


def _values(scores: Mapping[int, float], rows: list[int]) -> np.ndarray:
    return np.fromiter(map(scores.get, rows, repeat(0.0)), np.float64, len(rows))


def _has_turns(request: Request) -> bool:
    return request.where.kinds is None or TURN in request.where.kinds


def _asks_for_texts(request: Request, analysis: Analysis) -> bool:
    """Return whether a short query is put to texts that stand alone: neither conversations, code nor history."""
    is_code = analysis.about_code or bool({*SYMBOLS, *COMMITS} & set(request.where.kinds or ()))
    return not _has_turns(request) and not is_code and not is_report_text(request.query)


def _word_trust(request: Request, analysis: Analysis, found: ChannelResults) -> float:
    """Return the weight factor of the words channel, in [0, 1]: low if even the best item contains few words of the
    query, unless a name was found."""
    if analysis.vector is None or not found.matches or found.channels.get("entities"):
        return 1.0
    full, power = _TRUST_IN_TEXTS if _asks_for_texts(request, analysis) else _TRUST_IN_TURNS
    return float(min(1.0, (max(match.coverage for match in found.matches.values()) / full) ** power))


def similarity_signals(ports: Ports, analysis: Analysis, rows: list[int], traits: Traits) -> dict[str, np.ndarray]:
    """Return the cosines of the query with each item (`vectors`) and, in a conversation, with its neighbours (`window`,
    `previous_turn`), in [0, 1]."""
    if ports.vectors is None or analysis.vector is None:
        return {}
    around = np.array(ports.text.neighbours(rows, 2))
    near = ports.vectors.vectors(around.ravel()).reshape(*around.shape, -1)
    own, leans = near[:, 2].copy(), np.minimum(1.0, _SHORT_TURN_WORDS / np.maximum(traits.length, 1.0))
    near *= leans[:, None, None]
    near[:, 2] = own
    found = {}
    # The sum of vectors stands for the joined text.
    for name, summed in (
        ("window", near.sum(axis=1)),
        ("previous_turn", near[:, 1] + near[:, 2]),
        ("vectors", near[:, 2]),
    ):
        norms = np.maximum(np.linalg.norm(summed, axis=1), 1e-9)
        cosines = (summed @ analysis.vector / norms - analysis.unrelated) / (1 - analysis.unrelated)
        found[name] = np.clip(cosines, 0, 1).astype(np.float64)
    if isinstance(ports.embedder, QueryEmbedder):
        found["sentence"] = found["vectors"]
    return found


def trait_signals(
    ports: Ports, query: str, span: tuple[int, int] | None, found: ChannelResults, traits: Traits
) -> dict[str, np.ndarray]:
    """Return the signals that tell candidates apart besides their words. `span`: the period that the query asks about."""
    rows = found.rows
    matches = [found.matches.get(row) for row in rows]
    own = np.array([match.own if match else 0.0 for match in matches])
    before = np.array([match.before if match else 0.0 for match in matches])
    signals = {
        "length": np.where(traits.turn, np.minimum(1.0, np.log1p(traits.length) / _LONG_TURN), _WRITTEN_LENGTH),
        "passages": np.where(traits.turn, np.log(np.maximum(traits.passages, 1)), 0.0),
        "person": traits.turn & traits.meant,
        "person_words": np.where(traits.turn & traits.meant, own, 0.0),
        "question": traits.turn & traits.asks,
        "answer": np.where(traits.answers, before, 0.0),
        "speaker": traits.turn & traits.named,
        "output": ports.text.traits(rows, ("tool",)).named & traits.turn,
        "speaker_words": np.where(traits.turn & traits.named, own, 0.0),
    }
    if _ASKS_WHEN.match(query):
        signals["dated"] = traits.dated
    if _ASKS_DECISION.search(query):
        signals["decision"] = traits.settles
    if span:
        signals["time"] = (traits.at >= span[0]) & (traits.at < span[1])
    return {name: values.astype(np.float64) for name, values in signals.items()}
