"""Serialises facts for a local cache, keyed by path, content and front end version, and for worker processes. Damaged or
foreign bytes are rejected, without further effect."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from graphmem import privacy, resources
from graphmem.codegraph import languages
from graphmem.codegraph.generic.summary import Summary as GenericSummary
from graphmem.codegraph.python.ir import Summary as PythonSummary
from graphmem.codegraph.records import FileFacts, FileLinks
from graphmem.codegraph.scan import Source
from graphmem.model.code import FileRecord
from graphmem.model.packed import Damaged, Schema

T = TypeVar("T")
Row = tuple[Source, FileRecord, FileFacts | None, FileLinks]
Head = tuple[
    dict[str, tuple[int, bool]], Counter[str], frozenset[str]
]  # written paths by state, external names, shallow files

_PYTHON, _GENERIC = b"p", b"g"
_facts: Schema[tuple[FileFacts, bytes]] = Schema(tuple[FileFacts, bytes])
_row: Schema[Row] = Schema(tuple[Source, FileRecord, FileFacts | None, FileLinks])
_head: Schema[Head] = Schema(Head)
_stamp: Schema[tuple[int, bool]] = Schema(tuple[int, bool])
# The compiled class has no annotations, so its fields are listed here. A manifest has lists, not tuples.
_python: Schema[Any] = Schema(tuple[str, bool, tuple[str, ...] | None, tuple[tuple[str, int, str], ...], bytes])
_generic: Schema[tuple[GenericSummary, str]] = Schema(tuple[GenericSummary, str])


def key(path: str, sha256: str) -> str:
    """Return the cache key of a file's facts."""
    return f"{_version()}:{sha256}:{path}"


def dump(facts: FileFacts) -> bytes:
    """Serialise facts."""
    return _facts.pack((replace(facts, summary=None), dump_summary(facts.summary)))


def load(data: bytes) -> FileFacts | None:
    """Deserialise facts; None if damaged, foreign or of another version."""
    try:
        facts, summary = _facts.unpack(data)
        return replace(facts, summary=load_summary(summary))
    except Damaged:
        return None


def dump_summary(summary: Any) -> bytes:
    """Serialise what a front end's linker needs of a file."""
    if summary is None:
        return b""
    if isinstance(summary, PythonSummary):
        return _PYTHON + _python.pack(tuple(summary))
    said = json.dumps(summary.manifest) if summary.manifest is not None else ""
    return _GENERIC + _generic.pack((summary._replace(manifest=None), said))


def load_summary(data: bytes) -> Any:
    """Deserialise a summary. Raises Damaged."""
    kind, body = data[:1], memoryview(data)[1:]
    if not kind:
        return None
    if kind == _PYTHON:
        return PythonSummary(*_python.unpack(body))
    if kind != _GENERIC:
        raise Damaged("an unknown kind of summary")
    summary, said = _generic.unpack(body)
    try:
        return summary._replace(manifest=json.loads(said)) if said else summary
    except (ValueError, RecursionError) as error:
        raise Damaged("the manifest is not JSON") from error


def dump_row(row: Row) -> bytes:
    """Serialise one file of an index, without its summary."""
    return _row.pack(row)


def load_row(data: bytes | None) -> Row | None:
    """Deserialise one file of an index; None if damaged, foreign or missing."""
    return _loaded(_row, data)


def dump_head(head: Head) -> bytes:
    """Serialise what an index stores about all files."""
    return _head.pack(head)


def load_head(data: bytes | None) -> Head | None:
    """Deserialise what an index stores about all files; None if damaged, foreign or missing."""
    return _loaded(_head, data)


def dump_stamp(stamp: tuple[int, bool]) -> bytes:
    """Serialise the state of an index."""
    return _stamp.pack(stamp)


def load_stamp(data: bytes | None) -> tuple[int, bool] | None:
    """Deserialise the state of an index; None if damaged, foreign or missing."""
    return _loaded(_stamp, data)


def _loaded(schema: Schema[T], data: bytes | None) -> T | None:
    try:
        return schema.unpack(data) if data else None
    except Damaged:
        return None


def version() -> str:
    """Return a version that changes when facts of the same source would."""
    return _version()


@cache
def _version() -> str:
    """Return a digest of everything that facts depend on: the front ends, redaction, the languages, and their queries."""
    digest = hashlib.sha256(resources.text("grammars/languages.toml").encode())
    for folder in (Path(__file__).parent, Path(privacy.__file__).parent):
        for source in sorted([*folder.rglob("*.py"), *folder.glob("*.txt")]):
            digest.update(source.read_bytes())
    for name in sorted(languages.all_languages()):
        if name != "python":
            digest.update(languages.query_text(name).encode())
    return digest.hexdigest()[:12]
