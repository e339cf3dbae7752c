"""The last index of a tree, kept file by file so that the next run parses what changed only, and writes what changed only. A
cache in the user's own store: where it is missing or of another version, the tree is read again."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from shlex import quote

from graphmem.codegraph import cache
from graphmem.codegraph.build import Index
from graphmem.codegraph.links import FileLinks
from graphmem.codegraph.records import FileFacts
from graphmem.errors import NotFound
from graphmem.upkeep import trees
from graphmem.upkeep.parts import Parts

Stamp = tuple[int, bool]  # the event of a state, and whether values were followed


def load(parts: Parts, root: Path, *, whole: bool = True) -> tuple[Index | None, int]:
    """The index, and the position of the event that recorded its state; (None, 0) where there is none. Unless it is
    wanted `whole`, it may lack what only linking needs, and reads in half the time."""
    held = parts.indexes.get(str(root))
    if held is not None:
        return held
    (position, flow), head = stamp(parts, root), _row(parts, root, "head")
    if not position or not isinstance(head, tuple):
        return None, 0
    paths, externals, shallow = head
    known = parts.facts.get([_key(root, part, path) for path in paths for part in ("graph", "summary")[: 1 + whole]])
    index = Index(str(root), externals=externals, flow=flow, shallow=shallow)
    for path in paths:
        row = _restored(known.get(_key(root, "graph", path)))
        summary = _restored(known.get(_key(root, "summary", path))) if whole else None
        if not isinstance(row, tuple) or (whole and not isinstance(summary, tuple)):
            return None, 0
        index.sources[path], index.records[path], facts, links = row
        if facts is not None:
            index.facts[path] = replace(facts, summary=summary[0]) if isinstance(summary, tuple) else facts
            index.links[path] = links
    if whole:
        parts.indexes[str(root)] = index, position
    return index, position


def newest(parts: Parts) -> Index:
    """The index of the tree that was indexed last, in this project. Raises NotFound where there is none, or none that this
    version of the front ends wrote."""
    last = trees.at(parts, parts.log.state.last(trees.TYPE))
    if last is not None and last.project != parts.project:
        last = next((e for e in reversed(trees.states(parts).values()) if e.project == parts.project), None)
    if last is None:
        raise NotFound("no code is indexed: run `graphmem index` first")
    root = Path(last.payload["root"])
    if stamp(parts, root) != _held(parts, root):  # the owner has indexed since
        parts.indexes.pop(str(root), None)
    index = load(parts, root, whole=False)[0]
    if index is None:
        raise NotFound(f"the code was indexed by another version: run `graphmem index {quote(str(root))}` once more")
    return index


def stamp(parts: Parts, root: Path) -> Stamp:
    """What is kept of this root; (0, False) for nothing."""
    found = _row(parts, root, "stamp")
    return (found[0], found[1]) if isinstance(found, tuple) else (0, False)


def save(parts: Parts, root: Path, index: Index, position: int) -> None:
    """Keep it, in memory and on disk. Rows of files that are gone stay until their path comes back."""
    before = parts.indexes.get(str(root), (None, 0))[0]
    parts.indexes[str(root)] = index, position
    head = tuple(index.records), index.externals, index.shallow
    rows = [(_key(root, "head"), cache.dump(head)), (_key(root, "stamp"), cache.dump((position, index.flow)))]
    parts.facts.put([*_rows(root, index, before), *rows])


def _rows(root: Path, index: Index, before: Index | None) -> Iterator[tuple[str, bytes]]:
    """What differs from before. Records are shared between the states of an index, so that most are the same object."""
    was = before if before is not None else Index("")
    for path, record in index.records.items():
        source, facts, links = index.sources[path], index.facts.get(path), index.links.get(path, FileLinks())
        other = facts is not was.facts.get(path) or path not in was.records
        if other or links is not was.links.get(path) or source != was.sources[path] or record != was.records[path]:
            light = replace(facts, summary=None) if isinstance(facts, FileFacts) else None
            yield _key(root, "graph", path), cache.dump((source, record, light, links))
        if other:
            yield _key(root, "summary", path), cache.dump((facts.summary if facts is not None else None,))


def prune(parts: Parts, roots: Collection[str]) -> None:
    """Keep only what these trees hold now, and no trace of others or of files that are gone."""
    kept = []
    for root in map(Path, roots):
        index, _ = load(parts, root, whole=False)
        paths = () if index is None else index.records
        kept += [_key(root, part) for part in ("head", "stamp")]
        kept += [_key(root, part, path) for path in paths for part in ("graph", "summary")]
    for gone in parts.indexes.keys() - set(roots):
        del parts.indexes[gone]
    parts.facts.retain(kept)


def _row(parts: Parts, root: Path, part: str) -> object | None:
    key = _key(root, part)
    return _restored(parts.facts.get([key]).get(key))


def _held(parts: Parts, root: Path) -> Stamp:
    index, position = parts.indexes.get(str(root), (None, 0))
    return (position, index.flow) if index is not None else (0, False)


def _restored(data: bytes | None) -> object | None:
    return cache.restore(data) if data else None


def _key(root: Path, part: str, path: str = "") -> str:
    return f"{part}:{cache.version()}:{root}:{path}"
