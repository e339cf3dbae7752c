"""Assigns the rows of a small table to its columns so that the sum of the costs is least: the Hungarian method."""

from __future__ import annotations

import numpy as np


def assign_rows(costs: np.ndarray) -> list[tuple[int, int]]:
    """Return (row, column) for each row, or for each column if there are fewer of them.

    >>> assign_rows(np.array([[4, 1, 3], [2, 0, 5]]))
    [(0, 1), (1, 0)]
    """
    if costs.shape[0] > costs.shape[1]:
        return sorted((row, column) for column, row in assign_rows(costs.T))
    rows, columns = costs.shape
    by_row, by_column = [0.0] * (rows + 1), [0.0] * (columns + 1)  # potentials; place 0 is the one that is looked for
    owner, before = [0] * (columns + 1), [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least, is_seen = [float("inf")] * (columns + 1), [False] * (columns + 1)
        while owner[column]:
            is_seen[column], this, step, following = True, owner[column], float("inf"), 0
            for other in range(1, columns + 1):
                if is_seen[other]:
                    continue
                rest = float(costs[this - 1, other - 1]) - by_row[this] - by_column[other]
                if rest < least[other]:
                    least[other], before[other] = rest, column
                if least[other] < step:
                    step, following = least[other], other
            for other in range(columns + 1):
                if is_seen[other]:
                    by_row[owner[other]] += step
                    by_column[other] -= step
                else:
                    least[other] -= step
            column = following
        while column:
            owner[column] = owner[before[column]]
            column = before[column]
    return sorted((owner[column] - 1, column - 1) for column in range(1, columns + 1) if owner[column])
