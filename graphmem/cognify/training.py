"""Trains the model of `second_look` for long texts (`python -m graphmem.cognify.training LABELLED.jsonl`) and writes its
weights. With `--short`, the one for short texts, for which only what agents say is read; with `--person`, that of `person_look`,
for which only what persons say is read; with `--first`, that of `classifier`, which has fewer features; with `--last agent` or
`--last user`, that of `last_look`, for which only what such speakers say is read.

Each line of the file is a statement that somebody read and labelled: `{"project", "speaker": "user" or "agent", "kind",
"content": the statement as a fact words it, "text": what it was said in, "start", "end": its place there, "label":
"keep", "neutral" or "drop"}`. Keep: true beyond the session, understood alone, specific, settled. Neutral: true, but of
little use later. For `--last`, a line also has "marks", those of `last_look.MARKS` that hold. With `--prior`, an earlier model is
corrected rather than replaced: only what it leaves is fitted. With `--check`, the model is trained without each project in turn
and tried on it, and nothing is written; a prior that has seen the same projects makes these figures too good."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import Ridge

from graphmem.cognify import classifier, last_look, person_look, second_look
from graphmem.cognify.classifier import UNIT, Model, load_model, score_of
from graphmem.cognify.features import Read, features_of
from graphmem.cognify.last_look import MARKS, last_features
from graphmem.cognify.person_look import person_features
from graphmem.cognify.second_look import all_features, is_long
from graphmem.text.entities import extract_all

_WORTH = {"keep": 1.0, "neutral": 0.25, "drop": 0.0}
_WORTH_SHORT = {"keep": 1.0, "neutral": 0.2, "drop": -0.3}  # a short text holds more wrong ones for each right one
_SMOOTHING = 1_000.0  # chosen with projects left out
_SMOOTHING_PERSON = 100.0
_SMOOTHING_LAST, _SMOOTHING_SCORES = 4_000.0, 300.0
_KEPT = "kept"  # the mark of what reaches the last look
_SCORES = frozenset(
    {"first look", "second look", *(f"is {mark}" for mark in MARKS)}
)  # fitted before the other features
_RARE = 5  # features of fewer statements tell nothing
_MOST_KEPT = (20, 40, 60, 80, 100, 150, 200, 300)  # statements with the highest scores


class Fit(NamedTuple):
    """What is fitted: the worth of each label, corrections of `prior`, whether only short texts are told of in a check, how
    strongly weights are drawn to 0, and whether the features that say most come first, and the others correct them."""

    prior: Model = Model(0, {})
    worth: Mapping[str, float] = MappingProxyType(_WORTH)
    short: bool = False
    smoothing: float = _SMOOTHING
    last: bool = False


def read_features(
    rows: Sequence[dict[str, Any]], *, first: bool = False, person: bool = False, last: bool = False
) -> list[dict[str, int]]:
    """Return the features of each labelled statement: those that `second_look` or, with `first`, `classifier` or, with `person`,
    `person_look` or, with `last`, `last_look` sees."""
    reads = [Read(*(row[key] for key in Read._fields)) for row in rows]
    if person:
        return [person_features(read) for read in reads]
    if first:
        return [features_of(read) for read in reads]
    named = extract_all([row["content"] for row in rows], linguistic=False, generic=False)
    if last:
        marks = [frozenset(row["marks"]) for row in rows]
        return [last_features(*told) for told in zip(reads, named, marks, strict=True)]
    return [all_features(read, mentions) for read, mentions in zip(reads, named, strict=True)]


def train_model(rows: Sequence[dict[str, Any]], found: Sequence[dict[str, int]], fit: Fit) -> Model:
    """Return the model that corrects `fit.prior` so that it fits the rows with the features `found`."""
    if fit.last:
        said = [{name: count for name, count in one.items() if name in _SCORES} for one in found]
        fit = fit._replace(prior=train_model(rows, said, Fit(worth=fit.worth, smoothing=_SMOOTHING_SCORES)))
    prior = fit.prior
    names = sorted({name for one in found for name in one})
    names = [name for name in names if sum(name in one for one in found) >= _RARE]
    table = np.array([[one.get(name, 0) for name in names] for one in found], float)
    mean, spread = table.mean(0), np.maximum(table.std(0), 1e-6)
    left = [fit.worth[row["label"]] - score_of(prior, one) / UNIT for row, one in zip(rows, found, strict=True)]
    model = Ridge(alpha=fit.smoothing).fit((table - mean) / spread, left)
    fitted = model.coef_ / spread
    bias = prior.bias + round((float(model.intercept_) - float(fitted @ mean)) * UNIT)
    weights = dict(prior.weights)
    for name, weight in zip(names, fitted.tolist(), strict=True):
        weights[name] = weights.get(name, 0) + round(weight * UNIT)
    return Model(bias, {name: weights[name] for name in sorted(weights) if weights[name]})


def check_model(rows: Sequence[dict[str, Any]], found: Sequence[dict[str, int]], fit: Fit) -> list[str]:
    """Return lines that tell how good the statements with the highest scores are, each scored without its project."""
    scored: list[tuple[int, int, str]] = []
    for project in sorted({row["project"] for row in rows}):
        kept = [place for place, row in enumerate(rows) if row["project"] != project]
        model = train_model([rows[place] for place in kept], [found[place] for place in kept], fit)
        scored += [
            (-score_of(model, found[place]), place, row["label"])
            for place, row in enumerate(rows)
            if row["project"] == project
            and not (fit.short and is_long(row["text"]))
            and not (fit.last and _KEPT not in row["marks"])
        ]
    scored.sort()
    wanted = sum(label == "keep" for _, _, label in scored)
    lines = []
    for most in _MOST_KEPT:
        labels = [label for _, _, label in scored[:most]]
        good, bad = labels.count("keep"), labels.count("drop")
        lines.append(
            f"first {len(labels)} (from {-scored[len(labels) - 1][0] / UNIT:.2f}): keep {good / len(labels):.2f}, "
            f"drop {bad / len(labels):.2f}, {good / max(1, wanted):.2f} of those to keep"
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, or check, with the file that is named."""
    parser = argparse.ArgumentParser(prog="python -m graphmem.cognify.training", description=__doc__)
    parser.add_argument("labelled", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--person", action="store_true")
    parser.add_argument("--last", choices=sorted(last_look.WEIGHTS))
    parser.add_argument("--prior", type=Path)
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args(arguments)
    rows = [json.loads(line) for line in chosen.labelled.read_text("utf-8").splitlines() if line.strip()]
    if chosen.short:
        rows = [row for row in rows if row["speaker"] == "agent"]
    if chosen.person:
        rows = [row for row in rows if row["speaker"] == "user"]
    if chosen.last:
        rows = [row for row in rows if row["speaker"] == chosen.last]
    found = read_features(rows, first=chosen.first, person=chosen.person, last=bool(chosen.last))
    prior = (chosen.prior and load_model(chosen.prior)) or Model(0, {})
    smoothing = _SMOOTHING_LAST if chosen.last else _SMOOTHING_PERSON if chosen.person else _SMOOTHING
    fit = Fit(prior, _WORTH_SHORT if chosen.short else _WORTH, chosen.short, smoothing, bool(chosen.last))
    if chosen.check:
        sys.stdout.write("\n".join(check_model(rows, found, fit)) + "\n")
        return
    looked = person_look.WEIGHTS if chosen.person else second_look.WEIGHTS
    weights = second_look.SHORT_WEIGHTS if chosen.short else looked
    weights = last_look.WEIGHTS[chosen.last] if chosen.last else weights
    output = chosen.output or (classifier.WEIGHTS if chosen.first else weights)
    model = train_model(rows, found, fit)
    trained_on = sorted({row["project"] for row in rows})
    stored = {"bias": model.bias, "trained_on": trained_on, "weights": model.weights}
    output.write_text(json.dumps(stored, indent=0, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
