"""Verifies a graph file before it is opened, and reverts it to its last checkpoint after a crash. Kuzu replays a
truncated write-ahead log silently with missing rows, a corrupt one with wrong rows or a crash, and sometimes an intact
one with relations in one direction only. Therefore no log is replayed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphmem.backends.checksum import checksum_of
from graphmem.errors import StoreDamaged

_WIDTH = 200  # bytes: the seal is overwritten by a single write, which a kill cannot tear


class Seal:
    """A file next to the graph with size and time of the graph file after the last commit, and its checksum after
    closing."""

    def __init__(self, graph: Path) -> None:
        self._graph = graph
        self._wal = graph.with_name(graph.name + ".wal")
        self._shadow = graph.with_name(graph.name + ".shadow")
        self._file = graph.with_name(graph.name + ".seal")
        self._main: list[int] = []

    def broken(self) -> str:
        """Return what is wrong with the files; "" if nothing, or if there are none."""
        self._complete_replacement()
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

    def announce(self, fresh: Path) -> None:
        """Record that a closed graph is about to take the place of this one: whichever is there after a crash is complete."""
        try:
            left: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
            self._main, whole = left["main"], left["whole"]
        except (OSError, ValueError, KeyError, TypeError):
            self._main, whole = [], None
        checksum, mtime_ns, size = Seal(fresh).left()
        self._put(whole, following=[size, mtime_ns, checksum])

    def _complete_replacement(self) -> None:
        """If the announced graph is there, record that it is this one."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            left: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
            size, mtime_ns, checksum = left["next"]
            if self._stat() == [size, mtime_ns] != left["main"]:
                for old in (self._wal, self._shadow):
                    old.unlink(missing_ok=True)
                self._main = [size, mtime_ns]
                self._put(checksum)

    def left(self) -> tuple[int, int, int]:
        """Return checksum, time of modification (ns) and size of the closed graph. Raises StoreDamaged if they are unknown."""
        try:
            left: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
            return int(left["whole"]), int(left["main"][1]), int(left["main"][0])
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise StoreDamaged("the graph cannot be trusted: it has no checksum", path=str(self._graph)) from error

    def revert(self) -> bool:
        """Revert to the last checkpoint after a crash: later changes are projected again from the cursors of that moment.
        Return whether there was a crash. Call only if the files are not damaged."""
        closed = self.closed()
        self._wal.unlink(missing_ok=True)
        return not closed

    def closed(self) -> bool:
        """Return whether it was closed cleanly: then the file is complete."""
        return not self._graph.exists() or json.loads(self._file.read_text("utf-8"))["whole"] is not None

    def write(self) -> None:
        """Record the state after the last commit: a checkpoint may have changed the file. A file deleted meanwhile gets
        no seal."""
        for file in (self._wal, *self._locks()):
            with contextlib.suppress(FileNotFoundError):
                file.chmod(0o600)
        with contextlib.suppress(FileNotFoundError):
            main = self._stat()
            if main != self._main:
                self._main = main
                self._put(None)

    def changed(self) -> bool:
        """Return whether another program wrote to the file of an open graph."""
        try:
            return bool(self._main) and self._stat() != self._main
        except FileNotFoundError:
            return True

    def close(self) -> None:
        """Record the checksum of a closed graph, so that a copy is recognised, too."""
        for lock in self._locks():
            lock.unlink(missing_ok=True)
        with contextlib.suppress(FileNotFoundError):
            self._main = self._stat()
            self._put(checksum_of(self._graph))

    def _locks(self) -> Iterator[Path]:
        """Yield the empty files that Ladybug leaves next to a graph after a checkpoint."""
        return self._graph.parent.glob(f"{self._graph.name}.checkpoint.*.lock")

    def _put(self, whole: int | None, following: list[int] | None = None) -> None:
        text = json.dumps({"main": self._main, "whole": whole} | ({"next": following} if following else {}))
        file = os.open(self._file, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            os.pwrite(file, text.ljust(_WIDTH).encode(), 0)
        finally:
            os.close(file)

    def _stat(self) -> list[int]:
        state = self._graph.stat()
        return [state.st_size, state.st_mtime_ns]


def graph_files_exist(graph: Path) -> bool:
    """Return whether any file of a graph exists."""
    return any(graph.parent.glob(f"{graph.name}*"))


def delete_files(graph: Path) -> None:
    """Delete the files of a graph: the database first, so that a partial deletion is never taken for a complete graph."""
    for file in (graph, *graph.parent.glob(f"{graph.name}[.-]*")):
        if file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)


def replace_files(source: Path, target: Path) -> None:
    """Replace another closed graph by a closed one. Killed at any moment, one of them is there."""
    if target.is_dir():
        delete_files(target)
    Seal(target).announce(source)
    source.replace(target)
    seal = target.with_name(target.name + ".seal")
    for old in set(target.parent.glob(f"{target.name}[.-]*")) - {seal}:
        old.unlink(missing_ok=True)
    source.with_name(source.name + ".seal").replace(seal)
    delete_files(source)  # what else there is, such as locks
