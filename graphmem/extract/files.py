"""Classifies the files of a folder: documents, chats, test results, terminal logs. It checks the name and, if necessary,
the start of the file; the source for each kind reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from graphmem.extract import documents, terminal, testruns
from graphmem.extract.chats import programs
from graphmem.extract.chats.drafts import chat_drafts
from graphmem.extract.coverage import read_coverage
from graphmem.extract.reading import Reading
from graphmem.foreignfiles import read_file, walk_files
from graphmem.model.events import Draft

_CHATS = frozenset({".jsonl", ".json", ".vscdb", ".zip"})
_FOREIGN = frozenset({"node_modules", "venv", "site-packages", "__pycache__"})
UNKNOWN = "unsupported format"


def sort_files(target: Path, reading: Reading) -> dict[str, list[Path]]:
    """Return source -> its files. A file has one kind; unsupported files are counted as skipped. An explicitly named file
    that contains letters is at least a document."""
    prose = set(documents.find_documents(target, reading.report.skip))
    found: dict[str, list[Path]] = {"documents": [], "sessions": [], "tests": [], "terminal": []}
    for path in [target] if target.is_file() else _walk(target):
        kind = _kind(path, path in prose)
        if kind:
            found[kind].append(path)
        else:
            reading.report.skip(UNKNOWN)
    return found


def _walk(target: Path) -> Iterator[Path]:
    return walk_files(
        target,
        wanted=lambda name: not name.startswith("."),
        entered=lambda name: documents.is_visible(name) and name not in _FOREIGN,
    )


def _kind(path: Path, prose: bool) -> str | None:
    """Return the source for a file, or None."""
    suffix = path.suffix.lower()
    if suffix in testruns.ENDINGS:
        text = _text(path)
        if text is not None and (testruns.parse_report(text) is not None or read_coverage(text) is not None):
            return "tests"
        if text is not None and suffix in (".log", ".out", ".txt", ".jsonl") and terminal.is_log(path, text):
            return "terminal"
    if suffix in _CHATS and programs.recognise_program(path, sure=True):
        return "sessions"
    return "documents" if prose else None


def _text(path: Path) -> str | None:
    """Return the text of a file; None if it is too large for test results, or unreadable."""
    try:
        return read_file(path, testruns.MOST_BYTES, follow=True).decode("utf-8", "replace")
    except OSError:
        return None


def read_mixed(target: Path, reading: Reading, options: Mapping[str, Any]) -> Iterator[Draft]:
    """Yield drafts of everything in a folder, each file read by the source of its kind."""
    found = sort_files(target, reading)
    yield from documents.read_prose(found["documents"], target, reading)
    chats = [
        (path, programs.PROGRAMS[name]) for path in found["sessions"] if (name := programs.recognise_program(path))
    ]
    yield from chat_drafts(chats, reading, options)
    yield from testruns.read_tests(found["tests"], reading, options)
    yield from terminal.read_terminal(found["terminal"], reading, options)
