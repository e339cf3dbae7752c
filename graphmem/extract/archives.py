"""Reads untrusted zip files. A small one can unpack to more than fits in memory, so the entry list, the unpacked size and
the expansion ratio are limited while reading, whatever the header says."""

from __future__ import annotations

import errno
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from lzma import LZMAError
from pathlib import Path
from typing import IO

from graphmem.errors import SourceError

MOST_LISTED = 8_000_000  # bytes of the entry list: 80,000 entries of usual length
MOST_ENTRY = 256_000_000  # maximum unpacked bytes of an entry
MOST_TOTAL = 2_000_000_000  # maximum unpacked bytes of all wanted entries
MOST_EXPANSION = (
    250  # maximum expansion ratio, beyond a small size: text is usually packed to a tenth, rarely to a fiftieth
)
_SMALL = 4_000_000
_CHUNK = 1 << 20
_DAMAGED = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, RuntimeError, ValueError, OverflowError, struct.error)


def is_archive(path: Path) -> bool:
    """Return whether a file is a zip file."""
    with path.open("rb") as file:
        return file.read(2) == b"PK" and zipfile.is_zipfile(file)


def read_entries(path: Path, wanted: Callable[[str], bool]) -> Iterator[bytes]:
    """Yield the unpacked content of the `wanted` entries of a zip file, in the order of their names. Raises SourceError
    for a damaged file and beyond the limits."""
    total = 0
    for entry in _entries(path, wanted, MOST_ENTRY + 1):
        total += len(entry)
        if total > MOST_TOTAL:
            raise _refused(path, f"unpacks to more than {MOST_TOTAL:,} bytes")
        yield entry


def read_beginning(path: Path, wanted: Callable[[str], bool], most: int) -> bytes:
    """Return the first bytes of the first `wanted` entry, b"" if none. Raises SourceError as `read_entries`."""
    return next(_entries(path, wanted, most), b"")


def _entries(path: Path, wanted: Callable[[str], bool], most: int) -> Iterator[bytes]:
    """Yield at most the first `most` bytes of each wanted entry."""
    try:
        with _Careful(path) as file, zipfile.ZipFile(file) as archive:
            packed = {info.filename: info for info in archive.infolist() if wanted(info.filename)}
            for _, info in sorted(packed.items()):
                with archive.open(info) as entry:
                    yield _unpacked(path, entry, min(info.compress_size, path.stat().st_size), most)
    except _DAMAGED as error:
        raise SourceError(f"{path} is a damaged zip file: {error}", path=str(path)) from error
    except OSError as error:
        if error.errno != errno.EINVAL:  # an impossible place in the file
            raise
        raise SourceError(
            f"{path} is a damaged zip file: an entry points outside of the file", path=str(path)
        ) from error


def _unpacked(path: Path, entry: IO[bytes], packed: int, most: int) -> bytes:
    found = bytearray()
    while len(found) < most and (chunk := entry.read(min(_CHUNK, most - len(found)))):
        found += chunk
        if len(found) > MOST_ENTRY:
            raise _refused(path, f"has an entry of more than {MOST_ENTRY:,} bytes")
        if len(found) > max(_SMALL, packed * MOST_EXPANSION):
            raise _refused(path, f"has an entry that unpacks to more than {MOST_EXPANSION} times its size")
    return bytes(found)


def _refused(path: Path, why: str) -> SourceError:
    return SourceError(f"{path} {why}, so it was not read: unpack it and import the file you need", path=str(path))


class _Careful(io.FileIO):
    """A file that limits single reads to the maximum size of an entry list."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._path = path

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes. Raises SourceError if too many are requested at once."""
        most = MOST_LISTED + 1 if size is None or size < 0 else size
        if most > MOST_LISTED + 1:
            raise _refused(self._path, "lists too many entries")
        return super().read(most) or b""
