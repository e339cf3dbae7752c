"""Facts to bytes and back, for a local cache keyed by path, content and front end version.

Pickle, because it is many times faster than JSON on deep tuples. It is safe here: the cache lies in the user's own store, is
never exchanged, and the reader refuses every class but the records of the code graph, so that even a tampered entry can only
be refused."""

from __future__ import annotations

import hashlib
import io
import pickle
from functools import cache
from pathlib import Path
from typing import Any

from graphmem import privacy, resources
from graphmem.codegraph import languages
from graphmem.codegraph.records import FileFacts

_ALLOWED = ("graphmem.codegraph.", "graphmem.model.code")
_PLAIN = {("builtins", n) for n in ("frozenset", "set", "tuple", "list", "dict", "complex")} | {
    ("collections", "Counter")
}


def key(path: str, sha256: str) -> str:
    """The cache key of a file's facts."""
    return f"{_version()}:{sha256}:{path}"


def dump(value: object) -> bytes:
    """Facts, or a whole index, as bytes."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def load(data: bytes) -> FileFacts | None:
    """The facts from bytes; None where they are damaged, foreign or of another version."""
    facts = restore(data)
    return facts if isinstance(facts, FileFacts) else None


def restore(data: bytes) -> object | None:
    """Whatever record of the code graph was dumped; None where it is damaged, foreign or of another version."""
    try:
        found: object = _Reader(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, TypeError, ValueError, KeyError):
        return None
    return found


def version() -> str:
    """Changes when the facts of the same source would."""
    return _version()


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN or (module.startswith(_ALLOWED) and "." not in name):
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no record of the code graph")


@cache
def _version() -> str:
    """Changes with anything that facts depend on: the front ends themselves, what is hidden from them, the languages,
    their queries."""
    digest = hashlib.sha256(resources.text("grammars/languages.toml").encode())
    for folder in (Path(__file__).parent, Path(privacy.__file__).parent):
        for source in sorted(folder.rglob("*.py")):
            digest.update(source.read_bytes())
    for name in sorted(languages.all_languages()):
        if name != "python":
            digest.update(languages.query_text(name).encode())
    return digest.hexdigest()[:12]
