"""A folded forest in a file, so that neither a new owner nor a rebuild folds a large log again. A cache in the user's own
store: it counts only where it is whole, of this log and of this code; else it is deleted, and the log folded."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import zlib
from functools import cache
from pathlib import Path
from typing import IO, Any

from graphmem.projections.runner import Log
from graphmem.tree.forest import Forest

FILE, _NEW = "tree.kept", "tree.*.new"
_HEADER = 256  # bytes
_CHUNK = 1 << 20
_LEAST, _SHARE = 5_000, 5  # derivations, and share of all, by which a forest must have grown to be worth writing again
_BROKEN = (
    OSError,
    EOFError,
    AttributeError,
    ImportError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
    pickle.UnpicklingError,
)


def save(folder: Path, forest: Forest, log: Log) -> None:
    """Write the forest, unless the file has most of it. Where that fails, nothing is lost."""
    if forest.number - forest.kept < max(_LEAST, forest.kept // _SHARE):
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
            pickle.dump(forest, body, pickle.HIGHEST_PROTOCOL)
            out.seek(0)
            out.write(json.dumps({"body": body.sum, **_of(forest, log)}).encode().ljust(_HEADER))
        new.replace(file)
    except OSError:
        new.unlink(missing_ok=True)
        forest.kept = before


def load(folder: Path, log: Log) -> Forest | None:
    """The forest of the file; None where there is none that counts."""
    if not fits(folder, log):
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
        forget(folder)
    return forest


def fits(folder: Path, log: Log) -> bool:
    """Whether the file says that it is of this log, of which nothing was forgotten since, and of this code."""
    try:
        with (folder / FILE).open("rb") as source:
            told: dict[str, Any] = json.loads(source.read(_HEADER))
        is_ours = told["code"] == _code() and told["number"] <= log.state.derivations()
        same = told["anchor"] == log.state.anchor(told["grown"]) and told["stone"] == log.state.last("memory_forgotten")
    except _BROKEN:
        return False
    if not (is_ours and same):
        forget(folder)
        return False
    return True


def forget(folder: Path) -> None:
    """Leave nothing of it, nor of one that was cut off while it was written."""
    for file in (folder / FILE, *folder.glob(_NEW)):
        file.unlink(missing_ok=True)


def _restored(source: IO[bytes]) -> Forest:
    """The forest that was pickled. Raises UnpicklingError for anything else."""
    forest = _Reader(source).load()
    if not isinstance(forest, Forest):
        raise pickle.UnpicklingError("this is no forest")
    return forest


def _of(forest: Forest, log: Log) -> dict[str, object]:
    anchor = log.state.anchor(forest.grown)
    return {"code": _code(), "stone": forest.stone, "number": forest.number, "grown": forest.grown, "anchor": anchor}


@cache
def _code() -> str:
    """Changes with anything that a fold depends on."""
    package, digest = Path(__file__).parent.parent, hashlib.sha256()
    for folder in ("tree", "language", "retrieve", "cognify"):
        for source in sorted((package / folder).rglob("*")):
            if source.suffix in (".py", ".txt", ".toml", ".json"):
                digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


class _Summed:
    """A file that sums up what is written to it."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self.sum = 0

    def write(self, data: bytes) -> int:
        self.sum = zlib.crc32(data, self.sum)
        return self._out.write(data)


class _Reader(pickle.Unpickler):
    """Refuses every class but those of the tree, so that even a file that was tampered with can only be refused."""

    def find_class(self, module: str, name: str) -> Any:
        plain = (module, name) in {("collections", "Counter"), ("collections", "defaultdict"), ("builtins", "set")}
        if plain or (module.startswith("graphmem.tree.") and "." not in name):
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a forest")
