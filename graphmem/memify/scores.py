"""How important an item is and how much of it is left: pure functions of its use and of whole days, on arrays. Nothing
compounds, so a year of daily runs and one run a year later agree (REQUIREMENTS 19)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from graphmem.model.kinds import names_where

WEIGHTS = {"recency": 0.3, "frequency": 0.25, "citations": 0.25, "feedback": 0.2}
_DAYS, _LEFT = (0.0, 30.0, 90.0, 180.0), (1.0, 0.8, 0.5, 0.0)
_IGNORED = 0.1  # how much of a `wrong` it is to be shown and left alone: what is shown can be read without being opened
_MANY_USES, _MANY_CITATIONS = 50, 20  # from here on more of them says nothing more


class Policy(NamedTuple):
    """How a kind of item is forgotten: the shape of the curve, its half-life in days, and the floor below which it goes
    to the archive. `open` items (an unresolved gotcha, an open task) do not age."""

    curve: Literal["exponential", "linear", "step"]
    half_life: int
    floor: float


EPISODIC = Policy("exponential", 30, 0.1)
KNOWLEDGE = Policy("linear", 180, 0.3)
STATE = Policy("step", 14, 0.2)

# What has no row mirrors what is elsewhere (code, commits, documents on disk) and does not age.
POLICIES: dict[str, Policy] = {
    **dict.fromkeys(names_where(ageing="episodic"), EPISODIC),
    **dict.fromkeys(names_where(ageing="knowledge"), KNOWLEDGE),
    **dict.fromkeys(names_where(ageing="state"), STATE),
}


def recency_score(days: np.ndarray) -> np.ndarray:
    """1 today, .8 after 30 days, .5 after 90, 0 from 180 on."""
    return np.asarray(np.interp(days, _DAYS, _LEFT))


def saturating_score(count: np.ndarray, many: int) -> np.ndarray:
    """0 for none, 1 from `many` on, growing with the logarithm."""
    return np.asarray(np.minimum(1.0, np.log1p(count) / np.log1p(many)))


def feedback_score(useful: np.ndarray, wrong: np.ndarray, chosen: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """.5 where nobody judged, towards 1 with each `useful` and each time that it was opened, towards 0 with each `wrong`
    and, slowly, with each time that it was shown and left alone."""
    good, ignored = useful + chosen, np.maximum(0.0, shown - chosen)
    return np.asarray((good + 1.0) / (good + wrong + _IGNORED * ignored + 2.0))


def importance_score(days: np.ndarray, uses: np.ndarray, citations: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """In [0, 1]: recency, frequency, citations and feedback, weighted. `days` since it was last of interest, `judged` its
    feedback."""
    return (
        WEIGHTS["recency"] * recency_score(days)
        + WEIGHTS["frequency"] * saturating_score(uses, _MANY_USES)
        + WEIGHTS["citations"] * saturating_score(citations, _MANY_CITATIONS)
        + WEIGHTS["feedback"] * judged
    )


def retention_score(policy: Policy, days: np.ndarray) -> np.ndarray:
    """What is left after so many days without use, in [0, 1]: half at the half-life, whatever the curve."""
    half_lives = np.maximum(days, 0) / policy.half_life
    if policy.curve == "exponential":
        return np.asarray(np.power(0.5, half_lives))
    if policy.curve == "linear":
        return np.asarray(np.maximum(0.0, 1.0 - half_lives / 2))
    return np.asarray(np.select([half_lives < 1, half_lives < 2], [1.0, 0.5], 0.0))
