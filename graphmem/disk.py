"""How much room a disk has. A store on a full disk has files that were cut off, which looks like damage and is none."""

from __future__ import annotations

import shutil
from pathlib import Path

_NEARLY_NONE = 32_000_000  # bytes below which nothing can be written for long


def room_left(path: Path) -> int | None:
    """Return the free bytes of a disk that is full or nearly so; None for another, or if nobody can tell."""
    while not path.exists() and path != path.parent:  # a file that is missing
        path = path.parent
    try:
        free = shutil.disk_usage(path).free
    except OSError:
        return None
    return free if free < _NEARLY_NONE else None
