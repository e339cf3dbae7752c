"""Weights of evidence, and thresholds of confidence. The weights are a multinomial regression (which task is meant),
fitted on issue trackers and rounded, separately for texts that name a task and texts that are a task. Scores are its
probabilities, hence comparable between results; age is not used. The program that fitted them is not kept: treat them as
constants, and check a change with `graphmem bench`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.model.tasks import Task

if TYPE_CHECKING:
    from graphmem.tasks.match.index import Floats

# A passage: a sentence or title that names a task.
PASSAGE = {"words": 3.4, "agreement": 10.8, "said": 6.6, "kin": 4.5, "context": 7.2, "topic": 9.4, "near": 3.2,
           "before": 2.6, "vector": 1.0}  # fmt: skip
# A whole: title and description of a task, to find its relatives, such as a blocker or duplicate.
WHOLE = {
    "words": 5.8,
    "title": 2.6,
    "vector": 4.5,
    "before": 2.9,
    "sibling": 4.6,
    "names": 4.1,
    "kin": 1.6,
    "named": 4.8,
}

EXACT, ALIAS = 1.0, 0.98
SURE = 0.75  # probability, and
AGREES = 0.33  # agreement with the title, and
CLEAR = 0.1  # margin of its agreement over the next best: together correct in 97%
SURE_SCORE, UNSURE_SCORE = 0.92, 0.91  # minimum score of a certain match, maximum score of any other
LIKELY, HEARD = 0.1, 0.25  # probability of a suggestion, or share of the text's information found in the task
# Closed tasks are meant less often, given the same words (log odds).
STATUS = {"pending": 0.0, "in_progress": 0.1, "blocked": 0.0, "done": -0.1, "cancelled": -0.6}
REPLACED = -1.0  # a duplicate: the original is meant


def prior_weight(task: Task) -> float:
    """Return the prior log odds of a task."""
    return STATUS[task.status] + (REPLACED if task.duplicates else 0.0)


def score_candidate(evidence: Floats, columns: tuple[str, ...], weights: dict[str, float]) -> Floats:
    """Return an array (tasks,) of log odds."""
    import numpy as np

    odds: Floats = evidence @ np.array([weights.get(name, 0.0) for name in columns])
    return odds
