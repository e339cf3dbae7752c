"""CHANGED relations: which commit changed which symbol, from the hunks in the log and the current symbols. They are
recomputed when either changes, because an edit moves the lines that hunks are compared with."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem import resources
from graphmem.codegraph.build import Index
from graphmem.context import StoreContext
from graphmem.model.changes import Changes, Edge, EdgeKey
from graphmem.model.code import Symbol
from graphmem.projections import names
from graphmem.projections.line_ranges import FileChange, symbol_changes

BLAMED = "blamed"  # cursor in the graph: the last commit compared with symbols


def symbol_change_edges(context: StoreContext, index: Index, paths: set[str] | None = None) -> Changes:
    """Return the changes that update the relations of all symbols, or of those in these files."""
    changes = Changes()
    if paths is not None and not paths:
        return changes
    for touch in symbol_changes(_commits(context), _symbols(index, paths)):
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


def _symbols(index: Index, paths: set[str] | None) -> Iterator[Symbol]:
    for path in index.facts if paths is None else paths & index.facts.keys():
        yield from index.facts[path].symbols


def _commits(context: StoreContext) -> Iterator[tuple[str, list[FileChange]]]:
    """Yield the commits of the project, newest first."""
    events = [event for event in context.log.read(types=["commit_observed"]) if event.project == context.project]
    for event in reversed(events):
        files = [
            FileChange(file["path"], file["kind"], file["previous"], file["hunks"]) for file in event.payload["files"]
        ]
        yield event.payload["hash"], files
