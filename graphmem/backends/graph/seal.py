"""Tells before a graph file is opened whether it is what was left behind, and goes back to its last checkpoint after an
unclean end. Kuzu replays a shortened write-ahead log silently with rows missing, a garbled one with wrong rows or by
ending the process, and was seen to bring a sound one back with a relation in one direction only: so none is replayed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

from graphmem.backends.checksum import checksum_of

_WIDTH = 120  # bytes: a seal is overwritten in place by one write, which a kill cannot tear


class Seal:
    """Beside the graph: size and time of its file after the last commit, and its checksum once it was closed."""

    def __init__(self, graph: Path) -> None:
        self._graph = graph
        self._wal = graph.with_name(graph.name + ".wal")
        self._shadow = graph.with_name(graph.name + ".shadow")
        self._file = graph.with_name(graph.name + ".seal")
        self._main: list[int] = []

    def broken(self) -> str:
        """What is wrong with the files, "" where nothing is or none are there."""
        if not self._graph.exists():
            return "its file is missing" if self._wal.exists() or self._file.exists() else ""
        if not self._graph.is_file():  # the engine would end the process
            return "it is not a file"
        try:
            left: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
            main, whole = left["main"], left["whole"]
        except (OSError, ValueError, KeyError, TypeError):
            return "it has no checksum"
        if self._shadow.exists():
            return "a checkpoint was interrupted"
        if main != self._stat() and (whole is None or whole != checksum_of(self._graph)):
            return "its file was changed or replaced"
        return ""

    def revert(self) -> bool:
        """Go back to the last checkpoint where the end was unclean: what came later is projected again, from the cursors
        of that moment. Whether the end was unclean. To be called on files that are not broken."""
        closed = self.closed()
        self._wal.unlink(missing_ok=True)
        return not closed

    def closed(self) -> bool:
        """Whether it had a clean end: then all that was written is in its file."""
        return not self._graph.exists() or json.loads(self._file.read_text("utf-8"))["whole"] is not None

    def write(self) -> None:
        """Seal what the last commit left: a checkpoint may have changed the file, and begun a log that others can read. A file
        that was deleted meanwhile has no seal."""
        with contextlib.suppress(FileNotFoundError):
            self._wal.chmod(0o600)
        with contextlib.suppress(FileNotFoundError):
            main = self._stat()
            if main != self._main:
                self._main = main
                self._put(None)

    def changed(self) -> bool:
        """Whether the file of an open graph is not as its last commit left it: somebody else wrote to it."""
        try:
            return bool(self._main) and self._stat() != self._main
        except FileNotFoundError:
            return True

    def close(self) -> None:
        """Seal a closed graph by its whole content, so that a copy of it is recognised, too."""
        with contextlib.suppress(FileNotFoundError):
            self._main = self._stat()
            self._put(checksum_of(self._graph))

    def _put(self, whole: int | None) -> None:
        text = json.dumps({"main": self._main, "whole": whole})
        file = os.open(self._file, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            os.pwrite(file, text.ljust(_WIDTH).encode(), 0)
        finally:
            os.close(file)

    def _stat(self) -> list[int]:
        state = self._graph.stat()
        return [state.st_size, state.st_mtime_ns]


def exists(graph: Path) -> bool:
    """Whether any file of a graph is."""
    return any(graph.parent.glob(f"{graph.name}*"))


def delete_files(graph: Path) -> None:
    """Delete the files of a graph: the database first, so that no half of it is ever taken for a whole."""
    for file in (graph, *graph.parent.glob(f"{graph.name}.*")):
        if file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)


def replace_files(source: Path, target: Path) -> None:
    """Put a closed graph in the place of another one."""
    delete_files(target)
    for suffix in (".seal", ""):  # the database last: a seal alone is known as broken
        source.with_name(source.name + suffix).replace(target.with_name(target.name + suffix))
