"""Looks a last time at a statement that the rules and the other models would keep. They were made with the projects that somebody
had read, and fit those; these two linear models in whole numbers, one for agents and one for persons, were fitted to statements
of many more, each of which counts when its own project is left out (`training --last`). They see everything that is known by
then: the features and scores of the other models, and by which rules a statement came so far. Without the files of their
weights everything passes; no model has read Korean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graphmem.cognify import person_look, second_look
from graphmem.cognify.classifier import UNIT, load_model, score_of, worth_of
from graphmem.cognify.features import Read
from graphmem.cognify.person_look import person_features
from graphmem.cognify.second_look import all_features, is_long
from graphmem.model.text import EntityMention

WEIGHTS = {
    "agent": Path(__file__).with_name("last_look_agent.json"),
    "user": Path(__file__).with_name("last_look_person.json"),
}
# Least worth, chosen for few wrong ones (`guides/benchmarks`); in a short text of an agent, the model is surer.
_LEAST = {"agent": round(0.55 * UNIT), "user": round(0.4 * UNIT)}
_LEAST_BRIEF = {"agent": round(0.465 * UNIT), "user": round(0.45 * UNIT)}
_BRIEF = 300  # characters
_FINE = UNIT // 100  # a score is a feature in hundredths
MARKS = ("labelled", "revises", "read", "recognised", "claimed", "value", "found", "kept")


def look_last(read: Read, mentions: Sequence[EntityMention], marks: frozenset[str]) -> bool:
    """Return whether a statement is worth keeping. `marks` are those of `MARKS` that tell how it came so far."""
    model, least = load_model(WEIGHTS[read.speaker]), _LEAST_BRIEF if len(read.text) <= _BRIEF else _LEAST
    return model is None or score_of(model, last_features(read, mentions, marks)) >= least[read.speaker]


def last_features(read: Read, mentions: Sequence[EntityMention], marks: frozenset[str]) -> dict[str, int]:
    """Return the features of a statement that are not 0: those of the other models, what these say, and its marks."""
    found = all_features(read, mentions)
    if read.speaker == "user":
        found |= person_features(read)
    looks = second_look.SHORT_WEIGHTS if not is_long(read.text) else second_look.WEIGHTS
    model = load_model(person_look.WEIGHTS if read.speaker == "user" else looks)
    scores = {"first look": worth_of(read) or 0, "second look": score_of(model, found) if model else 0}
    told = {f"is {mark}": 1 for mark in MARKS if mark in marks}
    return found | told | {name: score // _FINE for name, score in scores.items() if score // _FINE}
