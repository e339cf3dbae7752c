"""The file of a vector matrix: a header, the rows, the vectors. It is disposable: what is not whole, or not of this index, is
not read, and `problem` says so. It knows nothing of searching."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graphmem.backends.vectors.table import Mark

_HEADER = 256  # bytes


class Saved(NamedTuple):
    """int64 rows and the float16 matrix (mapped), as far as `mark`."""

    rows: np.ndarray
    matrix: np.ndarray
    mark: Mark


def write(file: Path, rows: np.ndarray, parts: tuple[np.ndarray, ...], mark: Mark, dimensions: int) -> bool:
    """Write the file beside the old one and put it in its place; False where that fails. `parts` are one below the other."""
    blocks = [np.ascontiguousarray(part).data for part in parts if len(part)]
    crc = 0
    for block in blocks:
        crc = zlib.crc32(block, crc)
    header = {"count": len(rows), "dimensions": dimensions, "mark": list(mark), "rows": zlib.crc32(rows.tobytes()),
              "matrix": crc}  # fmt: skip
    new = file.with_suffix(f".{os.getpid()}.new")
    try:
        with new.open("wb") as out:
            out.write(json.dumps(header).encode().ljust(_HEADER))
            out.write(rows.tobytes())
            for block in blocks:
                out.write(block)
        new.chmod(0o600)
        new.replace(file)
    except OSError:
        new.unlink(missing_ok=True)
        return False
    return True


def read(file: Path) -> Saved | None:
    """Map the file; None where it is not there, or is not what was written. The matrix is not gone through: that costs more
    than a search."""
    try:
        return _read(file)[0]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def problem(file: Path) -> str | None:
    """What is wrong with a file, whole, in one sentence; None for nothing."""
    try:
        saved, crc = _read(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return f"vectors: {file.name} is damaged and not used"
    if zlib.crc32(saved.matrix.data if len(saved.rows) else b"") != crc:
        return f"vectors: the vectors in {file.name} were changed"
    return None


def _read(file: Path) -> tuple[Saved, int]:
    """The file and the checksum of its matrix. Raises ValueError and the like for one that is not whole."""
    with file.open("rb") as source:
        header: dict[str, Any] = json.loads(source.read(_HEADER))
    count, dimensions, mark = int(header["count"]), int(header["dimensions"]), Mark(*header["mark"])
    if file.stat().st_size != _HEADER + count * (8 + 2 * dimensions):
        raise ValueError("the file has another size")
    rows = np.fromfile(file, np.int64, count, offset=_HEADER)
    if zlib.crc32(rows.tobytes()) != header["rows"]:
        raise ValueError("the rows were changed")
    shape = count, dimensions
    matrix = np.memmap(file, np.float16, "r", _HEADER + 8 * count, shape) if count else np.empty(shape, np.float16)
    return Saved(rows, np.asarray(matrix), mark), int(header["matrix"])
