"""Importance and retention of items: pure functions of usage and whole days, on arrays. Nothing accumulates, so a year of
daily runs and one run a year later agree."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from graphmem.model.kinds import names_where

WEIGHTS = {"recency": 0.3, "frequency": 0.25, "citations": 0.25, "feedback": 0.2}
_DAYS, _LEFT = (0.0, 30.0, 90.0, 180.0), (1.0, 0.8, 0.5, 0.0)
_IGNORED = 0.1  # weight of "shown but not opened" relative to `wrong`: items can be read without opening
_MANY_USES, _MANY_CITATIONS = 50, 20  # saturation: more makes no difference


class Policy(NamedTuple):
    """Decay of a kind of item: shape of the curve, half-life in days, and the threshold below which it is archived.
    `open` items (an unresolved gotcha, an open task) do not age."""

    curve: Literal["exponential", "linear", "step"]
    half_life: int
    floor: float


EPISODIC = Policy("exponential", 30, 0.1)
KNOWLEDGE = Policy("linear", 180, 0.3)
STATE = Policy("step", 14, 0.2)

# Kinds without a row (code, commits, documents) do not age.
POLICIES: dict[str, Policy] = {
    **dict.fromkeys(names_where(ageing="episodic"), EPISODIC),
    **dict.fromkeys(names_where(ageing="knowledge"), KNOWLEDGE),
    **dict.fromkeys(names_where(ageing="state"), STATE),
}


def recency_score(days: np.ndarray) -> np.ndarray:
    """Return 1 for today, .8 after 30 days, .5 after 90, 0 from 180 on."""
    return np.asarray(np.interp(days, _DAYS, _LEFT))


def saturating_score(count: np.ndarray, many: int) -> np.ndarray:
    """Return 0 for none, 1 from `many` on, growing logarithmically."""
    return np.asarray(np.minimum(1.0, np.log1p(count) / np.log1p(many)))


def feedback_score(useful: np.ndarray, wrong: np.ndarray, chosen: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Return .5 without feedback, towards 1 with each `useful` and each opening, towards 0 with each `wrong` and, slowly,
    with each time it was shown but not opened."""
    good, ignored = useful + chosen, np.maximum(0.0, shown - chosen)
    return np.asarray((good + 1.0) / (good + wrong + _IGNORED * ignored + 2.0))


def importance_score(days: np.ndarray, uses: np.ndarray, citations: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """Return the weighted sum of recency, frequency, citations and feedback, in [0, 1]. `days` since it was last
    relevant, `judged` is its feedback score."""
    return (
        WEIGHTS["recency"] * recency_score(days)
        + WEIGHTS["frequency"] * saturating_score(uses, _MANY_USES)
        + WEIGHTS["citations"] * saturating_score(citations, _MANY_CITATIONS)
        + WEIGHTS["feedback"] * judged
    )


def retention_score(policy: Policy, days: np.ndarray) -> np.ndarray:
    """Return what is left after so many days without use, in [0, 1]: half at the half-life, for every curve."""
    half_lives = np.maximum(days, 0) / policy.half_life
    if policy.curve == "exponential":
        return np.asarray(np.power(0.5, half_lives))
    if policy.curve == "linear":
        return np.asarray(np.maximum(0.0, 1.0 - half_lives / 2))
    return np.asarray(np.select([half_lives < 1, half_lives < 2], [1.0, 0.5], 0.0))
