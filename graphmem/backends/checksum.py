"""The checksum of a whole file, to distinguish a modified file from a copied one."""

from __future__ import annotations

import zlib
from pathlib import Path

_CHUNK = 1 << 20  # bytes


def checksum_of(path: Path) -> int:
    """Return the CRC-32 of a file."""
    found = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found = zlib.crc32(chunk, found)
    return found
