"""What a compiler's index says about one file: call sites and inheritance, by the keys of our symbols. It is kept with the hash
of the file it was made for, because its positions are wrong for any other content."""

from __future__ import annotations

from typing import NamedTuple

from graphmem.model.packed import Damaged, Schema


class CompiledCall(NamedTuple):
    """A call site. `targets` are keys of symbols; `outside`: what is called is not in the indexed tree. Neither: the index does
    not say what is called."""

    line: int
    name: str
    targets: tuple[str, ...] = ()
    outside: bool = False

    @property
    def known(self) -> bool:
        """Return whether the index says what is called."""
        return bool(self.targets) or self.outside


class CompiledFile(NamedTuple):
    """The call sites of one file, and (subtype or overriding method, what it implements) pairs. `tool` made the index;
    `confidence` is that of its edges."""

    sha256: str
    tool: str
    confidence: float
    calls: tuple[CompiledCall, ...]
    implements: tuple[tuple[str, str], ...] = ()


_SCHEMA: Schema[CompiledFile] = Schema(CompiledFile)


def pack_file(file: CompiledFile) -> bytes:
    """Serialise what is kept of one file."""
    return _SCHEMA.pack(file)


def unpack_file(data: bytes | None) -> CompiledFile | None:
    """Deserialise what was kept of one file; None if missing or damaged."""
    try:
        return _SCHEMA.unpack(data) if data else None
    except Damaged:
        return None
