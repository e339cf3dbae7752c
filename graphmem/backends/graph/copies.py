"""The copy of a graph's file for reader processes: in the store or, if its disk is full, in the user's runtime folder."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from graphmem.backends.graph.packing import is_packed, unpack_file
from graphmem.backends.graph.readers import Snapshot, choose_place, copy_file
from graphmem.backends.graph.seal import Seal
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


class ReadersCopy:
    """The copy for the readers of one graph, of some version of it."""

    def __init__(self, graph: Path | None) -> None:
        self._graph = graph
        self._snapshot = Snapshot(Path(), -1)

    def of(self, version: int) -> Snapshot | None:
        """Return the copy if it is of this version."""
        found = self._snapshot
        return found if found.version == version and found.path.exists() else None

    def make(self, graph: Path, version: int) -> Snapshot:
        """Copy or unpack the file of the graph, which is of this version."""
        if not is_packed(graph):
            target = copy_file(graph, places_of_copy(graph))
        else:
            checksum, mtime_ns, size = Seal(graph).left()
            target = choose_place(graph, size, places_of_copy(graph))
            unpack_file(graph, target, checksum, mtime_ns)
        self._snapshot = Snapshot(target, version)
        return self._snapshot

    def delete(self) -> None:
        """Delete the copy, also that of a killed process."""
        self._snapshot = Snapshot(Path(), -1)
        for file in places_of_copy(self._graph) if self._graph else ():
            file.unlink(missing_ok=True)
            file.with_name(file.name + ".new").unlink(missing_ok=True)
