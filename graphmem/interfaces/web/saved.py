"""Stores the user's saved queries in a small file of the store. Secrets are redacted, as in everything written to
disk."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from graphmem.privacy import redact

_FILE = "queries.json"


def load(store: Path) -> dict[str, str]:
    """Return saved queries by name."""
    with contextlib.suppress(OSError, ValueError):
        found = json.loads((store / _FILE).read_text("utf-8"))
        if isinstance(found, dict):
            return {str(name): str(query) for name, query in sorted(found.items())}
    return {}


def keep(store: Path, name: str, query: str | None) -> None:
    """Save a query under a name; None deletes it. Raises OSError if the store cannot be written."""
    queries = load(store)
    if query is None:
        queries.pop(name, None)
    else:
        queries[redact(name).text] = redact(query).text
    fresh = store / (_FILE + ".new")
    fresh.write_text(json.dumps(queries, ensure_ascii=False, indent=1), "utf-8")
    fresh.chmod(0o600)
    fresh.replace(store / _FILE)
