"""The programs whose chats can be read, in one table: which files are theirs, how a file is recognised, where they lie on this
machine, and what reads them. A new program is one row here and the module that reads its format. A file that was read whole
and has not changed since is not read again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from graphmem.errors import GraphmemError, UsageError
from graphmem.extract import archives, transcripts
from graphmem.extract.chats import codex, cursor, exports, gemini, plain
from graphmem.extract.chats.turns import ImportContext
from graphmem.extract.foreign import ODD, decoded, text_lines
from graphmem.foreignfiles import read_start
from graphmem.model.events import Draft
from graphmem.model.sources import IngestReport

_LOOK = 64_000  # characters of a file that tell whose it is
_FIRST_LINES = 20


class Machine(Protocol):
    """Where programs of this user keep their files."""

    @property
    def home(self) -> Path: ...

    def applications(self) -> Path:
        """Return the folder where desktop programs keep their settings."""

    def named(self, variable: str, usual: str) -> Path:
        """Return the folder that an environment variable names, else the usual one below `home`."""


@dataclass(frozen=True, slots=True)
class Program:
    """One program that keeps chats.

    `patterns` are the names of its files below a folder and `read` turns one into drafts of events. `owns_line` recognises it
    by one record of JSON lines, `owns_start` by the first characters of a file that is one JSON value. `home` is the folder in
    which a program on this machine keeps its chats; an export has none."""

    name: str
    title: str
    patterns: tuple[str, ...]
    read: Callable[[Path, ImportContext], Iterator[Draft]]
    owns_line: Callable[[Path, Mapping[str, Any]], bool] = lambda path, record: False
    owns_start: Callable[[Path, str], bool] = lambda path, start: False
    home: Callable[[Machine], Path] | None = None


def _claude_code(path: Path, desk: ImportContext) -> Iterator[Draft]:
    if desk.unwanted(transcripts.folder_of(path)):
        return
    turns = 0
    for draft in transcripts.Transcript(path, desk.project, desk.report).drafts():
        turns += draft.type != "session_start"
        if desk.limit is not None and turns > desk.limit:
            desk.report.skip("turn beyond the limit")
            desk.cut = True
            continue
        yield draft


# Of two programs that own a record, the first in the table is taken.
_TABLE = (
    Program(
        "gemini", "Gemini CLI", ("chats/session-*.json", "chats/session-*.jsonl", "checkpoint-*.json"), gemini.read,
        owns_line=lambda path, record: bool(record.get("sessionId")) and "projectHash" in record,
        owns_start=lambda path, start: ('"projectHash"' in start and '"messages"' in start)
        or (path.name.startswith("checkpoint-") and '"parts"' in start and '"role"' in start),
        home=lambda machine: machine.home / ".gemini" / "tmp",
    ),
    Program(
        "codex", "Codex CLI", ("rollout-*.jsonl",), codex.read,
        owns_line=lambda path, record: isinstance(record.get("payload"), dict)
        or (path.name.startswith("rollout-") and "instructions" in record),
        home=lambda machine: machine.named("CODEX_HOME", ".codex") / "sessions",
    ),
    Program(
        "claude-code", "Claude Code", ("*.jsonl",), _claude_code,
        owns_line=lambda path, record: bool(record.get("sessionId")) or isinstance(record.get("message"), dict)
        or "leafUuid" in record,
        home=lambda machine: machine.named("CLAUDE_CONFIG_DIR", ".claude") / "projects",
    ),
    Program(
        "cursor", "Cursor", ("state.vscdb",), cursor.read,
        home=lambda machine: machine.applications() / "Cursor" / "User",
    ),
    Program(
        "claude", "Claude export", ("conversations*.json", "*.zip"), exports.read_claude,
        owns_start=lambda path, start: '"chat_messages"' in start,
    ),
    Program(
        "chatgpt", "ChatGPT export", ("conversations*.json", "*.zip"), exports.read_chatgpt,
        owns_start=lambda path, start: '"mapping"' in start and start.lstrip("\ufeff \n")[:1] in "[{",
    ),
    Program(
        "jsonl", "JSON lines of roles and contents", ("*.jsonl",), plain.read,
        owns_line=lambda path, record: "messages" in record
        or str(record.get("role") or record.get("sender") or "").lower() in plain.ROLES,
    ),
)  # fmt: skip
PROGRAMS: dict[str, Program] = {program.name: program for program in _TABLE}
AGENTS = frozenset(program.name for program in _TABLE if program.home)
"""Agents on this machine, which keep their own sessions."""
_ANY = ("*.jsonl", "*.json", "*.vscdb", "*.zip")


def find_program(name: str) -> Program:
    """The program of this name. Raises UsageError that lists them."""
    if name not in PROGRAMS:
        raise UsageError(f"there is no reader for `{name}`: choose one of {', '.join(sorted(PROGRAMS))}", program=name)
    return PROGRAMS[name]


def chat_files(target: Path, name: str | None = None) -> list[tuple[Path, Program]]:
    """The chats in a folder (or the one file) with the program that each is of; files of no known form are left out. A
    file that was named is always taken: where nothing recognises it, as JSON lines."""
    if target.is_file():
        return [(target, PROGRAMS[name or recognise_program(target) or "jsonl"])]
    if name:
        wanted = find_program(name)
        found = {path for pattern in wanted.patterns for path in target.rglob(pattern) if path.is_file()}
        return [(path, wanted) for path in sorted(found)]
    found = {path for pattern in _ANY for path in target.rglob(pattern) if path.is_file()}
    return [(path, PROGRAMS[name]) for path in sorted(found) if (name := recognise_program(path))]


def recognise_program(path: Path, *, sure: bool = False) -> str | None:
    """The program that wrote a file, by its first bytes; None where it is of none. JSON lines of no known form are taken for
    Claude Code's, which counts what it cannot read, unless only what is `sure` counts."""
    try:
        if path.suffix == ".jsonl":
            return _lines(path) or (None if sure else "claude-code")
        if path.suffix == ".vscdb":
            return "cursor" if path.open("rb").read(15) == b"SQLite format 3" else None
        return _whole(path)
    except (GraphmemError, OSError, sqlite3.Error, *ODD):
        return "claude-code" if path.suffix == ".jsonl" and not sure else None  # it will be counted as unreadable


def _lines(path: Path) -> str | None:
    """Of JSON lines, the first that say it."""
    for _, line in islice(text_lines(path, IngestReport("")), _FIRST_LINES):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, dict):
            continue
        for program in _TABLE:
            if program.owns_line(path, record):
                return program.name
    return None


def _whole(path: Path) -> str | None:
    """Of one JSON value, or a zip file with one: what its beginning holds."""
    if path.suffix == ".zip":
        start = exports.beginning(path, _LOOK) if archives.is_archive(path) else ""
    else:
        start = decoded(read_start(path, 2 * _LOOK, follow=True))[:_LOOK]
    return next((program.name for program in _TABLE if program.owns_start(path, start)), None)


def read_chats(
    path: Path, of: Program, desk: ImportContext, known: Mapping[str, tuple[str, int]], at: int
) -> Iterator[Draft]:
    """Drafts of one file, and a note to ourselves that it was read whole. `known` has such notes: target -> its state then
    and how many drafts it gave. What cannot be read at all is counted, and the rest goes on."""
    target, state = f"{of.name}:{path}", _state(path)
    before, drafts = known.get(target, ("", 0))
    if state and before == state:
        desk.report.known += drafts
        return
    count, desk.cut = 0, False
    try:
        for draft in of.read(path, desk):
            count += 1
            yield draft
    except (GraphmemError, OSError, MemoryError, *ODD) as error:
        desk.report.skip("unreadable file")
        said = _sentence(error)
        desk.report.errors.append(said if str(path) in said else f"{path}: {said}")
        return
    if state and not desk.cut:
        payload = {"source": "sessions", "target": target, "head": state, "drafts": count}
        key = f"sessions:{desk.project}:{target}:{state}"
        yield Draft("source_ingested", payload, at, "", desk.project, "sessions", key)


def _sentence(error: Exception) -> str:
    """What to say of a file that cannot be read."""
    if isinstance(error, GraphmemError):
        return str(error)
    if isinstance(error, OSError):
        return (error.strerror or "it cannot be read").lower()
    return "it is too large" if isinstance(error, MemoryError) else "it is in no form that can be understood"


def _state(path: Path) -> str:
    """What changes when a file does; "" for one that cannot be looked at. A database's log belongs to it."""
    try:
        parts = [path.stat()] + [extra.stat() for extra in [path.with_name(f"{path.name}-wal")] if extra.exists()]
    except OSError:
        return ""
    return ":".join(f"{part.st_size}:{part.st_mtime_ns}" for part in parts)
