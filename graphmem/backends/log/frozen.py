"""Files of a store that nobody can write here: on a medium or in a folder that is read-only. SQLite needs to be told, since it
would look for the files beside; what they hold is read as it is. It decides nothing about what may be asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from graphmem.errors import StoreError

REMEDY = "copy the store to a folder that can be written, and open it there"


def frozen(path: Path) -> bool:
    """Whether a file is there, and nothing can be written beside it."""
    return not os.access(path.parent, os.W_OK) and path.exists()


def opening(path: Path) -> dict[str, Any]:
    """The arguments with which SQLite opens a file. Raises StoreError for a frozen one that is not whole by itself."""
    if not frozen(path):
        return {"database": path}
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(f"{path.name} was not closed, and cannot be written here: {REMEDY}", path=str(path))
    return {"database": f"{path.absolute().as_uri()}?immutable=1", "uri": True}
