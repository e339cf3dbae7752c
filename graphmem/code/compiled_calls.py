"""Keeps what a compiler's index (SCIP) says about an indexed tree, and gives it to the linker.

The log has an event for each imported index. It names, for every file, a blob of the log with the file's call sites, by the keys
of our symbols, and the hash of the content that they were made for. So a rebuild has them without the SCIP file, a purge finds
them like file contents, and facts of a file that has changed since are ignored. The SCIP file itself is not kept: it is large, and
most of it is about names of other packages."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from graphmem.codegraph.build import Index
from graphmem.codegraph.scip.compiled import compiled_files
from graphmem.codegraph.scip.overlay import CompiledFiles
from graphmem.codegraph.scip.reading import read_scip
from graphmem.codegraph.scip.records import CompiledFile, pack_file, unpack_file
from graphmem.context import StoreContext
from graphmem.errors import SourceError
from graphmem.foreignfiles import read_file
from graphmem.model.events import Draft, Event

TYPE = "scip_indexed"


def import_scip(context: StoreContext, root: Path, index: Index, file: Path) -> dict[str, int]:
    """Record what an index of SCIP says about the files of an indexed tree; what earlier ones say about other files stays.
    Return how many of its documents are not used, by reason. Raises SourceError if it is no index of SCIP, or of another
    tree."""

    def source_of(path: str) -> tuple[str, bytes] | None:
        facts = index.facts.get(path)
        content = read_file(root / path) if facts is not None else b""
        return (facts.language, content) if facts is not None and _is_indexed(index, path, content) else None

    found = read_scip(file, root, source_of)
    if not found.documents:
        reasons = ", ".join(f"{count} {reason}" for reason, count in found.skipped.items()) or "it is empty"
        raise SourceError(f"{file} says nothing about {root}: {reasons}", path=str(file))
    made = compiled_files(found, index.facts, index.records)
    blobs = {path: zlib.compress(pack_file(each), 1) for path, each in made.items()}
    digests = {path: hashlib.sha256(blob).hexdigest() for path, blob in blobs.items()}
    context.log.blobs.put([(digests[path], blob) for path, blob in blobs.items()])
    last = _last(context, root)
    kept = {path: digest for path, digest in last.payload["blobs"] if path in index.facts} if last is not None else {}
    pairs = [list(pair) for pair in sorted((kept | digests).items())]
    payload = {"root": str(root), "tool": found.tool, "blobs": pairs}
    context.recorder.record([Draft(TYPE, payload, context.clock.now(), "", context.project)])
    return found.skipped


def compiled_of(context: StoreContext, root: str) -> CompiledFiles:
    """Return what gives the linker the call sites of a root's files, as the last imported indexes have them."""
    last = _last(context, Path(root))
    digests = dict(last.payload["blobs"]) if last is not None else {}

    def read(paths: Iterable[str]) -> Mapping[str, CompiledFile]:
        found = ((path, _read(context, digests[path])) for path in paths if path in digests)
        return {path: file for path, file in found if file is not None}

    return read


def _last(context: StoreContext, root: Path) -> Event | None:
    """Return the last import of this root by this machine: another one cannot say what is certain here."""
    events = (
        event for event in context.log.read(types=[TYPE]) if event.payload["root"] == str(root) and not event.foreign
    )
    return max(events, key=lambda event: event.position, default=None)


def _read(context: StoreContext, digest: str) -> CompiledFile | None:
    blob = context.log.blobs.get(digest)
    try:
        return unpack_file(zlib.decompress(blob) if blob is not None else None)
    except zlib.error:
        return None


def _is_indexed(index: Index, path: str, content: bytes) -> bool:
    """Return whether a file has the content that was indexed."""
    return hashlib.sha256(content).hexdigest() == index.records[path].sha256
