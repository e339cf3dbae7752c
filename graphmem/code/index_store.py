"""Stores the latest index of a tree, file by file, so that the next run only parses and writes what changed. It is a
cache: if it is missing or of another version, the tree is read again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from graphmem.code import tree_states
from graphmem.codegraph import cache
from graphmem.codegraph.build import Index
from graphmem.codegraph.records import FileFacts, FileLinks
from graphmem.context import StoreContext
from graphmem.errors import CodeIndexMissing, NotFound
from graphmem.model.packed import Damaged
from graphmem.projections.lineage import check_lineage

Stamp = tuple[int, bool]  # the event of a state, and whether value flow is complete


@dataclass(frozen=True)
class LoadedIndex:
    """An index for queries, without the data that only linking needs. `written`: the state in which each file's row was
    written."""

    index: Index
    stamp: Stamp
    written: Mapping[str, Stamp]


def load_index(context: StoreContext, root: Path) -> tuple[Index | None, int]:
    """Return the whole index and the log position of its state; (None, 0) if there is none."""
    held = context.indexes.get(str(root))
    if held is not None:
        return held
    read = _read(context, root, None)
    if read is None:
        return None, 0
    index, position = read.index, read.stamp[0]
    summaries = context.facts.get([_key(root, "summary", path) for path in index.records])
    for path, facts in index.facts.items():
        data = summaries.get(_key(root, "summary", path))
        if data is None:
            return None, 0
        try:
            index.facts[path] = replace(facts, summary=cache.load_summary(data))
        except Damaged:
            return None, 0
    context.indexes[str(root)] = index, position
    return index, position


def load_newest(context: StoreContext, before: LoadedIndex | None = None) -> LoadedIndex:
    """Return the most recently indexed tree of this project; files unchanged since `before` are not read again. Raises
    NotFound if there is none, CodeIndexMissing if there is none by this version of the front ends."""
    last = tree_states.state_at(context, context.log.state.last_position(tree_states.TYPE))
    if last is not None and last.project != context.project:
        last = next(
            (e for e in reversed(tree_states.latest_states(context).values()) if e.project == context.project), None
        )
    if last is None:
        check_lineage(context.log.state, context.text.cursors())
        raise NotFound("no code is indexed yet: run `graphmem index` first")
    root = Path(last.payload["root"])
    now = read_stamp(context, root)
    if now[0] and now == _held(context, root):  # indexed by this process
        return LoadedIndex(context.indexes[str(root)][0], now, {})
    context.indexes.pop(str(root), None)
    read = _read(context, root, before if before is not None and before.index.root == str(root) else None)
    if read is None and context.facts.empty():
        again = f"`graphmem index {quote(str(root))}` or `graphmem rebuild`"
        raise CodeIndexMissing(f"the saved code index in code.db is missing: {again} recreates it")
    if read is None:
        raise CodeIndexMissing(
            f"the code was indexed by another version: run `graphmem index {quote(str(root))}` once more",
            root=str(root),
        )
    return read


def _read(context: StoreContext, root: Path, before: LoadedIndex | None) -> LoadedIndex | None:
    """Return the stored index of this root; None if missing, damaged or of another version."""
    now, head = read_stamp(context, root), cache.load_head(_row(context, root, "head"))
    if not now[0] or head is None:
        return None
    written, externals, shallow = head
    index = Index(str(root), externals=externals, flow=now[1], shallow=shallow)
    same = {path for path, at in written.items() if before.written.get(path) == at} if before is not None else set()
    rows = context.facts.get([_key(root, "graph", path) for path in written if path not in same])
    for path in written:
        if before is not None and path in same:
            known = before.index
            row: cache.Row | None = (
                known.sources[path],
                known.records[path],
                known.facts.get(path),
                known.links.get(path, FileLinks()),
            )
        else:
            row = cache.load_row(rows.get(_key(root, "graph", path)))
        if row is None:
            return None
        index.sources[path], index.records[path], facts, links = row
        if facts is not None:
            index.facts[path], index.links[path] = facts, links
    return LoadedIndex(index, now, written)


def read_stamp(context: StoreContext, root: Path) -> Stamp:
    """Return the stored stamp of this root; (0, False) if there is none."""
    return cache.load_stamp(_row(context, root, "stamp")) or (0, False)


def save_index(context: StoreContext, root: Path, index: Index, position: int) -> None:
    """Store an index, in memory and on disk. Rows of deleted files stay until their path exists again."""
    before, last = context.indexes.get(str(root), (None, 0))[0], cache.load_head(_row(context, root, "head"))
    context.indexes[str(root)] = index, position
    now, rows = (position, index.flow), list(_rows(index, before))
    written = dict(last[0]) if before is not None and last is not None else {}
    written |= {path: now for path, _, _ in rows}
    head = {path: written.get(path, now) for path in index.records}, index.externals, index.shallow
    own = [(_key(root, "head"), cache.dump_head(head)), (_key(root, "stamp"), cache.dump_stamp(now))]
    context.facts.put([*((_key(root, part, path), body) for path, part, body in rows), *own])


def _rows(index: Index, before: Index | None) -> Iterator[tuple[str, str, bytes]]:
    """Yield what differs from before: path, part and bytes. States of an index share records, so most are the same
    object."""
    was = before if before is not None else Index("")
    for path, record in index.records.items():
        source, facts, links = index.sources[path], index.facts.get(path), index.links.get(path, FileLinks())
        other = facts is not was.facts.get(path) or path not in was.records
        if other or links is not was.links.get(path) or source != was.sources[path] or record != was.records[path]:
            light = replace(facts, summary=None) if isinstance(facts, FileFacts) else None
            yield path, "graph", cache.dump_row((source, record, light, links))
        if other:
            yield path, "summary", cache.dump_summary(facts.summary if facts is not None else None)


def prune_indexes(context: StoreContext, roots: Collection[str]) -> None:
    """Keep only the current content of these trees; delete everything about other trees and deleted files."""
    kept = []
    for root in map(Path, roots):
        head = cache.load_head(_row(context, root, "head"))
        paths = head[0] if head is not None else ()
        kept += [_key(root, part) for part in ("head", "stamp")]
        kept += [_key(root, part, path) for path in paths for part in ("graph", "summary")]
    for gone in context.indexes.keys() - set(roots):
        del context.indexes[gone]
    context.facts.retain(kept)


def _row(context: StoreContext, root: Path, part: str) -> bytes | None:
    key = _key(root, part)
    return context.facts.get([key]).get(key)


def _held(context: StoreContext, root: Path) -> Stamp:
    index, position = context.indexes.get(str(root), (None, 0))
    return (position, index.flow) if index is not None else (0, False)


def _key(root: Path, part: str, path: str = "") -> str:
    return f"{part}:{cache.version()}:{root}:{path}"
