"""Caches the folded forest in a file, so that a new owner or a rebuild need not fold a large log again. It is used only
if it is intact and matches this log and this code; otherwise it is deleted."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import IO, Any, get_type_hints

from graphmem.model.packed import Schema, read_frame, write_frame
from graphmem.projections.runner import Log
from graphmem.tree.forest import Forest

FILE, _NEW = "tree.kept", "tree.*.new"
_HEADER = 256  # bytes
_CHUNK = 1 << 20
_MIN_NEW_DERIVATIONS, _REWRITE_SHARE = (
    5_000,
    5,
)  # new derivations, and their share, from which writing again is worthwhile
_BROKEN = (OSError, EOFError, KeyError, TypeError, ValueError)
_SCHEMAS: dict[str, Schema[Any]] = {name: Schema(hint) for name, hint in get_type_hints(Forest).items()}


def save_forest(folder: Path, forest: Forest, log: Log) -> None:
    """Write the forest, unless the file already has most of it. A failure loses nothing."""
    if forest.number - forest.kept < max(_MIN_NEW_DERIVATIONS, forest.kept // _REWRITE_SHARE):
        return
    before, forest.kept = forest.kept, forest.number
    file = folder / FILE
    new = file.with_suffix(f".{os.getpid()}.new")
    for cut_off in folder.glob(_NEW):
        cut_off.unlink(missing_ok=True)
    try:
        with open(os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as out:
            out.write(b" " * _HEADER)
            body = _Summed(out)
            for name, schema in _SCHEMAS.items():  # one part at a time, to limit memory
                write_frame(body, schema.pack(getattr(forest, name)))
            out.seek(0)
            out.write(json.dumps({"body": body.sum, **_of(forest, log)}).encode().ljust(_HEADER))
        new.replace(file)
    except (OSError, RecursionError):
        new.unlink(missing_ok=True)
        forest.kept = before


def load_forest(folder: Path, log: Log) -> Forest | None:
    """Return the forest in the file; None if there is no valid one."""
    if not is_valid(folder, log):
        return None
    try:
        with (folder / FILE).open("rb") as source:
            wanted = json.loads(source.read(_HEADER))["body"]
            found = 0
            while chunk := source.read(_CHUNK):
                found = zlib.crc32(chunk, found)
            source.seek(_HEADER)
            forest = _restored(source) if found == wanted else None
    except _BROKEN:
        forest = None
    if forest is None:
        delete_forest(folder)
    return forest


def is_valid(folder: Path, log: Log) -> bool:
    """Return whether the file matches this log, without anything forgotten since, and this code."""
    try:
        with (folder / FILE).open("rb") as source:
            told: dict[str, Any] = json.loads(source.read(_HEADER))
        is_ours = told["code"] == _code() and told["number"] <= log.state.last_derivation_number()
        same = told["anchor"] == log.state.history_fingerprint(told["grown"])
        same = same and told["stone"] == log.state.last_position("memory_forgotten")
    except _BROKEN:
        return False
    if not (is_ours and same):
        delete_forest(folder)
        return False
    return True


def delete_forest(folder: Path) -> None:
    """Delete the file, and any incomplete one."""
    for file in (folder / FILE, *folder.glob(_NEW)):
        file.unlink(missing_ok=True)


def _restored(source: IO[bytes]) -> Forest:
    """Return the forest in a file. Raises EOFError or ValueError for any other content."""
    forest, texts = Forest(), dict[str, str]()
    for name, schema in _SCHEMAS.items():
        value = schema.unpack(read_frame(source))
        if name == "_looms":
            for loom in value.values():
                loom.first = {_shared(tags, texts): _shared(ids, texts) for tags, ids in loom.first.items()}
        if isinstance(value, dict):
            getattr(forest, name).update(value)  # some are defaultdicts
        else:
            setattr(forest, name, value)
    return forest


def _shared(group: Iterable[str], texts: dict[str, str]) -> tuple[str, ...]:
    """Return the texts with duplicates as the same object: every memory is in seven groups."""
    return tuple([texts.setdefault(text, text) for text in group])


def _of(forest: Forest, log: Log) -> dict[str, object]:
    anchor = log.state.history_fingerprint(forest.grown)
    return {"code": _code(), "stone": forest.stone, "number": forest.number, "grown": forest.grown, "anchor": anchor}


@cache
def _code() -> str:
    """Return a digest of the code that a fold depends on."""
    package, digest = Path(__file__).parent.parent, hashlib.sha256()
    for folder in ("tree", "language", "retrieve", "cognify"):
        for source in sorted((package / folder).rglob("*")):
            if source.suffix in (".py", ".txt", ".toml", ".json"):
                digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


class _Summed:
    """A file that computes a checksum of what is written."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self.sum = 0

    def write(self, data: bytes) -> int:
        self.sum = zlib.crc32(data, self.sum)
        return self._out.write(data)

    def flush(self) -> None:
        """Do nothing: the file is flushed on close."""
