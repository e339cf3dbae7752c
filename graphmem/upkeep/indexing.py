"""Keeps the code graph of a tree: builds it, records the state of the tree as an event, and brings the difference to the
projections. The log holds the blob hashes of the tree, and the contents of files that no commit holds, so that the graph
of that very state can be made again (DESIGN 7.1)."""

from __future__ import annotations

import hashlib
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from graphmem import privacy, resources
from graphmem.codegraph.build import Delta, FileLinks, Index, build
from graphmem.errors import GraphmemError, NotFound
from graphmem.extract import git
from graphmem.model.changes import Changes
from graphmem.model.events import Draft, Event
from graphmem.model.sources import IndexReport
from graphmem.ports.graph import GraphStore
from graphmem.ports.text import TextIndex
from graphmem.projections.code import difference
from graphmem.projections.runner import Runner, compacted
from graphmem.upkeep import saved, todos
from graphmem.upkeep.blame import blame
from graphmem.upkeep.parts import Parts

Progress = Callable[[str, int], None]
_CODE = "code:"  # cursors of roots begin so


def index_code(parts: Parts, root: Path, progress: Progress, only: list[str] | None = None) -> IndexReport:
    """Index the tree under `root`; `only` names the files that may have changed. Raises NotFound where it is no folder."""
    started = time.perf_counter()
    if not root.is_dir():
        raise NotFound(f"{root} is not a folder", path=str(root))
    before, position = saved.load(parts, root)
    if before is not None and _standing(parts, root) != position:
        before = None  # the projections are not those of the saved state: they are made whole
    seen = [0]

    def count(done: int, total: int) -> None:
        progress("parsing", done - seen[0])
        seen[0] = done

    index = build(root, previous=before, progress=count, only=only if before is not None else None)
    if before is None or index.delta != Delta():
        event = _record(parts, root, index)
        _project(parts, root, index, event, whole=before is None)
        saved.save(parts, root, index, event.position)
        todos.scan(parts, root, [file.path for file in index.delta.files_added], index.delta.files_removed)
        Runner(parts.log, parts.graph, parts.text).run()
    return _report(index, time.perf_counter() - started)


def restore_code(parts: Parts, progress: Progress) -> None:
    """Make the code graphs again that the projections lack or have of an earlier state, because they were made anew or
    a process was killed: from the saved state, else from git and the log."""
    if _standing_code(parts.graph) == _standing_code(parts.text) == parts.log.state.last("tree_indexed"):
        return
    trees = _trees(parts)
    known = {_cursor(Path(root)) for root in trees}
    for name in {name for place in (parts.graph, parts.text) for name in place.cursors() if name.startswith(_CODE)}:
        if name not in known:  # it was forgotten
            gone = _removal(parts)
            parts.text.apply(gone.removed_items, (), (), {name: 0})
            parts.graph.apply(gone, {name: 0})
    for root, event in trees.items():
        if _standing(parts, Path(root)) == event.position:
            continue
        index, position = saved.load(parts, Path(root))
        if index is None or position != event.position:
            index = _rebuilt(parts, event)
        _project(parts, Path(root), index, event, whole=True)
        saved.save(parts, Path(root), index, event.position)
        progress("restoring code", len(index.records))


def _trees(parts: Parts) -> dict[str, Event]:
    """The last indexing event of each root."""
    return {event.payload["root"]: event for event in parts.log.read(types=["tree_indexed"])}


def _standing_code(projection: GraphStore | TextIndex) -> int:
    """The last indexing event that a projection shows; 0 for none."""
    return max((at for name, at in projection.cursors().items() if name.startswith(_CODE)), default=0)


def _cursor(root: Path) -> str:
    return _CODE + hashlib.sha256(str(root).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _standing(parts: Parts, root: Path) -> int:
    """The event whose state both projections show; 0 where they differ."""
    name = _cursor(root)
    graph, text = parts.graph.cursors().get(name, 0), parts.text.cursors().get(name, 0)
    return graph if graph == text else 0


def _record(parts: Parts, root: Path, index: Index) -> Event:
    """Append the state of the tree as an event: paths and blob hashes."""
    hashes = {path: _blob_hash(data) for path, data in _contents(root, index.facts)}
    committed = _committed(root)
    loose = [path for path, digest in hashes.items() if digest not in committed]
    parts.log.put_blobs((hashes[path], _safe(data)) for path, data in _contents(root, loose))
    payload = {
        "root": str(root),
        "head": _head(root),
        "blobs": [[path, digest] for path, digest in sorted(hashes.items())],
    }
    ((appended),) = parts.recorder.record([Draft("tree_indexed", payload, parts.clock.now(), "", parts.project)])
    return parts.log.get([appended.id])[appended.id]


def _contents(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        try:
            yield path, (root / path).read_bytes()
        except OSError:
            continue  # it went away since it was parsed


def _blob_hash(data: bytes) -> str:
    """The name that git gives this content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _head(root: Path) -> str:
    try:
        return git.head(root)
    except GraphmemError:
        return ""


def _committed(root: Path) -> set[str]:
    """Blobs that HEAD holds below the root; empty outside of a repository."""
    try:
        listing = git.git(root, "ls-tree", "-r", "-z", "HEAD", check=False)
    except GraphmemError:
        return set()
    return {entry.split()[2].decode() for entry in listing.split(b"\0") if entry}


def _safe(data: bytes) -> bytes:
    return zlib.compress(privacy.redact(data.decode("utf-8", "replace")).text.encode())


def _rebuilt(parts: Parts, event: Event) -> Index:
    """The index of a recorded state, from git's objects and the log's blobs."""
    root = Path(event.payload["root"])
    with tempfile.TemporaryDirectory(prefix="graphmem-") as folder:
        base = Path(folder)
        for path, digest in event.payload["blobs"]:
            body = parts.log.blob(digest)
            data = zlib.decompress(body) if body is not None else _from_git(root, digest)
            target = base / path
            if data is not None and base in target.resolve().parents:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        git.git(base, "init", "-q")
        return replace(build(base), root=str(root))


def _from_git(root: Path, digest: str) -> bytes | None:
    try:
        return git.git(root, "cat-file", "blob", digest)
    except (GraphmemError, OSError):
        return None


def _project(parts: Parts, root: Path, index: Index, event: Event, *, whole: bool) -> None:
    """Bring the difference to graph and text, each with its cursor in the same transaction."""
    name = _cursor(root)
    shown = whole and any(place.cursors().get(name) for place in (parts.graph, parts.text))
    changes = _removal(parts) if shown else Changes()
    files = [index.links[path] for path in index.links] if whole else _concerned(index)
    delta = _everything(index) if whole else index.delta
    edges = [edge for links in files for edge in links.edges]
    changes.extend(difference(parts.project, delta, edges, parts.log.state.since("tree_indexed")))
    changes.extend(
        blame(
            parts, index, None if whole else {symbol.file for symbol in (*delta.symbols_added, *delta.symbols_changed)}
        )
    )
    changes = compacted([changes])
    parts.text.apply(changes.removed_items, changes.items, changes.links, {name: event.position})
    parts.graph.apply(changes, {name: event.position})


def _concerned(index: Index) -> list[FileLinks]:
    """The links of files that hold an end of a changed edge."""
    delta = index.delta
    paths = {key.partition(":")[0] for edge in (*delta.edges_added, *delta.edges_removed) for key in edge[1:3]}
    return [index.links[path] for path in sorted(paths) if path in index.links]


def _everything(index: Index) -> Delta:
    """The delta that leads from nothing to this state."""
    graph = index.graph
    return Delta(
        files_added=graph.files, symbols_added=graph.symbols, edges_added=graph.edges, call_sites_added=graph.call_sites
    )


def _removal(parts: Parts) -> Changes:
    """Everything of the code graph that the projections hold for this project."""
    query = resources.text("queries/graph/read/code_of_project.cypher")
    rows = parts.graph.query(query, {"project": parts.project}).rows
    symbols = [str(row[0]) for row in rows if row[1] == "Symbol"]
    return Changes(removed_nodes=[(str(row[1]), str(row[0])) for row in rows], removed_items=symbols)


def _report(index: Index, seconds: float) -> IndexReport:
    languages = Counter(facts.language for facts in index.facts.values())
    return IndexReport(
        files=len(index.facts),
        lines=sum(facts.lines for facts in index.facts.values()),
        symbols=sum(len(facts.symbols) for facts in index.facts.values()),
        edges=sum(len(links.edges) for links in index.links.values()),
        call_sites=sum(len(links.call_sites) for links in index.links.values()),
        languages=dict(languages),
        skipped=dict(index.skipped),
        changed=index.parsed,
        seconds=seconds,
    )
