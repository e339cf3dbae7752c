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
from graphmem.retrieve.concepts import READ, concept_signals
from graphmem.retrieve.expand import SYMBOLS
from graphmem.retrieve.proximity import proximity_signals
from graphmem.retrieve.reports import file_scores, is_report, quoted_file_scores
from graphmem.retrieve.rescoring import exact_identifier_match, similarity_to_best, soft_term_match
from graphmem.retrieve.state import State

# Weight of each signal in a hit's score. The channels words, vectors, entities and hop contribute candidates; the other
# signals only order them. Fitted on conversations, and checked on conversations that were not used for fitting.
WEIGHTS = {
    "words": 1.0,  # BM25; for a turn, together with the surrounding turns
    "window": 0.5,  # cosine of the surrounding turns
    "sentence": 0.35,  # cosine of the item itself, if the embedder encodes sentences rather than words
    "lead": 0.1,  # cosine of a turn with its predecessor
    "entities": 1.0,  # is about something that the query names
    "hop": 0.6,  # is about something that a top candidate mentions; a share of that candidate's score
    "answer": 0.45,  # follows a question that contains the query's words
    "length": 0.15,  # a long turn
    "question": -0.05,  # is a question itself
    "speaker": 0.15,  # said by a person whom the query names
    "spoken": 0.1,  # the same, and contains the query's words
    "dated": 0.1,  # contains a time, and the query asks when
    "time": 0.5,  # from the period that the query asks about
    "nearest": 0.05,  # similar to the best candidates
    "wordwise": 0.2,  # has a similar word for each word of the query
    "verbatim": 0.25,  # contains the identifiers of the query as written
    "sprawl": -0.8,  # one of many passages of a turn: long texts match by chance
    "person": 0.3,  # said by the person whom the query calls "I" or "you"
    "stated": 0.2,  # the same, and contains the query's words
    "output": -0.2,  # output of a tool
    "settles": 0.25,  # states a decision, rule or cause, and the query asks for one
    "phrase": 0.225,  # contains adjacent words of the query next to each other
    "said": 0.2,  # contains much of the query in one sentence
    "quote": 3.0,  # contains the whole query verbatim
    "quoted": 0.5,  # in a file that a bug report names
    "file": 0.25,  # in a file that matches much of a bug report
    "concepts": 0.8,  # says much of what a question about code is about, also in like words
    "titled": 0.3,  # the same of its title
}
TURN = "turn"
_WHEN = re.compile(r"\s*(?:since )?(?:when|what (?:time|date|day|year|month))\b|언제|며칠", re.IGNORECASE)
_DECIDED = re.compile(
    r"\b(?:why|decid\w*|decision|agree\w*|cho(?:se|sen|ice)|reasons?|cause[ds]?|conclu\w+|settled?|polic(?:y|ies)|rules?|allowed|must|should)\b"
    r"|왜|결정|이유|원인|합의|결론|규칙|정했",
    re.IGNORECASE,
)
_COVERED = 0.4  # coverage from which words are fully trusted
_ABSOLUTE = frozenset({"entities"})  # in [0, 1] by themselves
_ENOUGH = math.log1p(30)  # words of a turn that says enough
_LEANING = 40  # words of a turn up to which its neighbours count in full
_PERSONS = (  # who is meant in a conversation with an assistant
    ("user", re.compile(r"\b(?:i|my|me|mine|we|our|us)\b|내가|제가|나는|저는|내 |제 |우리", re.IGNORECASE)),
    ("assistant", re.compile(r"\b(?:you|your)\b|네가|당신|추천해 준|알려 준", re.IGNORECASE)),
)
_WRITTEN = 0.8  # what was written down on purpose says enough at any length


def rank_candidates(state: State) -> None:
    """Order the candidates."""
    rows = state.candidates()
    if not rows:
        return
    asked = [word.lower() for word in re.findall(r"\w+", state.query)[:100]]
    traits = state.ports.text.traits(rows, asked, [role for role, said in _PERSONS if said.search(state.query)])
    _similarity(state, rows, traits)
    _add_features(state, rows, traits)
    total = np.zeros(len(rows))
    trust = _trust(state)
    parts: dict[str, np.ndarray] = {}
    for name, weight in state.weights.items():
        scores = state.channels.get(name)
        if scores and name != "hop":
            values = _values(scores, rows)
            low, high = values.min(), values.max()
            if name == "words":
                weight *= trust
            if name in _ABSOLUTE:
                parts[name] = weight * values
            elif high > low:
                parts[name] = weight * (values - low) / (high - low)
            elif high > 0:
                parts[name] = weight * np.ones(len(rows))
            else:
                continue
            total += parts[name]
    hops = state.channels.get("hop")
    if hops and state.weights["hop"]:
        parts["hop"] = state.weights["hop"] * float(total.max()) * _values(hops, rows)
        total += parts["hop"]
    talk = (("nearest", similarity_to_best), ("wordwise", soft_term_match)) * (
        state.where.kinds is None or TURN in state.where.kinds
    )
    for name, look in (*talk, ("verbatim", exact_identifier_match)):
        if state.weights[name]:
            found = look(state, rows, total)
            state.channels[name] = dict(zip(rows, found.tolist(), strict=True))
            parts[name] = state.weights[name] * found
            total += parts[name]
    for name, values in proximity_signals(state, rows, total).items():
        state.channels[name] = dict(zip(rows, values.tolist(), strict=True))
        if state.weights[name]:
            parts[name] = state.weights[name] * values
            total += parts[name]
    if state.about_code:
        for name, values in _add_concepts(state, rows, total).items():
            total += parts.setdefault(name, state.weights[name] * values)
    if state.where.kinds == SYMBOLS and is_report(state):
        for name, look in (("quoted", quoted_file_scores), ("file", file_scores)):
            if state.weights[name]:
                parts[name] = state.weights[name] * look(state, rows, total) * float(total.max())
                total += parts[name]
    order = _folded(np.array(rows), traits.parent, total)
    scale = max(float(total.max()), 1e-9)
    state.ranked = [rows[i] for i in order]
    for i in order[: 2 * state.k + 1]:
        state.scores[rows[i]] = max(0.0, float(total[i]) / scale)
        state.why[rows[i]] = {name: round(float(values[i]) / scale, 4) for name, values in parts.items() if values[i]}


def _add_concepts(state: State, rows: list[int], total: np.ndarray) -> dict[str, np.ndarray]:
    """Add the signals of concepts, and return those that count in the score."""
    head = np.lexsort((np.array(rows), -total))[:READ].tolist()
    signals = concept_signals(state, rows, head)
    for name, values in signals.items():
        state.channels[name] = dict(zip(rows, values.tolist(), strict=True))
    return {name: values for name, values in signals.items() if state.weights.get(name)}


def _folded(rows: np.ndarray, parent: np.ndarray, total: np.ndarray) -> np.ndarray:
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


def _trust(state: State) -> float:
    """Return the weight factor of the words channel, in [0, 1]: low if even the best item contains few words of the
    query, unless a name was found."""
    if state.vector is None or not state.matches or state.channels.get("entities"):
        return 1.0
    return min(1.0, (max(match.coverage for match in state.matches.values()) / _COVERED) ** 2)


def _similarity(state: State, rows: list[int], traits: Traits) -> None:
    """Add the cosines of turns with their neighbours: the sum of the vectors stands for the joined text."""
    vectors = state.ports.vectors
    if vectors is None or state.vector is None:
        return
    around = np.array(state.ports.text.neighbours(rows, 2))
    near = vectors.vectors(around.ravel()).reshape(*around.shape, -1)
    own, leans = near[:, 2].copy(), np.minimum(1.0, _LEANING / np.maximum(traits.length, 1.0))
    near *= leans[:, None, None]
    near[:, 2] = own
    views = {"window": near.sum(axis=1), "lead": near[:, 1] + near[:, 2], "vectors": near[:, 2]}
    for name, summed in views.items():
        norms = np.maximum(np.linalg.norm(summed, axis=1), 1e-9)
        cosines = (summed @ state.vector / norms - state.unrelated) / (1 - state.unrelated)
        state.channels[name] = dict(zip(rows, np.clip(cosines, 0, 1).tolist(), strict=True))
    if isinstance(state.ports.embedder, QueryEmbedder):
        state.channels["sentence"] = state.channels["vectors"]


def _add_features(state: State, rows: list[int], traits: Traits) -> None:
    """Add the signals that tell candidates apart besides their words."""
    matches = [state.matches.get(row) for row in rows]
    own = np.array([match.own if match else 0.0 for match in matches])
    before = np.array([match.before if match else 0.0 for match in matches])
    signs = {
        "length": np.where(traits.turn, np.minimum(1.0, np.log1p(traits.length) / _ENOUGH), _WRITTEN),
        "sprawl": np.where(traits.turn, np.log(np.maximum(traits.passages, 1)), 0.0),
        "person": traits.turn & traits.meant,
        "stated": np.where(traits.turn & traits.meant, own, 0.0),
        "question": traits.turn & traits.asks,
        "answer": np.where(traits.answers, before, 0.0),
        "speaker": traits.turn & traits.named,
        "output": state.ports.text.traits(rows, ("tool",)).named & traits.turn,
        "spoken": np.where(traits.turn & traits.named, own, 0.0),
    }
    if _WHEN.match(state.query):
        signs["dated"] = traits.dated
    if _DECIDED.search(state.query):
        signs["settles"] = traits.settles
    if state.span:
        signs["time"] = (traits.at >= state.span[0]) & (traits.at < state.span[1])
    for name, values in signs.items():
        state.channels[name] = dict(zip(rows, values.astype(float).tolist(), strict=True))
