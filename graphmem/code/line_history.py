"""History of a symbol or file from git (`git log -L`, `--follow`), which tracks lines through merges, unlike the hunks of
single commits, and includes commits since the last update. Without a repository, or if git is slow, the relations of the
graph are used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from graphmem import resources
from graphmem.codegraph.impact import line_spans
from graphmem.codegraph.view import CLASSES, FUNCTIONS, View, of_type
from graphmem.context import StoreContext
from graphmem.errors import SourceError
from graphmem.extract.git import Line, follow_file, follow_lines
from graphmem.gitprocess import run as git
from graphmem.model.code import Symbol
from graphmem.ports.graph import Rows
from graphmem.privacy import redact
from graphmem.projections.line_ranges import range_before


def symbol_history(context: StoreContext, root: Path, symbols: Sequence[Symbol]) -> Rows:
    """Return (hash, at, author, subject, change) of commits that changed any symbol with this name, newest first."""
    told = _told_by_git(root, symbols)
    if told is None:
        given = {"name": symbols[0].qualified_name}
        return context.graph.query(resources.text("queries/graph/read/commits_of_symbol.cypher"), given)
    return _rows((line, "A" if line is told[-1] else "M") for line in told)


def members_elsewhere(view: View, symbol: Symbol) -> list[Symbol]:
    """Return the methods of a type that stand outside of its lines, as those of Go do."""
    if symbol.kind not in CLASSES:
        return []
    members = (view.symbols[edge.target] for edge in of_type(view.outgoing.get(symbol.key, []), "DEFINES"))
    own = range(symbol.line, symbol.end_line + 1)
    return [each for each in members if each.kind in FUNCTIONS and not (each.file == symbol.file and each.line in own)]


def known_commits(context: StoreContext, symbols: Sequence[Symbol]) -> Rows:
    """Return the commits that are known to have changed symbols."""
    given = {"names": [symbol.qualified_name for symbol in symbols]}
    return context.graph.query(resources.text("queries/graph/read/commits_of_symbols.cypher"), given)


def joined(one: Rows, other: Rows) -> Rows:
    """Return the commits of two histories, newest first; of one that both have, what the first says."""
    known = {row[0] for row in one.rows}
    rows = [*map(list, one.rows), *(list(row) for row in other.rows if row[0] not in known)]
    return Rows(one.columns, sorted(rows, key=lambda row: row[1], reverse=True))


def file_history(context: StoreContext, root: Path, path: str) -> Rows:
    """Return the same for a file under any of its names; empty for an unknown file."""
    known = context.graph.query(resources.text("queries/graph/read/history_of.cypher"), {"path": path})
    if not known.rows and not (root / path).is_file():
        return known
    try:
        told = follow_file(root, path)
    except SourceError:
        told = []
    return _rows(told) if told else known


def _rows(told: Iterable[tuple[Line, str]]) -> Rows:
    rows = [
        [hash_, at, redact(author).text, redact(subject).text, change] for (hash_, at, author, subject), change in told
    ]
    return Rows(["hash", "at", "author", "subject", "change"], rows)


def _told_by_git(root: Path, symbols: Iterable[Symbol]) -> list[Line] | None:
    """Return the commits, newest first; None if git fails."""
    try:
        ranges = [found for symbol in symbols if (found := _committed(root, symbol)) is not None]
        return follow_lines(root, ranges) if ranges else None
    except SourceError:
        return None


def _committed(root: Path, symbol: Symbol) -> tuple[str, int, int] | None:
    """Return file and lines of a symbol in the last commit; None if it is newer."""
    diff = git(root, "diff", "-U0", "HEAD", "--", symbol.file).decode("utf-8", "replace")
    first, last = range_before(line_spans(diff), symbol.line, symbol.end_line)
    return (symbol.file, first, last) if 0 < first <= last else None
