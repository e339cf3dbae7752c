"""CHANGED relations: which commit changed which symbol, from the hunks in the log and the current symbols. They are
recomputed when either changes, because an edit moves the lines that hunks are compared with. They end, as the history of a
symbol does, at the commit that put it in the place of another one: git is asked for the text of the few changes that may."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from graphmem import resources
from graphmem.codegraph.build import Index
from graphmem.context import StoreContext
from graphmem.errors import NotFound, SourceError
from graphmem.extract.git import head_commit, is_unlike, read_blobs
from graphmem.makeway import make_way
from graphmem.model.changes import Changes, Edge, EdgeKey
from graphmem.model.code import Symbol
from graphmem.projections import names
from graphmem.projections.line_ranges import (
    FileChange,
    Rewrite,
    SymbolChange,
    symbol_changes,
    without_predecessors,
)
from graphmem.projections.linear_history import LoggedCommit, in_line

BLAMED = "blamed/3"  # cursor in the graph: the last commit compared with symbols, and the version of the comparison
_LARGEST = 2_000_000  # bytes of a compared file
_MOST = 4_000  # compared files: of a long history, the newest


def symbol_change_edges(context: StoreContext, index: Index, paths: set[str] | None = None) -> Changes:
    """Return the changes that update the relations of all symbols, or of those in these files."""
    changes = Changes()
    if paths is not None and not paths:
        return changes
    found = list(symbol_changes(_commits(context, Path(index.root)), _symbols(index, paths)))
    replaced = _replacements(Path(index.root), found)
    for touch in without_predecessors(found, replaced.__contains__):
        source, target = names.commit_id(touch.commit), names.symbol_id(context.project, touch.symbol)
        properties = {"change": touch.change, "additions": touch.additions, "deletions": touch.deletions}
        changes.edges.append(Edge("CHANGED", "Commit", source, "Symbol", target, properties))
    now = {(edge.source, edge.target) for edge in changes.edges}
    query = resources.text("queries/graph/read/changed_by.cypher")
    for commit, symbol, file in context.graph.query(query, {"project": context.project}).rows:
        if (commit, symbol) not in now and (paths is None or file in paths):
            changes.removed_edges.append(EdgeKey("CHANGED", "Commit", commit, "Symbol", symbol))
    return changes


def last_commit_position(context: StoreContext) -> int:
    """Return the log position of the last commit."""
    return context.log.state.last_position("commit_observed")


def _replacements(root: Path, changes: Iterable[SymbolChange]) -> set[Rewrite]:
    """Return the rewrites whose removed lines are so unlike the written ones that another symbol stood there. Without the
    repository, or its texts, there are none."""
    by_file: dict[tuple[str, str], list[Rewrite]] = {}
    for rewrite in (change.rewrite for change in changes if change.rewrite):
        versions = f"{rewrite.commit}^:{rewrite.previous}", f"{rewrite.commit}:{rewrite.path}"
        if not any("\n" in version for version in versions):
            by_file.setdefault(versions, []).append(rewrite)
    asked = dict(islice(by_file.items(), _MOST))
    found: set[Rewrite] = set()
    if asked:
        with suppress(SourceError, NotFound):
            texts = read_blobs(root, [version for both in asked for version in both], _LARGEST)
            for (_, before), (_, after), rewrites in zip(texts, texts, asked.values(), strict=False):
                if before is not None and after is not None:
                    lines = before.split(b"\n"), after.split(b"\n")
                    found.update(rewrite for rewrite in rewrites if _is_replacement(rewrite, *lines))
    return found


def _is_replacement(rewrite: Rewrite, before: Sequence[bytes], after: Sequence[bytes]) -> bool:
    """Return whether a rewrite keeps no line of the symbol, and what it removes is not like what it adds."""
    make_way()
    removed = [line for start, count, _, _ in rewrite.hunks for line in before[start - 1 : start - 1 + count]]
    written = {line for _, _, start, count in rewrite.hunks for line in range(start, start + count)}
    own = range(rewrite.first, rewrite.last + 1)
    if any(after[line - 1 : line] and after[line - 1].strip() for line in own if line not in written):
        return False
    added = [line for n in own if n in written for line in after[n - 1 : n]]
    return is_unlike(*([line.decode("utf-8", "replace") for line in one] for one in (removed, added)))


def _symbols(index: Index, paths: set[str] | None) -> Iterator[Symbol]:
    for path in index.facts if paths is None else paths & index.facts.keys():
        yield from index.facts[path].symbols


def _commits(context: StoreContext, root: Path) -> Iterator[tuple[str, Sequence[FileChange]]]:
    """Yield the commits of the project in a line, newest first: what is checked out, or if git does not know, the last one read."""
    commits = [
        LoggedCommit(
            event.payload["hash"],
            event.payload["parents"],
            [
                FileChange(file["path"], file["kind"], file["previous"], file["hunks"])
                for file in event.payload["files"]
            ],
        )
        for event in context.log.read(types=["commit_observed"])
        if event.project == context.project
    ]
    head = ""
    with suppress(SourceError, NotFound):
        head = head_commit(root)
    known = {commit.hash for commit in commits}
    return in_line(commits, head if head in known else commits[-1].hash if commits else "")
