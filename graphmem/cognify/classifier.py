"""Estimates how much a statement is worth to somebody who works on the project a month later: 1 if a careful colleague would
keep it, 0 if not. A linear model over `features`, trained on statements of real sessions that a person labelled (`training`).
All arithmetic is in whole numbers, so the same statement gets the same score in every process and on every machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from graphmem.cognify.features import Read, features_of

WEIGHTS = Path(__file__).with_name("classifier.json")
UNIT = 10_000  # scale of weights, scores and thresholds


class Model(NamedTuple):
    """A linear model in whole numbers, in units of 1 / `UNIT`."""

    bias: int
    weights: dict[str, int]


@cache
def load_model(path: Path) -> Model | None:
    """Return the model of a file, None if the file is missing. Raises `ValueError` if it is damaged."""
    try:
        model = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    return Model(model["bias"], model["weights"])


def score_of(model: Model, features: Mapping[str, int]) -> int:
    """Return what a model says of a statement with these features."""
    return model.bias + sum(count * model.weights.get(name, 0) for name, count in features.items())


def worth_of(read: Read) -> int | None:
    """Return the worth of a statement in units of 1 / `UNIT`: about 0 for chatter, about `UNIT` for what everybody would
    keep. None without a model."""
    model = load_model(WEIGHTS)
    return None if model is None else score_of(model, features_of(read))
