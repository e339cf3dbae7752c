"""Loads the protocol buffers of SCIP, which need the extra `scip`, and iterates over an index without parsing it as a whole.
`scip_pb2` is generated from scip.proto (https://github.com/sourcegraph/scip); CONTRIBUTING.md says how."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from graphmem.errors import NotInstalled

if TYPE_CHECKING:
    from types import ModuleType

METADATA, DOCUMENT = 1, 2  # fields of Index
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types
_LONGEST_VARINT = 10  # bytes


class Malformed(ValueError):
    """The bytes are not a protocol buffer."""


def load_messages() -> ModuleType:
    """Return the generated module with `Index`, `Document` and so on. Raises NotInstalled without the library."""
    try:
        import_module("google.protobuf")
    except ImportError as error:
        raise NotInstalled("SCIP needs protobuf: pip install '.[scip]' in the clone of graphmem") from error
    return import_module("graphmem.codegraph.scip.scip_pb2")


def load_decode_error() -> type[Exception]:
    """Return the exception that protobuf raises for damaged messages."""
    error: type[Exception] = import_module("google.protobuf.message").DecodeError
    return error


def split_fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Yield number and bytes of each field of a message; scalar fields are skipped. An index is read field by field, as its
    specification recommends: parsed as a whole, it would take several times its size in memory. Raises Malformed."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            _, at = _varint(data, at)
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
        else:
            raise Malformed(f"wire type {kind} at byte {at}")
        if size > len(data) - at:
            raise Malformed(f"a field at byte {at} is longer than the file")
        if kind == _BYTES:
            yield key >> 3, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return a number of variable length, and where it ends."""
    value = 0
    for n, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        value |= (byte & 127) << 7 * n
        if byte < 128:
            return value, at + n + 1
    raise Malformed(f"no number at byte {at}")
