"""Operation `init`: imports everything about a repository in one call, and reports a summary."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphmem import resources
from graphmem.code.indexing import index_code
from graphmem.codegraph.languages import for_path
from graphmem.context import StoreContext
from graphmem.extract.git import find_repository
from graphmem.ingest.record import ingest_source
from graphmem.model.reports import Example, InitReport
from graphmem.sync.process import process_pending

_QUERY_FOLDER = "queries/graph/read"


def init(
    context: StoreContext, folder: Path, sessions: Path | None, progress: Callable[[str, int], None]
) -> InitReport:
    """Index the code; import history, documents and transcripts (if a folder is given); process everything. Code comes first:
    other clients can ask about it seconds later. Raises NotFound outside of a git repository."""
    started = time.perf_counter()
    root, _ = find_repository(folder)
    code = index_code(context, root, progress)
    sources = [
        ingest_source(context, "git", root, {}, progress),
        ingest_source(context, "documents", root, {}, progress),
    ]
    if sessions is not None:
        sources.append(ingest_source(context, "sessions", sessions, {}, progress))
    followed = process_pending(context, progress=progress).code
    central, hot = _rows(context, "central_symbols")[:10], _rows(context, "hot_files")[:10]
    return InitReport(
        context.project,
        str(root),
        str(context.path),
        followed[-1] if followed else code,
        tuple(sources),
        {label: count for label, count in sorted(_rows(context, "counts")) if label != "Cursor"},
        dict(sorted(_rows(context, "relation_counts"))),
        central,
        hot,
        _rows(context, "open_tasks")[:10],
        tuple(_examples(context, central, hot)),
        time.perf_counter() - started,
    )


def _examples(context: StoreContext, central: list[list[Any]], hot: list[list[Any]]) -> list[Example]:
    """Return three questions that this repository can answer."""
    asked: list[tuple[str, str, dict[str, str]]] = []
    if central:
        name = next((str(symbol) for symbol, kind, *_ in central if kind in ("function", "method")), str(central[0][0]))
        asked.append((f"Who calls {name}?", "callers", {"name": name}))
    if hot:  # prefer code to lock files and changelogs, which almost every commit touches
        path = next((str(path) for path, *_ in hot if for_path(path) not in ("", "manifest")), str(hot[0][0]))
        asked.append((f"Which files change together with {path}?", "changed_together", {"path": path}))
    asked.append(
        ("Which functions were changed by commits that mention a fix?", "functions_of_commits", {"text": "fix"})
    )
    asked.append(("Who works on this project?", "authors", {}))
    found = []
    for question, query, parameters in asked:
        answer = context.graph.query(resources.text(f"{_QUERY_FOLDER}/{query}.cypher"), parameters, limit=5)
        if answer.rows:
            found.append(Example(question, query, parameters, answer.columns, answer.rows))
    return found[:3]


def _rows(context: StoreContext, name: str) -> list[list[Any]]:
    return context.graph.query(resources.text(f"{_QUERY_FOLDER}/{name}.cypher"), limit=1_000).rows
