"""Trains the model of `classifier` (`python -m graphmem.cognify.training LABELLED.jsonl`) and writes its weights.

Each line of the file is a statement that somebody read and labelled: `{"project", "speaker": "user" or "agent", "kind",
"content": the statement as a fact words it, "text": what it was said in, "start", "end": its place there, "label":
"keep", "neutral" or "drop"}`. Keep: true beyond the session, understood alone, specific, settled. Neutral: true, but of
little use later. With `--check`, the model is trained without each project in turn and tried on it, and nothing is
written."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from graphmem.cognify.classifier import UNIT, WEIGHTS
from graphmem.cognify.features import Read, features_of

_WORTH = {"keep": 1.0, "neutral": 0.25, "drop": 0.0}
_SMOOTHING = 400.0  # chosen with projects left out
_RARE = 5  # features of fewer statements tell nothing
_THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


def train_model(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the model that fits the rows, with whole numbers as weights."""
    found = [features_of(Read(*(row[key] for key in Read._fields))) for row in rows]
    seen = sorted({name for one in found for name in one})
    names = [name for name in seen if sum(name in one for one in found) >= _RARE]
    table = np.array([[one.get(name, 0) for name in names] for one in found], float)
    mean, spread = table.mean(0), np.maximum(table.std(0), 1e-6)
    model = Ridge(alpha=_SMOOTHING).fit((table - mean) / spread, [_WORTH[row["label"]] for row in rows])
    weights = model.coef_ / spread
    bias = float(model.intercept_) - float(weights @ mean)
    return {
        "bias": round(bias * UNIT),
        "weights": {name: round(weight * UNIT) for name, weight in zip(names, weights.tolist(), strict=True)},
    }


def check_model(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return lines that tell how good what passes a threshold is, of projects the model was not trained on."""
    scored: list[tuple[float, str]] = []
    for project in sorted({row["project"] for row in rows}):
        model = train_model([row for row in rows if row["project"] != project])
        for row in rows:
            if row["project"] == project:
                found = features_of(Read(*(row[key] for key in Read._fields)))
                score = model["bias"] + sum(count * model["weights"].get(name, 0) for name, count in found.items())
                scored.append((score / UNIT, row["label"]))
    wanted = sum(label == "keep" for _, label in scored)
    lines = []
    for threshold in _THRESHOLDS:
        kept = [label for score, label in scored if score >= threshold] or ["drop"]
        good, bad = kept.count("keep"), kept.count("drop")
        lines.append(
            f"{threshold:.2f}: {len(kept)} pass, keep {good / len(kept):.2f}, drop {bad / len(kept):.2f}, "
            f"{good / max(1, wanted):.2f} of those to keep"
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, or check, with the file that is named."""
    parser = argparse.ArgumentParser(prog="python -m graphmem.cognify.training", description=__doc__)
    parser.add_argument("labelled", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    chosen = parser.parse_args(arguments)
    rows = [json.loads(line) for line in chosen.labelled.read_text("utf-8").splitlines() if line.strip()]
    if chosen.check:
        sys.stdout.write("\n".join(check_model(rows)) + "\n")
        return
    chosen.output.write_text(json.dumps(train_model(rows), indent=0, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
