"""Robust reading of files from other programs, with unknown encodings, very long lines, and values of any type. A
malformed record is counted and skipped; it never blocks others. Independent of the format."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from graphmem.foreignfiles import read_file
from graphmem.model.limits import LINE_BYTES, WHOLE_FILE_BYTES
from graphmem.model.sources import IngestReport
from graphmem.privacy import hollowed_parts

T = TypeVar("T")
_LOOK = 1_024  # bytes used to detect the encoding
# Exceptions of record readers for values of the wrong type, missing values, or excessive nesting.
ODD = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def isolated(records: Iterator[T], report: IngestReport, reason: str = "malformed record") -> Iterator[T]:
    """Yield what a record produces; a record that raises is counted as unreadable."""
    try:
        yield from records
    except ODD:
        report.skip(reason)


def encoding_of(start: bytes) -> str:
    """Return the encoding of a text, from its byte order mark or the position of NUL bytes; UTF-8 by default."""
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    even, odd, half = start[:_LOOK:2].count(0), start[1:_LOOK:2].count(0), len(start[:_LOOK]) // 2
    if half >= 2 and max(even, odd) > 0.4 * half and min(even, odd) < 0.1 * half:
        return "utf-16-le" if odd > even else "utf-16-be"
    return "utf-8"


def decode(data: bytes) -> str:
    """Decode a text; undecodable bytes become the replacement character."""
    return data.decode(encoding_of(data[:_LOOK]), "replace").removeprefix("\ufeff")


def text_of_file(path: Path) -> str:
    """Return the whole text of a file. Raises OSError, also if the file is too large."""
    return decode(read_file(path, WHOLE_FILE_BYTES, follow=True))


def text_lines(path: Path, report: IngestReport) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line) of a text file. Overlong lines are counted and skipped. Raises OSError."""
    with path.open("rb") as file:
        start = file.read(_LOOK)
        file.seek(0)
        if (encoding := encoding_of(start)) not in ("utf-8", "utf-8-sig"):
            yield from enumerate(
                file.read(WHOLE_FILE_BYTES).decode(encoding, "replace").removeprefix("\ufeff").split("\n"), 1
            )
            return
        for number, line in byte_lines(file, report):
            text = line.decode("utf-8", "replace")
            yield number, text.removeprefix("\ufeff") if number == 1 else text


def byte_lines(file: BinaryIO, report: IngestReport) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, line) of a file; overlong lines are counted and skipped."""
    number = 0
    while line := file.readline(LINE_BYTES):
        number += 1
        if len(line) < LINE_BYTES or line.endswith(b"\n"):
            yield number, line
            continue
        report.skip("line too long")
        while (rest := file.readline(LINE_BYTES)) and not rest.endswith(b"\n"):
            pass


def without_private_sections(parts: list[Any]) -> list[Any]:
    """Return the parts of a message, without the private sections that go from one of its texts into another."""
    at = [
        number for number, part in enumerate(parts) if isinstance(part, Mapping) and isinstance(part.get("text"), str)
    ]
    safe = dict(zip(at, hollowed_parts([parts[number]["text"] for number in at]), strict=True))
    return [{**part, "text": safe[number]} if number in safe else part for number, part in enumerate(parts)]
