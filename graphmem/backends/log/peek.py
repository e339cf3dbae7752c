"""Reads a few facts from the log of a store that is not open, without changing or upgrading it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from graphmem.backends.log.sql import id_of_key

_TARGETS = "SELECT p.body FROM events e JOIN payloads p USING (position) WHERE e.type = 'source_ingested' ORDER BY e.position DESC"


def imported_folders(log: Path, commits: Sequence[str] = ()) -> list[str]:
    """Return the repositories whose history the log in a file contains, the one that was read last first; none if it has none
    of these commits, if there are any, or cannot be read."""
    ids = [id_of_key(f"commit:{commit}") for commit in commits]
    found: dict[str, None] = {}
    with (
        suppress(sqlite3.Error, OSError, ValueError),
        closing(sqlite3.connect(f"{log.as_uri()}?mode=ro", uri=True)) as db,
    ):
        if ids and not db.execute(f"SELECT 1 FROM events WHERE id IN ({','.join('?' * len(ids))})", ids).fetchone():
            return []
        for (body,) in db.execute(_TARGETS):
            payload = json.loads(body)
            if payload.get("source") == "git":
                found[str(payload.get("target"))] = None
    return list(found)
