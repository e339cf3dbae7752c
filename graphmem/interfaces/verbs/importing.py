"""Implements `graphmem import`: finds the chats that other programs store on this machine, and imports them. The
formats are in `extract/chats`."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphmem.errors import NotFound, SourceError, UsageError
from graphmem.extract.chats.programs import chat_files, find_program
from graphmem.extract.git import find_repository
from graphmem.interfaces.install.targets import Machine
from graphmem.memory import Memory
from graphmem.model.sources import IngestReport
from graphmem.model.table import Table


def home_of(name: str, machine: Machine) -> Path | None:
    """Return the folder where a program stores its chats, or None for an export file."""
    found = find_program(name).home
    return found(machine) if found else None


def place_of(name: str, path: Path | None, machine: Machine) -> Path:
    """Return the given path, or the default folder of the program. Raises UsageError for an export without a path,
    NotFound if the program has no chats here."""
    find_program(name)
    if path is not None:
        if not path.expanduser().exists():
            raise NotFound(f"{path} does not exist", path=str(path))
        place = path.expanduser().resolve()
        if not (place.is_file() or place.is_dir()):
            raise SourceError(f"{path} is neither a file nor a folder: nothing was read", path=str(path))
        return place
    usual = home_of(name, machine)
    if usual is None:
        raise UsageError(f"name the export file: graphmem import --from {name} PATH", program=name)
    if not usual.is_dir():
        raise NotFound(f"{usual} does not exist: add the folder of the chats after --from {name}", path=str(usual))
    return usual


def import_chats(
    mem: Memory, name: str, path: Path | None, *, every: bool, limit: int | None, **watched: Any
) -> IngestReport:
    """Import the chats of a program and process them. From a folder, only sessions of the current repository are
    imported, unless `every`; from a file or an export, all."""
    place = place_of(name, path, Machine())
    root = None if every or place.is_file() or find_program(name).home is None else repository()
    if root is None and not every and place.is_dir() and home_of(name, Machine()) is not None and path is None:
        raise UsageError("this folder is not in a git repository: add --all to import the sessions of all projects")
    report = mem.ingest("sessions", place, program=name, root=root, limit=limit, **watched)
    if not (report.new or report.known) and (place.is_file() or report.errors):
        why = report.errors[0] if report.errors else f"{place}: it contains no chat of {find_program(name).title}"
        raise SourceError(f"nothing could be read: {why}", path=str(place))
    mem.process(**watched)
    return report


def list_sessions(name: str, path: Path | None) -> Table:
    """Return a table of importable sessions, newest first: session file, time, size in bytes."""
    place = place_of(name, path, Machine())
    found = [(file.stat(), file) for file, _ in chat_files(place, name)]
    rows = [[file.stem, datetime.fromtimestamp(stat.st_mtime, UTC), stat.st_size, str(file)] for stat, file in
            sorted(found, key=lambda one: (-one[0].st_mtime, str(one[1])))]  # fmt: skip
    return Table(["session", "at", "bytes", "path"], rows)


def repository() -> Path | None:
    """Return the root of the current repository, or None."""
    try:
        return find_repository(Path(os.getcwd()))[0]  # noqa: PTH109
    except NotFound:
        return None
