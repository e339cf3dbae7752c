"""CHANGED relations: which commit changed which symbol, from the hunks in the log and the symbols of today's tree."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.codegraph.build import Index
from graphmem.model.changes import Changes, Edge
from graphmem.model.code import Symbol
from graphmem.model.sources import Hunk
from graphmem.projections import names
from graphmem.projections.changed import Change, touched
from graphmem.upkeep.parts import Parts


def blame(parts: Parts, index: Index, paths: set[str] | None = None) -> Changes:
    """The relations of all symbols, or of those in these files."""
    changes = Changes()
    for touch in touched(_commits(parts), _symbols(index, paths)):
        source, target = names.commit(touch.commit), names.symbol(parts.project, touch.symbol)
        properties = {"change": touch.change, "additions": touch.additions, "deletions": touch.deletions}
        changes.edges.append(Edge("CHANGED", "Commit", source, "Symbol", target, properties))
    return changes


def _symbols(index: Index, paths: set[str] | None) -> Iterator[Symbol]:
    for path in index.facts if paths is None else paths & index.facts.keys():
        yield from index.facts[path].symbols


def _commits(parts: Parts) -> Iterator[tuple[str, list[Change]]]:
    """Commits of the project, newest first."""
    events = [event for event in parts.log.read(types=["commit_observed"]) if event.project == parts.project]
    for event in reversed(events):
        files = [
            Change(file["path"], file["kind"], file["previous"], tuple(Hunk(*hunk) for hunk in file["hunks"]))
            for file in event.payload["files"]
        ]
        yield event.payload["hash"], files
