"""Tells before a graph file is opened whether it is what was left behind. Kuzu opens a shortened write-ahead log silently
with rows missing, and a garbled one with wrong rows or by ending the process, so neither may reach it."""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from pathlib import Path
from typing import Any

_WIDTH = 200  # bytes: a seal is overwritten in place by one write, which a kill cannot tear
_CHUNK = 1 << 20


class Seal:
    """Beside the graph: size and time of its file, length and checksum of its write-ahead log after the last commit."""

    def __init__(self, graph: Path) -> None:
        self._graph = graph
        self._wal = graph.with_name(graph.name + ".wal")
        self._shadow = graph.with_name(graph.name + ".shadow")
        self._file = graph.with_name(graph.name + ".seal")
        self._main: list[int] = []
        self._length = self._sum = 0

    def broken(self) -> str:
        """What is wrong with the files, "" where nothing is or none are there."""
        if not self._graph.exists():
            return "its file is gone" if self._wal.exists() or self._file.exists() else ""
        try:
            left: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
            main, length, checksum, whole = left["main"], left["wal"], left["sum"], left["whole"]
        except (OSError, ValueError, KeyError, TypeError):
            return "it carries no seal"
        if self._shadow.exists():
            return "a checkpoint was cut off"
        if main != self._stat() and (whole is None or self._wal.exists() or whole != _checksum(self._graph)[1]):
            return "its file is not the one that was left"
        if length and _checksum(self._wal, most=length) != (length, checksum):
            return "its write-ahead log is not the one that was left"
        return ""

    def write(self) -> None:
        """Seal what the last commit left."""
        main = self._stat()
        if main != self._main:  # a checkpoint emptied the write-ahead log
            self._main, self._length, self._sum = main, 0, 0
        self._length, self._sum = _checksum(self._wal, self._length, self._sum)
        self._put(None)

    def close(self) -> None:
        """Seal a closed graph by its whole content, so that a copy of it is recognised, too."""
        self._main, self._length, self._sum = self._stat(), 0, 0
        self._put(_checksum(self._graph)[1])

    def _put(self, whole: int | None) -> None:
        text = json.dumps({"main": self._main, "wal": self._length, "sum": self._sum, "whole": whole})
        file = os.open(self._file, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            os.pwrite(file, text.ljust(_WIDTH).encode(), 0)
        finally:
            os.close(file)

    def _stat(self) -> list[int]:
        state = self._graph.stat()
        return [state.st_size, state.st_mtime_ns]


def _checksum(path: Path, start: int = 0, checksum: int = 0, most: int | None = None) -> tuple[int, int]:
    """(length, CRC-32) of a file up to `most` bytes, continued from `start`; what is not there counts as empty."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        file.seek(start)
        while chunk := file.read(_CHUNK if most is None else min(_CHUNK, most - start)):
            start, checksum = start + len(chunk), zlib.crc32(chunk, checksum)
    return start, checksum


def remove(graph: Path) -> None:
    """Delete the files of a graph: the database first, so that no half of it is ever taken for a whole."""
    for file in (graph, *graph.parent.glob(f"{graph.name}.*")):
        file.unlink(missing_ok=True)


def move(source: Path, target: Path) -> None:
    """Put a closed graph in the place of another one."""
    remove(target)
    for suffix in (".seal", ""):  # the database last: a seal alone is known as broken
        with contextlib.suppress(FileNotFoundError):
            source.with_name(source.name + suffix).replace(target.with_name(target.name + suffix))
