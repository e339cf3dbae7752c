"""Operation `init`: imports everything about a repository in stages, and reports a summary. Code can be asked about seconds
after the start, texts before facts are derived. A file in the store says how far it is (`log/stages.py`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphmem import resources
from graphmem.code.indexing import index_code
from graphmem.codegraph.languages import MANIFEST, for_path
from graphmem.codegraph.tests_of import is_outside_sources
from graphmem.context import StoreContext
from graphmem.errors import GraphmemError, message_of
from graphmem.extract.git import find_repository
from graphmem.gitprocess import run as git
from graphmem.ingest.record import ingest_source
from graphmem.log.stages import FACTS, HISTORY, TEXT, VECTORS, InitState, StageTracker, attempts_left, read_state
from graphmem.model.reports import Example, InitReport
from graphmem.model.sources import IndexReport, IngestReport
from graphmem.ports.text import EVENTS
from graphmem.sync.derivations import COGNIFIED, derivations_followed
from graphmem.sync.process import process_pending

_SHOWN = 10  # rows of a table
_QUERY_FOLDER = "queries/graph/read"


def init(
    context: StoreContext,
    folder: Path,
    sessions: Path | None,
    progress: Callable[[str, int], None],
    *,
    wait: bool = True,
    resumed: InitState | None = None,
) -> InitReport:
    """Index the code; import history, documents and transcripts (if a folder is given); process everything. Without `wait`,
    return after the code: the owner completes the rest (`resume_init`). Raises NotFound outside of a git repository."""
    started = time.perf_counter()
    root, _ = find_repository(folder)
    told = str(sessions) if sessions is not None else ""
    tracker = StageTracker(str(context.path), str(folder), told, progress, _totals(context, root), resumed)
    try:
        code = index_code(context, root, tracker)
        if not wait:
            tracker.finish(1)
            return InitReport(
                context.project, str(root), str(context.path), code, (), {}, {}, [], [], [], (),
                time.perf_counter() - started,
            )  # fmt: skip
        tracker.begin(HISTORY)
        with derivations_followed(context):
            sources = [ingest_source(context, name, root, {}, tracker) for name in ("git", "documents")]
            if sessions is not None:
                sources.append(ingest_source(context, "sessions", sessions, {}, tracker))
        tracker.begin(TEXT)
        followed = process_pending(context, progress=tracker).code
    except BaseException as error:
        tracker.fail(message_of(error) or type(error).__name__)
        raise
    tracker.finish()
    return _summarise(context, root, followed[-1] if followed else code, tuple(sources), started)


def resume_init(context: StoreContext, progress: Callable[[str, int], None]) -> None:
    """Complete an `init` that returned after the code, or whose owner ended. Gives up if several owners ended during it."""
    state = read_state(str(context.path))
    if state is None or not state.is_pending:
        return
    if not attempts_left(state):
        tracker = StageTracker(str(context.path), state.folder, state.sessions, progress, {}, state)
        tracker.fail("the owner ended unexpectedly each time")
        return
    sessions = Path(state.sessions) if state.sessions else None
    init(context, Path(state.folder), sessions, progress, resumed=state)


def _totals(context: StoreContext, root: Path) -> dict[str, Callable[[], int]]:
    """Return what counts the steps of each stage that can tell."""
    log = context.log
    totals = {
        HISTORY: lambda: _count_commits(root),
        TEXT: lambda: log.head() - context.text.cursors().get(EVENTS, 0),
        FACTS: lambda: log.head() - log.state.watermark(COGNIFIED),
    }
    if (outbox := context.outbox) is not None:
        totals[VECTORS] = lambda: int(outbox.metrics()["pending"])
    return totals


def _count_commits(root: Path) -> int:
    try:
        return int(git(root, "rev-list", "--count", "HEAD"))
    except (GraphmemError, ValueError):  # no commits yet
        return 0


def _worth_showing(rows: list[list[Any]], path: int) -> list[list[Any]]:
    """Return the first rows that say what a project is about, by the column with their path: no tests, lock files or changelogs,
    and nothing without a name; those as they are if there are no others."""
    named = [row for row in rows if "<lambda" not in str(row[0])]
    sources = [
        row
        for row in named
        if (language := for_path(row[path])) not in ("", MANIFEST) and not is_outside_sources(row[path], language)
    ]
    return (sources or named)[:_SHOWN]


def _summarise(
    context: StoreContext, root: Path, code: IndexReport, sources: tuple[IngestReport, ...], started: float
) -> InitReport:
    central, hot = _worth_showing(_rows(context, "central_symbols"), 2), _worth_showing(_rows(context, "hot_files"), 0)
    return InitReport(
        context.project,
        str(root),
        str(context.path),
        code,
        sources,
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
    if hot:
        path = str(hot[0][0])
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
