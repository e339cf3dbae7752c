"""The commits that changed a symbol, told by git itself (`git log -L`): it carries lines through merges, which the hunks of
single commits cannot. Where there is no repository, or git takes too long, the graph's own relations answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from graphmem import resources
from graphmem.codegraph.impact import spans
from graphmem.errors import SourceError
from graphmem.extract.git import Line, git, lines_changed
from graphmem.model.code import Symbol
from graphmem.ports.graph import Rows
from graphmem.privacy import redact
from graphmem.projections.changed import before
from graphmem.upkeep.parts import Parts


def history(parts: Parts, root: Path, symbols: Sequence[Symbol]) -> Rows:
    """(hash, at, author, subject, change) of the commits that changed any of the symbols of one name, newest first."""
    told = _told_by_git(root, symbols)
    if told is None:
        given = {"name": symbols[0].qualified_name}
        return parts.graph.query(resources.text("queries/graph/read/commits_of_symbol.cypher"), given)
    rows = [
        [hash_, datetime.fromtimestamp(at, UTC), redact(author).text, redact(subject).text, "A" if n == 1 else "M"]
        for n, (hash_, at, author, subject) in zip(range(len(told), 0, -1), told, strict=True)
    ]
    return Rows(["hash", "at", "author", "subject", "change"], rows)


def _told_by_git(root: Path, symbols: Iterable[Symbol]) -> list[Line] | None:
    """The commits, newest first; None where git cannot tell."""
    try:
        ranges = [found for symbol in symbols if (found := _committed(root, symbol)) is not None]
        return lines_changed(root, ranges) if ranges else None
    except SourceError:
        return None


def _committed(root: Path, symbol: Symbol) -> tuple[str, int, int] | None:
    """The file and lines of a symbol in the last commit; None where it is newer than that."""
    diff = git(root, "diff", "-U0", "--no-color", "--no-ext-diff", "HEAD", "--", symbol.file).decode("utf-8", "replace")
    first, last = before(spans(diff), symbol.line, symbol.end_line)
    return (symbol.file, first, last) if 0 < first <= last else None
