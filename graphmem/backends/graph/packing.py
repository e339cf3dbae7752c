"""Keeps the file of a closed graph small. The engine writes whole pages, and most of them are empty: a graph of 7,500 nodes
takes 165 MB, compressed 2 MB. So the file of a closed graph is compressed, and unpacked with holes instead of empty pages.
A large graph only gets holes: unpacking it would delay the next query."""

from __future__ import annotations

import ctypes
import os
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from graphmem.backends.graph.seal import Seal
from graphmem.errors import StoreDamaged, StoreError

_CHUNK, _PAGE = 1 << 20, 4_096  # bytes
_MAX_PACKED_BYTES = 256 << 20  # bytes of a graph that is compressed: unpacking takes up to half a second
_KEEP_SIZE, _PUNCH_HOLE = 1, 2  # flags of `fallocate`


def packed_path(graph: Path) -> Path:
    """Return the location of the compressed file of a graph."""
    return graph.with_name(f"{graph.name}.zst")


def is_packed(graph: Path) -> bool:
    """Return whether a graph has only its compressed file. After a crash it may have both: then the other is as new."""
    return not graph.exists() and packed_path(graph).is_file()


def file_state(file: Path) -> list[int]:
    """Return values that change with a file; an empty list if it does not exist."""
    try:
        state = file.stat()
    except OSError:
        return []
    return [state.st_ino, state.st_size, state.st_mtime_ns]


class PackedGraph:
    """The compressed file of one graph, which is kept while the graph is open until the first change."""

    def __init__(self, graph: Path) -> None:
        self._graph = graph
        self._checksum: int | None = None  # of its content, while the graph is open and not changed
        self._left: list[int] = []  # its state when it was written

    def unpack(self, target: Path) -> None:
        """Unpack it to this file."""
        checksum, mtime_ns, _ = Seal(self._graph).left()
        unpack_file(self._graph, target, checksum, mtime_ns)
        self._checksum = checksum

    def drop(self) -> None:
        """Delete it before the first change: after a crash it would be older than the graph."""
        if self._checksum is not None:
            packed_path(self._graph).unlink(missing_ok=True)
            self._checksum = None

    def shrink(self, checksum: int) -> None:
        """Compress the closed graph with this checksum, or delete its file if that has not changed since it was unpacked."""
        if self._checksum == checksum and packed_path(self._graph).is_file():
            self._graph.unlink(missing_ok=True)
        else:
            shrink_file(self._graph)
        self._checksum, self._left = None, file_state(packed_path(self._graph))

    def is_as_left(self) -> bool:
        """Return whether nobody else changed it since it was written."""
        return file_state(packed_path(self._graph)) == self._left


def shrink_file(graph: Path) -> None:
    """Replace the file of a closed graph by a compressed one; a large one only gets holes. Without space or support by the
    file system it stays as it is."""
    packed = packed_path(graph)
    made = packed.with_name(f"{packed.name}.new")
    try:
        if graph.stat().st_size > _MAX_PACKED_BYTES:
            _punch_holes(graph)
            return
        os.close(os.open(made, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        with graph.open("rb") as source, pa.CompressedOutputStream(pa.OSFile(str(made), "w"), "zstd") as target:
            while chunk := source.read(_CHUNK):
                target.write(chunk)
        with made.open("rb+") as file:
            os.fsync(file.fileno())
        made.replace(packed)
        graph.unlink()
    except OSError:
        made.unlink(missing_ok=True)


def unpack_file(graph: Path, target: Path, checksum: int | None, mtime_ns: int) -> None:
    """Unpack the compressed file of a graph to a file with this time of modification. Raises StoreDamaged if it has another
    checksum or is larger than a compressed graph can be, StoreError if the target cannot be written."""
    made, found, size = target.with_name(f"{target.name}.new"), 0, 0
    try:
        with open(os.open(made, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
            for chunk in _unpacked(packed_path(graph)):
                size += len(chunk)
                if (
                    size > _MAX_PACKED_BYTES
                ):  # larger graphs are never compressed: a file from elsewhere that would fill the disk
                    raise StoreDamaged("the graph cannot be trusted: its compressed file is too large", path=str(graph))
                found = zlib.crc32(chunk, found)
                _write_sparsely(file, chunk)
            file.truncate()
        if found != checksum:
            raise StoreDamaged("the graph cannot be trusted: its compressed file was changed", path=str(graph))
        os.utime(made, ns=(mtime_ns, mtime_ns))
        made.replace(target)
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"the graph cannot be unpacked: {why}", path=str(graph)) from error
    finally:
        made.unlink(missing_ok=True)


def _unpacked(packed: Path) -> Iterator[bytes]:
    try:
        with pa.CompressedInputStream(pa.OSFile(str(packed)), "zstd") as source:
            while chunk := source.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise StoreDamaged("the graph cannot be trusted: its compressed file is damaged", path=str(packed)) from error


def _write_sparsely(file: BinaryIO, chunk: bytes) -> None:
    """Write a chunk, but for its empty pages."""
    done = 0
    for start, end in _empty_pages(chunk):
        file.write(chunk[done:start])
        file.seek(end - start, os.SEEK_CUR)
        done = end
    file.write(chunk[done:])


def _empty_pages(chunk: bytes) -> list[tuple[int, int]]:
    """Return start and end of the runs of pages without any content, in bytes."""
    pages = np.frombuffer(chunk, np.uint64, len(chunk) // _PAGE * (_PAGE // 8)).reshape(-1, _PAGE // 8)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], ~pages.any(axis=1), [0])).astype(np.int8))) * _PAGE
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _punch_holes(graph: Path) -> None:
    """Free the disk space of empty pages. They are read as before."""
    with graph.open("rb+") as file:
        start = 0
        while chunk := file.read(_CHUNK):
            for first, last in _empty_pages(chunk):
                if _fallocate()(file.fileno(), _PUNCH_HOLE | _KEEP_SIZE, start + first, last - first):
                    return  # the file system has no holes
            start += len(chunk)


@cache
def _fallocate() -> Any:
    """Return the call of Linux that makes holes; elsewhere one that fails."""
    if not sys.platform.startswith("linux"):
        return lambda *_: -1
    call = ctypes.CDLL(None, use_errno=True).fallocate
    call.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    return call
