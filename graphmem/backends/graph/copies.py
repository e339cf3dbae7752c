"""Locations of the copies of a graph's file for reader processes: in the store or, if its disk is full, in the user's runtime
folder."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from graphmem.backends.remote.place import runtime_folder
from graphmem.errors import StoreError


def places_of_copy(graph: Path) -> list[Path]:
    """Return locations for the readers' copy: the store or, if its disk is full, the user's runtime folder."""
    places = [graph.with_name(f"copy-{graph.name}")]
    with contextlib.suppress(StoreError):
        places.append(private_place(graph))
    return places


def private_place(graph: Path, suffix: str = "") -> Path:
    """Return a location in the user's runtime folder for a file made of a graph."""
    name = hashlib.sha256(str(graph.absolute()).encode()).hexdigest()[:16]
    return runtime_folder() / f"{name}{suffix}{graph.suffix}"
