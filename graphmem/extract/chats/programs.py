"""The table of programs whose chats can be imported: file names, detection, default location, and reader. A new program
is one row here and a reader module. An unchanged file that was read completely is not read again."""

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
from graphmem.extract.chats import aider, codex, cursor, exports, gemini, plain, specstory
from graphmem.extract.chats.turns import ImportContext
from graphmem.extract.foreign import ODD, decode, text_lines
from graphmem.foreignfiles import read_start
from graphmem.model.events import Draft
from graphmem.model.sources import IngestReport

_LOOK = 64_000  # characters at the start of a file used for detection
_FIRST_LINES = 20


class Machine(Protocol):
    """Locations of this user's program files."""

    @property
    def home(self) -> Path: ...

    def applications(self) -> Path:
        """Return the folder where desktop programs keep their settings."""

    def named(self, variable: str, usual: str) -> Path:
        """Return the folder named by an environment variable, otherwise the default one below `home`."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program whose chats can be imported.

    `patterns` are its file names below a folder; `read` converts a file to event drafts. `owns_line` detects it by one
    record of JSON lines, `owns_start` by the first characters of a JSON file. `home` is the folder where the program
    stores its chats on this machine; an export has none.
    """

    name: str
    title: str
    patterns: tuple[str, ...]
    read: Callable[[Path, ImportContext], Iterator[Draft]]
    owns_line: Callable[[Path, Mapping[str, Any]], bool] = lambda path, record: False
    owns_start: Callable[[Path, str], bool] = lambda path, start: False
    home: Callable[[Machine], Path] | None = None


def _claude_code(path: Path, context: ImportContext) -> Iterator[Draft]:
    if context.unwanted(transcripts.folder_of(path)):
        return
    turns = 0
    for draft in transcripts.Transcript(path, context.project, context.report).drafts():
        turns += draft.type != "session_start"
        if context.limit is not None and turns > context.limit:
            context.report.skip("turn beyond the limit")
            context.cut = True
            continue
        yield draft


# If two programs match a record, the first in the table is used.
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
        "aider", "aider", (".aider.chat.history.md",), aider.read,
        owns_start=lambda path, start: start.lstrip("\ufeff\r\n").startswith(aider.START),
    ),
    Program(
        "specstory", "SpecStory", (".specstory/history/*.md",), specstory.read,
        owns_start=lambda path, start: specstory.is_history(start.lstrip("\ufeff\r\n")),
    ),
    Program(
        "jsonl", "JSON lines of roles and contents", ("*.jsonl",), plain.read,
        owns_line=lambda path, record: "messages" in record
        or str(record.get("role") or record.get("sender") or "").lower() in plain.ROLES,
    ),
)  # fmt: skip
PROGRAMS: dict[str, Program] = {program.name: program for program in _TABLE}
AGENTS = frozenset(program.name for program in _TABLE if program.home)
"""Agents on this machine that store their own sessions."""
_ANY = ("*.jsonl", "*.json", "*.vscdb", "*.zip", ".aider.chat.history.md", ".specstory/history/*.md")


def find_program(name: str) -> Program:
    """Return a program by name. Raises UsageError that lists all."""
    if name not in PROGRAMS:
        raise UsageError(f"there is no reader for `{name}`: choose one of {', '.join(sorted(PROGRAMS))}", program=name)
    return PROGRAMS[name]


def chat_files(target: Path, name: str | None = None) -> list[tuple[Path, Program]]:
    """Return the chats in a folder (or the single file) with their program; unknown formats are skipped. An explicitly
    named file of unknown format is read as JSON lines."""
    if target.is_file():
        return [(target, PROGRAMS[name or recognise_program(target) or "jsonl"])]
    if name:
        wanted = find_program(name)
        found = {path for pattern in wanted.patterns for path in target.rglob(pattern) if path.is_file()}
        return [(path, wanted) for path in sorted(found)]
    found = {path for pattern in _ANY for path in target.rglob(pattern) if path.is_file()}
    return [(path, PROGRAMS[name]) for path in sorted(found) if (name := recognise_program(path))]


def recognise_program(path: Path, *, sure: bool = False) -> str | None:
    """Return the program that wrote a file, from its first bytes; None if unknown. Unknown JSON lines are treated as
    Claude Code's, which counts unreadable lines, unless `sure`."""
    try:
        if path.suffix == ".jsonl":
            return _lines(path) or (None if sure else "claude-code")
        if path.suffix == ".vscdb":
            return "cursor" if path.open("rb").read(15) == b"SQLite format 3" else None
        return _whole(path)
    except (GraphmemError, OSError, sqlite3.Error, *ODD):
        return "claude-code" if path.suffix == ".jsonl" and not sure else None  # it will be counted as unreadable


def _lines(path: Path) -> str | None:
    """Return the first program that matches one of these JSON lines."""
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
    """Return the program that matches the start of a JSON value, or of a zip file with one."""
    if path.suffix == ".zip":
        start = exports.read_start(path, _LOOK) if archives.is_archive(path) else ""
    else:
        start = decode(read_start(path, 2 * _LOOK, follow=True))[:_LOOK]
    return next((program.name for program in _TABLE if program.owns_start(path, start)), None)


def read_chats(
    path: Path, of: Program, context: ImportContext, known: Mapping[str, tuple[str, int]], at: int
) -> Iterator[Draft]:
    """Yield drafts of a file, and an internal note that it was read completely. `known` has such notes: target -> its
    state then and the number of drafts. Unreadable records are counted and skipped."""
    target, state = f"{of.name}:{path}", _state(path)
    before, drafts = known.get(target, ("", 0))
    if state and before == state:
        context.report.known += drafts
        return
    count, context.cut = 0, False
    try:
        for draft in of.read(path, context):
            count += 1
            yield draft
    except (GraphmemError, OSError, MemoryError, *ODD) as error:
        context.report.skip("unreadable file")
        said = _sentence(error)
        context.report.errors.append(said if str(path) in said else f"{path}: {said}")
        return
    if state and not context.cut:
        payload = {"source": "sessions", "target": target, "head": state, "drafts": count}
        key = f"sessions:{context.project}:{target}:{state}"
        yield Draft("source_ingested", payload, at, "", context.project, "sessions", key)


def _sentence(error: Exception) -> str:
    """Return what to say of a file that cannot be read."""
    if isinstance(error, GraphmemError):
        return str(error)
    if isinstance(error, OSError):
        return (error.strerror or "it cannot be read").lower()
    return "it is too large" if isinstance(error, MemoryError) else "it is in no form that can be understood"


def _state(path: Path) -> str:
    """Return a value that changes when the file does; "" if it is not accessible. Includes a database's write-ahead log."""
    try:
        parts = [path.stat()] + [extra.stat() for extra in [path.with_name(f"{path.name}-wal")] if extra.exists()]
    except OSError:
        return ""
    return ":".join(f"{part.st_size}:{part.st_mtime_ns}" for part in parts)
