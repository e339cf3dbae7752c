"""Selects the person that a pronoun refers to: a log-linear model over `features.py` scores every candidate, and the
probabilities of all mentions of an entity are added. Without a threshold: any candidate gives an answer."""

from __future__ import annotations

import math
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from graphmem.text.references.analysis import Analysis
from graphmem.text.references.features import Pronoun, Scene
from graphmem.text.references.mentions import Mention, find_mentions


@cache
def _weights() -> dict[str, float]:
    table = tomllib.loads(files(__package__).joinpath("weights.toml").read_text("utf-8"))
    return {name: float(weight) for name, weight in table["person"].items()}


def resolve_people(analysis: Analysis, things: Sequence[tuple[int, int]] = ()) -> list[tuple[int, Mention]]:
    """Return pairs of a pronoun's token number and the mention that names the person. Names at one of `things` (offsets) that
    nothing in the text takes for a person are none."""
    mentions, entities = find_mentions(analysis)
    inert = {
        m.entity
        for m in mentions
        if not entities[m.entity].described and any(start < m.end and m.start < end for start, end in things)
    }
    scene = Scene(analysis, [m for m in mentions if m.entity not in inert], entities)
    found = []
    for pronoun in scene.pronouns:
        mention = _best(scene, pronoun)
        if mention is not None:
            found.append((pronoun.i, mention))
    return found


def _best(scene: Scene, pronoun: Pronoun) -> Mention | None:
    candidates = scene.candidates(pronoun)
    if not candidates:
        return None
    weights = _weights()
    scores = [sum(weights.get(f, 0.0) for f in scene.features(pronoun, m, candidates)) for m in candidates]
    top = max(scores)
    likely = [math.exp(score - top) for score in scores]
    mass: dict[int, float] = defaultdict(float)
    for mention, value in zip(candidates, likely, strict=True):
        mass[mention.entity] += value
    chosen = max(mass, key=lambda entity: mass[entity])
    return max(
        zip(candidates, likely, strict=True), key=lambda pair: (pair[0].entity == chosen, pair[1], -pair[0].first)
    )[0]
