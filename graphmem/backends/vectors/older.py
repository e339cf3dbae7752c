"""The previous encoder: after the encoder was changed, searches use the vectors of the old one until the new one has
encoded everything. It encodes no texts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.backends.embed import make_embedder
from graphmem.backends.text.pages import connect_with_checksums
from graphmem.backends.vectors.usearch import UsearchIndex
from graphmem.errors import GraphmemError
from graphmem.ports.embedder import Embedder
from graphmem.ports.text import ItemFilter
from graphmem.settings import Embedding

_SEARCHED = "encoder"  # in the table `meta`: the settings of the encoder whose vectors are searched
_READ = (  # whether a model is known and nothing waits for it
    "SELECT 1 FROM models m WHERE m.name = ? AND NOT EXISTS"
    " (SELECT 1 FROM jobs j WHERE j.model = m.number AND j.status IN ('pending', 'processing'))"
)


class PreviousModel:
    """An encoder and its index, searched until the configured one is ready."""

    def __init__(self, path: Path, chosen: Embedding, name: str, embedder: Embedder, vectors: UsearchIndex) -> None:
        self.embedder, self.vectors = embedder, vectors
        self._path, self._chosen, self._name = path, chosen, name

    def over(self) -> bool:
        """Return whether the configured encoder has encoded everything; from then on it is used."""
        with closing(connect_with_checksums(self._path)) as db:
            return _settled(db, self._chosen, self._name) is None

    def close(self) -> None:
        """Close the file."""
        self.vectors.close()


def previous_model(
    path: Path, chosen: Embedding, name: str, mask: Callable[[ItemFilter], np.ndarray], key: str = ""
) -> PreviousModel | None:
    """Return the encoder to search with instead of the configured one, which is called `name`; None if there is none, or
    it can no longer be loaded."""
    with closing(connect_with_checksums(path)) as db:
        before = _settled(db, chosen, name)
    try:
        embedder = make_embedder(Embedding(**before), key) if before else None
        if embedder is None or embedder.name == name:
            return None
        vectors = UsearchIndex(path, embedder.name, embedder.dimensions, mask)
    except (GraphmemError, ImportError, OSError, TypeError):
        return None
    return PreviousModel(path, chosen, name, embedder, vectors)


def _settled(db: sqlite3.Connection, chosen: Embedding, name: str) -> dict[str, Any] | None:
    """Return the settings of the previous encoder, or None (and record it) if the configured one can be searched."""
    now = json.dumps(asdict(chosen))
    row = db.execute("SELECT value FROM meta WHERE name = ?", (_SEARCHED,)).fetchone()
    if row and row[0] == now:
        return None
    if row and not db.execute(_READ, (name,)).fetchone():
        found: dict[str, Any] = json.loads(row[0])
        return found
    with db:
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_SEARCHED, now))
    return None
