"""Who wrote each line of a file, and what a commit changed symbol by symbol. Both are read from git."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from graphmem.gitprocess import run
from graphmem.model.bounds import to_moment
from graphmem.model.code_answers import SymbolPatch
from graphmem.privacy import redact

_TIMEOUT_S = 30.0
_HEAD = re.compile(r"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_PIECES = 400  # maximum pieces of a commit
_LINES = 400  # maximum lines of a piece


class BlamedLine(NamedTuple):
    """A line with the commit that last changed it; `hash` is "" if it is not committed yet."""

    line: int
    hash: str
    at: datetime | None
    author: str
    subject: str


def blame_file(root: Path, file: str, commit: str | None = None) -> list[BlamedLine]:
    """Return who last changed each line of a file, on disk or in a commit. Changed blanks are ignored. Raises SourceError."""
    revision = [commit] if commit else []
    answer = run(root, "blame", "-w", "--line-porcelain", *revision, "--", file, timeout_s=_TIMEOUT_S)
    found: list[BlamedLine] = []
    fields: dict[str, str] = {}
    hash_, number = "", 0
    for row in answer.decode("utf-8", "replace").split("\n"):
        if row.startswith("\t"):
            is_own = not hash_.strip("0")
            at = (
                to_moment(int(fields["author-time"]))
                if fields.get("author-time", "").isdigit() and not is_own
                else None
            )
            author, subject = ("", "") if is_own else (fields.get("author", ""), fields.get("summary", ""))
            found.append(BlamedLine(number, "" if is_own else hash_, at, redact(author).text, redact(subject).text))
            fields = {}
        elif head := _HEAD.fullmatch(row):
            hash_, number = head[1], int(head[2])
        else:
            name, _, value = row.partition(" ")
            fields[name] = value
    return found


def read_file_patches(root: Path, commit: str) -> list[tuple[str, list[str]]]:
    """Return the files that a commit changed against its first parent, each with its unified diff. Raises SourceError."""
    wanted = ("-1", "-p", "-m", "--first-parent", "--no-renames", "--relative", "--format=", "--no-prefix")
    answer = run(root, "log", *wanted, "--end-of-options", commit, "--", ".", timeout_s=_TIMEOUT_S)
    files: list[tuple[str, list[str]]] = []
    for row in redact(answer.decode("utf-8", "replace")).text.split("\n"):
        if row.startswith("diff --git "):
            files.append(("", []))
        elif files and not files[-1][1] and row[:4] in ("--- ", "+++ "):
            path = row[4:].rstrip("\t")
            if path != "/dev/null":
                files[-1] = (path.strip('"'), [])
        elif files and (files[-1][1] or row.startswith("@@")):
            files[-1][1].append(row)
    return [(path, lines[:-1] if lines[-1:] == [""] else lines) for path, lines in files if path]


def patch_by_symbol(files: Iterable[tuple[str, list[str]]], symbol_at: Callable[[str, int], str]) -> list[SymbolPatch]:
    """Return what changed, symbol by symbol, in the order of the files. `symbol_at` names the symbol at a line of the new file;
    "" is the file itself."""
    found: dict[tuple[str, str], list[str]] = {}
    for path, lines in files:
        for owner, piece in _pieces(lines, partial(symbol_at, path)):
            kept = found.setdefault((path, owner), [])
            kept += piece[: max(0, _LINES - len(kept))]
    return [
        SymbolPatch(
            path, symbol, tuple(piece), sum(line[:1] == "+" for line in piece), sum(line[:1] == "-" for line in piece)
        )
        for (path, symbol), piece in list(found.items())[:_PIECES]
    ]


def _pieces(lines: Iterable[str], symbol_at: Callable[[int], str]) -> Iterable[tuple[str, list[str]]]:
    """Cut hunks where the symbol of the changed lines changes. Unchanged lines belong to what precedes them."""
    owner, piece, number = "", list[str](), 0
    waiting: list[str] = []  # unchanged lines at the beginning of a hunk
    for line in lines:
        if hunk := _HUNK.match(line):
            if piece:
                yield owner, piece
            piece, waiting, number = [], [line], int(hunk[1])
            continue
        changed = line[:1] in ("+", "-")
        if changed:
            at = symbol_at(max(1, number))
            if piece and at != owner:
                yield owner, piece
                piece = [f"@@ +{number} @@"]
            owner = at
            piece = [*waiting, *piece, line] if waiting else [*piece, line]
            waiting = []
        elif piece:
            piece.append(line)
        else:
            waiting.append(line)
        number += line[:1] in ("+", " ", "")
    if piece:
        yield owner, piece
