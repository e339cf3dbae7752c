"""Facts to bytes and back, for a local cache keyed by path, content and front end version, and for helper processes. Bytes
that are damaged or foreign are refused; none of them can do more than that."""

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
]  # what is written of which state, externals, shallow

_PYTHON, _GENERIC = b"p", b"g"
_facts: Schema[tuple[FileFacts, bytes]] = Schema(tuple[FileFacts, bytes])
_row: Schema[Row] = Schema(tuple[Source, FileRecord, FileFacts | None, FileLinks])
_head: Schema[Head] = Schema(Head)
_stamp: Schema[tuple[int, bool]] = Schema(tuple[int, bool])
# The compiled class keeps no annotations: its fields are named here. A manifest has lists, which are no tuples.
_python: Schema[Any] = Schema(tuple[str, bool, tuple[str, ...] | None, tuple[tuple[str, int, str], ...], bytes])
_generic: Schema[tuple[GenericSummary, str]] = Schema(tuple[GenericSummary, str])


def key(path: str, sha256: str) -> str:
    """The cache key of a file's facts."""
    return f"{_version()}:{sha256}:{path}"


def dump(facts: FileFacts) -> bytes:
    """Return facts as bytes."""
    return _facts.pack((replace(facts, summary=None), dump_summary(facts.summary)))


def load(data: bytes) -> FileFacts | None:
    """Return the facts from bytes; None where they are damaged, foreign or of another version."""
    try:
        facts, summary = _facts.unpack(data)
        return replace(facts, summary=load_summary(summary))
    except Damaged:
        return None


def dump_summary(summary: Any) -> bytes:
    """Return what a front end's own linker needs of a file as bytes."""
    if summary is None:
        return b""
    if isinstance(summary, PythonSummary):
        return _PYTHON + _python.pack(tuple(summary))
    said = json.dumps(summary.manifest) if summary.manifest is not None else ""
    return _GENERIC + _generic.pack((summary._replace(manifest=None), said))


def load_summary(data: bytes) -> Any:
    """Return the summary from bytes. Raises Damaged."""
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
        raise Damaged("the manifest is no JSON") from error


def dump_row(row: Row) -> bytes:
    """Return one file of an index, without its summary, as bytes."""
    return _row.pack(row)


def load_row(data: bytes | None) -> Row | None:
    """Return one file of an index from bytes; None where they are damaged, foreign or missing."""
    return _loaded(_row, data)


def dump_head(head: Head) -> bytes:
    """Return what an index says of all its files as bytes."""
    return _head.pack(head)


def load_head(data: bytes | None) -> Head | None:
    """Return what an index says of all its files; None where the bytes are damaged, foreign or missing."""
    return _loaded(_head, data)


def dump_stamp(stamp: tuple[int, bool]) -> bytes:
    """Return the state of an index as bytes."""
    return _stamp.pack(stamp)


def load_stamp(data: bytes | None) -> tuple[int, bool] | None:
    """Return the state of an index; None where the bytes are damaged, foreign or missing."""
    return _loaded(_stamp, data)


def _loaded(schema: Schema[T], data: bytes | None) -> T | None:
    try:
        return schema.unpack(data) if data else None
    except Damaged:
        return None


def version() -> str:
    """Changes when the facts of the same source would."""
    return _version()


@cache
def _version() -> str:
    """Changes with anything that facts depend on: the front ends themselves, what is hidden from them, the languages,
    their queries."""
    digest = hashlib.sha256(resources.text("grammars/languages.toml").encode())
    for folder in (Path(__file__).parent, Path(privacy.__file__).parent):
        for source in sorted([*folder.rglob("*.py"), *folder.glob("*.txt")]):
            digest.update(source.read_bytes())
    for name in sorted(languages.all_languages()):
        if name != "python":
            digest.update(languages.query_text(name).encode())
    return digest.hexdigest()[:12]
