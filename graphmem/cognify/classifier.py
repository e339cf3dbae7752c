"""Estimates how much a statement is worth to somebody who works on the project a month later: 1 if a careful colleague would
keep it, 0 if not. A linear model over `features`, trained on statements of real sessions that a person labelled (`training`).
All arithmetic is in whole numbers, so the same statement gets the same score in every process and on every machine."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from graphmem.cognify.features import Read, features_of

WEIGHTS = Path(__file__).with_name("classifier.json")
UNIT = 10_000  # scale of weights, scores and thresholds


@cache
def _model() -> tuple[int, dict[str, int]]:
    model = json.loads(WEIGHTS.read_text("utf-8"))
    return model["bias"], model["weights"]


def worth_of(read: Read) -> int:
    """Return the worth of a statement in units of 1 / `UNIT`: about 0 for chatter, about `UNIT` for what everybody would
    keep."""
    bias, weights = _model()
    return bias + sum(count * weights.get(name, 0) for name, count in features_of(read).items())
