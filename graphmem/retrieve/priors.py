"""Applies priors: of hits that match about equally well, those that proved useful move up. Importance, level and doubt
(from `memify`) move a hit by a few places. They never change its probability, because usefulness in general says nothing
about this query; therefore this stage runs after calibration."""

from __future__ import annotations

import numpy as np

from graphmem.retrieve.state import State

WEIGHT = 0.5  # of the whole range of the standing, in units of the best score (`graphmem bench memify`)
_FORMER = 2.0  # what is thought of replaced items where somebody asks for them
_POOL = 2  # times k: how far down a hit may come from


def apply_priors(state: State) -> None:
    """Reorder the best hits by score and prior."""
    weight = state.weights.get("standing", WEIGHT)
    rows = state.ranked[: _POOL * state.k]
    if not weight or len(rows) < 2:
        return
    standing = state.ports.text.standing(rows)
    if standing.max() - standing.min() < 1e-9:
        return
    if state.where.replaced:  # the question is about what was replaced
        standing = np.where(standing < 0, _FORMER, standing)
    gain = weight * (standing - float(np.median(standing)))
    before = np.array([state.scores.get(row, 0.0) for row in rows])
    after = np.clip((before + gain) / max(1.0, float((before + gain).max())), 0.0, 1.0)
    order = np.argsort(-(before + gain), kind="stable").tolist()
    state.ranked[: len(rows)] = [rows[place] for place in order]
    for place in order:
        row = rows[place]
        if gain[place]:
            state.why[row] = {**state.why.get(row, {}), "standing": round(float(gain[place]), 4)}
        state.scores[row] = float(after[place])
