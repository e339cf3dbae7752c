"""Records the state of an indexed tree in the log: the content hash of each file, and the content of files that no commit
contains, so that this graph can be rebuilt."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Set
from itertools import islice
from pathlib import Path

from graphmem import privacy
from graphmem.code.presence import TREE_INDEXED
from graphmem.codegraph import worker
from graphmem.codegraph.scan import is_of_git
from graphmem.context import StoreContext
from graphmem.errors import GraphmemError
from graphmem.extract import git
from graphmem.foreignfiles import read_file
from graphmem.gitprocess import run
from graphmem.model.code import FileRecord
from graphmem.model.events import Draft, Event
from graphmem.model.packed import Schema, read_frame

TYPE = TREE_INDEXED
_COMMAND = "from graphmem.code.tree_states import serve_contents; serve_contents()"
_MOST_SKIPPED = 20_000  # files of an event
_HERE = 100  # files; for fewer, starting a worker process costs more than it saves
Content = tuple[str, str, bytes | None]  # path, blob hash, and redacted content if no commit contains it
_JOB: Schema[tuple[str, list[str], frozenset[str]]] = Schema(tuple[str, list[str], frozenset[str]])
_CONTENT: Schema[Content] = Schema(Content)


class FileContents:
    """The contents of some files of a tree. Those in `clean` (SHA-256) are known to contain no secrets. Large sets are
    read by a worker process: redacting 200,000 lines takes a second, in which the caller can do other work."""

    def __init__(self, root: Path, paths: Collection[str], clean: Set[str] = frozenset()) -> None:
        self._job = str(root), sorted(paths), frozenset(clean)
        self._helper: subprocess.Popen[bytes] | None = None
        if len(paths) - len(clean) >= _HERE:
            self._helper = worker.helper(_COMMAND, _JOB.pack(self._job))

    def __iter__(self) -> Iterator[Content]:
        found = None
        if self._helper is not None:
            found = worker.receive(self._helper, _CONTENT)
            worker.finish(self._helper)
        yield from _contents(*self._job) if found is None else found


def record_state(
    context: StoreContext, root: Path, head: str, contents: Iterable[Content], last: Event | None, kept: Set[str],
    skipped: Iterable[FileRecord],
) -> Event:  # fmt: skip
    """Append the state of the tree as an event: paths and blob hashes. `kept` are the paths unchanged since the last
    state, `skipped` what is known of files that were not parsed: another machine of this log knows of them by this alone."""
    before = last.payload["blobs"] if last is not None else ()
    hashes, loose = {path: digest for path, digest in before if path in kept}, []
    for path, digest, body in contents:
        hashes[path] = digest
        if body is not None:
            loose.append((digest, body))
    if loose:
        context.log.blobs.put(loose)
    blobs = [list(pair) for pair in sorted(hashes.items())]
    tree = last.payload.get("tree", "") if last is not None else _tree(context, root)
    payload = {"root": str(root), "tree": tree, "head": head, "blobs": blobs}
    if rows := [list(record) for record in islice(sorted(skipped), _MOST_SKIPPED)]:
        payload["unparsed"] = rows
    ((appended),) = context.recorder.record([Draft(TYPE, payload, context.clock.now(), "", context.project)])
    return context.log.get([appended.id])[appended.id]


def skipped_files(event: Event) -> list[FileRecord]:
    """Return what a state says of the files that were not parsed; events of earlier versions do not name them."""
    return [FileRecord(*row[:6]) for row in event.payload.get("unparsed", ())[:_MOST_SKIPPED]]


def latest_states(context: StoreContext) -> dict[str, Event]:
    """Return the last state of each root of any project, in order of first indexing."""
    found: dict[str, Event] = {}
    for event in context.log.read(types=[TYPE]):
        found[event.payload["root"]] = event
    return found


def _tree(context: StoreContext, root: Path) -> str:
    """Return what distinguishes a root from the first indexed one of the project; "" for that one."""
    known = latest_states(context)
    if str(root) in known:
        return str(known[str(root)].payload.get("tree", ""))
    first = all(event.project != context.project for event in known.values())
    return "" if first else short_root_digest(root_digest(root))


def root_digest(root: Path) -> str:
    """Return a short digest of a root."""
    return hashlib.sha256(str(root).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def short_root_digest(name: str) -> str:
    """Return an even shorter digest, for ids."""
    return name[:8]


def state_at(context: StoreContext, position: int) -> Event | None:
    """Return the state recorded at a log position."""
    return next((e for e in context.log.read(position - 1, types=[TYPE], upto=position)), None) if position else None


def head_commit(root: Path) -> str:
    """Return the current commit of the tree; "" outside of a repository."""
    try:
        return git.head_commit(root)
    except GraphmemError:
        return ""


def restore_files(context: StoreContext, event: Event, base: Path) -> None:
    """Write the files of a recorded state to a folder, from blobs in the log and git objects."""
    root = Path(event.payload["root"])
    for path, digest in event.payload["blobs"]:
        body = context.log.blobs.get(digest)
        data = zlib.decompress(body) if body is not None else _from_git(root, digest)
        target = base / path
        if data is not None and base in target.resolve().parents and not is_of_git(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def serve_contents() -> None:
    """Run the worker side of `FileContents`."""
    worker.answer(_contents(*_JOB.unpack(read_frame(sys.stdin.buffer))), _CONTENT)


def _contents(root: str, paths: list[str], clean: Set[str]) -> Iterator[Content]:
    committed = _committed(Path(root), paths) if paths else set()
    for path in paths:
        try:
            data = read_file(Path(root) / path)
        except OSError:
            continue  # deleted since it was parsed
        digest = _blob_hash(data)
        is_clean = bool(clean) and hashlib.sha256(data).hexdigest() in clean
        yield path, digest, None if digest in committed else _compressed(data) if is_clean else _safe(data)


def _blob_hash(data: bytes) -> str:
    """Return git's hash of this content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _committed(root: Path, paths: list[str]) -> set[str]:
    """Return the blobs that HEAD has at these paths, or anywhere below the root if they are many."""
    some = ["--", *paths] if len(paths) < _HERE else []
    try:
        listing = run(root, "ls-tree", "-r", "-z", "HEAD", *some, check=False)
    except GraphmemError:
        return set()
    return {entry.split()[2].decode() for entry in listing.split(b"\0") if entry}


def _safe(data: bytes) -> bytes:
    return _compressed(privacy.redact(data.decode("utf-8", "replace")).text.encode())


def _compressed(data: bytes) -> bytes:
    return zlib.compress(data, 1)


def _from_git(root: Path, digest: str) -> bytes | None:
    try:
        return run(root, "cat-file", "blob", digest)
    except (GraphmemError, OSError):
        return None
