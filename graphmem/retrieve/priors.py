"""Applies priors: of hits that match about equally well, those that proved useful (`memify`) move up. Probabilities stay:
usefulness in general says nothing about this query. So this stage runs after calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphmem.retrieve.ports import Ports
from graphmem.retrieve.records import Candidate, Request

STANDING_WEIGHT = 0.5  # of the whole range of the standing, in units of the best score (`graphmem bench memify`)
_REPLACED_STANDING = 2.0  # what is thought of replaced items where somebody asks for them
_STEP = 1e-3  # by which a hit is put below another
_FEWEST_MEANT = 0.05  # score from which a hit is about the question, so that others are put below it
_CLEARLY_MEANT = 0.7  # of the best score: from there on what was replaced is what is asked for
_DEPTH_FACTOR = 2  # times the head: how far down a hit may come from


def apply_priors(ports: Ports, request: Request, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with the best of them reordered by score and prior."""
    weight = request.weights.get("standing", STANDING_WEIGHT)
    head, rest = ranked[: _DEPTH_FACTOR * request.head_size], ranked[_DEPTH_FACTOR * request.head_size :]
    if not weight or len(head) < 2:
        return list(ranked)
    standing = ports.text.standing([one.row for one in head])
    if request.is_past:
        standing = np.maximum(standing, 0.0)
    ended = standing < 0
    if standing.max() - standing.min() < 1e-9:
        return list(ranked)
    scored = np.array([one.score for one in head])
    behind = ended
    if request.where.replaced:  # the question is about what was replaced
        meant = ended & (scored >= _CLEARLY_MEANT * scored.max())
        standing = np.where(meant, _REPLACED_STANDING, np.maximum(standing, 0.0))
        behind = ~meant if meant.any() else np.zeros_like(ended)
    gain = weight * (standing - float(np.median(standing)))
    total = scored + gain
    total = _put_below(total, scored, behind)
    scores = np.clip(total / max(1.0, float(total.max())), 0.0, 1.0)
    order = np.argsort(-total, kind="stable").tolist()
    return [*(_with_gain(head[place], float(scores[place]), float(gain[place])) for place in order), *rest]


def _put_below(total: np.ndarray, scored: np.ndarray, behind: np.ndarray) -> np.ndarray:
    """Return the totals with those `behind` below the best of the others, however well their words match: of what holds and
    what no longer does, the question is about one."""
    asked = total[~behind & (scored >= _FEWEST_MEANT)]
    if not behind.any() or not len(asked):
        return total
    return np.where(behind, np.minimum(total, float(asked.max()) - _STEP * (1.0 + scored.max() - scored)), total)


def _with_gain(candidate: Candidate, score: float, gain: float) -> Candidate:
    why = {**candidate.why, "standing": round(gain, 4)} if gain else candidate.why
    return candidate._replace(score=score, why=why)
