"""The last index of a tree, kept so that the next run parses what changed only. A cache in the user's own store: where it
is missing or of another version, the tree is read again."""

from __future__ import annotations

from pathlib import Path

from graphmem.codegraph import cache
from graphmem.codegraph.build import Index
from graphmem.errors import NotFound
from graphmem.upkeep.parts import Parts


def load(parts: Parts, root: Path) -> tuple[Index | None, int]:
    """The index, and the position of the event that recorded its state; (None, 0) where there is none."""
    held = parts.indexes.get(str(root))
    if held is not None:
        return held
    key = _key(root)
    data = parts.facts.get([key]).get(key)
    if data is not None:
        position, _, body = data.partition(b"\n")
        index = cache.restore(body)
        if isinstance(index, Index):
            parts.indexes[str(root)] = index, int(position)
            return index, int(position)
    return None, 0


def newest(parts: Parts) -> Index:
    """The index of the tree that was indexed last, in this project. Raises NotFound where there is none, or none that this
    version of the front ends wrote."""
    last = None
    for event in parts.log.read(types=["tree_indexed"]):
        if event.project == parts.project:
            last = event
    if last is None:
        raise NotFound("no code is indexed: run `graphmem index` first")
    root = Path(last.payload["root"])
    if load(parts, root)[1] != last.position:  # the owner has indexed since
        parts.indexes.pop(str(root), None)
    index = load(parts, root)[0]
    if index is None:
        raise NotFound(f"the code was indexed by another version: run `graphmem index {root}` once more")
    return index


def save(parts: Parts, root: Path, index: Index, position: int) -> None:
    """Keep it, in memory and on disk."""
    parts.indexes[str(root)] = index, position
    parts.facts.put([(_key(root), b"%d\n" % position + cache.dump(index))])


def _key(root: Path) -> str:
    return f"index:{cache.version()}:{root}"
