"""Stores the user's saved queries, and the last ones that ran, in small files of the store. Secrets are redacted, as in
everything written to disk."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from graphmem.privacy import redact

_RECENT = "queries.recent.json"
_KEPT = 30  # last queries


QUERIES, VIEWS = "queries.json", "views.json"  # queries of the console, and addresses of the graph page


def load(store: Path, file: str = QUERIES) -> dict[str, str]:
    """Return saved queries, or the views of another file, by name."""
    with contextlib.suppress(OSError, ValueError):
        found = json.loads((store / file).read_text("utf-8"))
        if isinstance(found, dict):
            return {str(name): str(query) for name, query in sorted(found.items())}
    return {}


def keep(store: Path, name: str, query: str | None, file: str = QUERIES) -> None:
    """Save a query or view under a name; None deletes it. Raises OSError if the store cannot be written."""
    queries = load(store, file)
    if query is None:
        queries.pop(name, None)
    else:
        queries[redact(name).text] = redact(query).text
    _write(store / file, queries)


def load_recent(store: Path) -> list[str]:
    """Return the last queries that ran, newest first."""
    with contextlib.suppress(OSError, ValueError):
        found = json.loads((store / _RECENT).read_text("utf-8"))
        if isinstance(found, list):
            return [str(query) for query in found[:_KEPT]]
    return []


def note_recent(store: Path, query: str) -> None:
    """Add a query to the last ones. Raises OSError if the store cannot be written."""
    safe = redact(query).text
    _write(store / _RECENT, [safe, *(other for other in load_recent(store) if other != safe)][:_KEPT])


def _write(file: Path, value: Any) -> None:
    fresh = file.with_name(file.name + ".new")
    fresh.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
    fresh.chmod(0o600)
    fresh.replace(file)
