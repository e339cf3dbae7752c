"""The file format of a vector matrix: header, rows, vectors. Callers check that the file belongs to their index
(`position`) and is intact (`vector_cache_files.is_unchanged`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graphmem.backends.vectors.table import ReadPosition

_HEADER = 256  # bytes


class SavedMatrix(NamedTuple):
    """int64 rows and the float16 matrix (memory-mapped); `position`: how far the index had been read."""

    rows: np.ndarray
    matrix: np.ndarray
    position: ReadPosition


def write_matrix(
    file: Path, rows: np.ndarray, parts: tuple[np.ndarray, ...], position: ReadPosition, dimensions: int
) -> None:
    """Write header, rows, and the vectors in `parts` one after the other."""
    header = {"count": len(rows), "dimensions": dimensions, "mark": list(position)}
    with file.open("wb") as out:
        out.write(json.dumps(header).encode().ljust(_HEADER))
        out.write(rows.tobytes())
        for part in parts:
            if len(part):
                out.write(np.ascontiguousarray(part).data)


def map_matrix(file: Path) -> SavedMatrix:
    """Memory-map a file that `write_matrix` wrote."""
    with file.open("rb") as source:
        header: dict[str, Any] = json.loads(source.read(_HEADER))
    count, dimensions, position = int(header["count"]), int(header["dimensions"]), ReadPosition(*header["mark"])
    rows = np.fromfile(file, np.int64, count, offset=_HEADER)
    shape = count, dimensions
    matrix = np.memmap(file, np.float16, "r", _HEADER + 8 * count, shape) if count else np.empty(shape, np.float16)
    return SavedMatrix(rows, np.asarray(matrix), position)
