"""The file format of a vector matrix: header, rows, vectors. A file of another index is ignored; integrity is checked
elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graphmem.backends.vectors.table import ReadPosition

_HEADER = 256  # bytes


class SavedMatrix(NamedTuple):
    """int64 rows and the float16 matrix (memory-mapped), up to `mark`."""

    rows: np.ndarray
    matrix: np.ndarray
    mark: ReadPosition


def write_matrix(
    file: Path, rows: np.ndarray, parts: tuple[np.ndarray, ...], mark: ReadPosition, dimensions: int
) -> None:
    """Write the file. `parts` are concatenated."""
    header = {"count": len(rows), "dimensions": dimensions, "mark": list(mark)}
    with file.open("wb") as out:
        out.write(json.dumps(header).encode().ljust(_HEADER))
        out.write(rows.tobytes())
        for part in parts:
            if len(part):
                out.write(np.ascontiguousarray(part).data)


def map_matrix(file: Path) -> SavedMatrix:
    """Map a complete file."""
    with file.open("rb") as source:
        header: dict[str, Any] = json.loads(source.read(_HEADER))
    count, dimensions, mark = int(header["count"]), int(header["dimensions"]), ReadPosition(*header["mark"])
    rows = np.fromfile(file, np.int64, count, offset=_HEADER)
    shape = count, dimensions
    matrix = np.memmap(file, np.float16, "r", _HEADER + 8 * count, shape) if count else np.empty(shape, np.float16)
    return SavedMatrix(rows, np.asarray(matrix), mark)
