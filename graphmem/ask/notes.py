"""Operation about notes in the code: which TODO, FIXME, HACK and XXX comments there are, all, in a folder, or about something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from shlex import quote

from graphmem.ask.evidence import ROWS, Evidence, Sources, find_file, rest_line, shortened
from graphmem.ask.types import Question
from graphmem.model.results import Hit
from graphmem.plurals import counted
from graphmem.retrieve.stems import stem

_MOST = 2_000  # notes that are looked through
_MARKS = frozenset({"todo", "fixme", "xxx", "hack"})
_WORD = re.compile(r"\w+")
_OF_ALL = frozenset(
    "comment note mark open left still remain there code source codebase repository project list show count many now currently"
    " exist unresolved pending outstanding mention about todos fixmes hacks".split()
)


def find_notes(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the notes of the file or folder that the question names, otherwise those with one of its words in note or path,
    otherwise all; None if there are none and the question may mean something else."""
    path = find_file(question, sources) or next((name for name in question.subjects if "/" in name), None)
    rows = sources.code.todos(path=path, limit=_MOST).rows
    if not rows and not any(name.rstrip("s") in ("TODO", "FIXME", "XXX") for name in question.subjects):
        return None
    where = f" in {path}" if path else ""
    lines = [f"{len(rows)} TODO and similar comment{'s' * (len(rows) != 1)}{where}"]
    words = {stem(word.lower()) for name in question.subjects if name != path for word in _WORD.findall(name)}
    words -= {stem(word) for word in (*_MARKS, *_OF_ALL)}
    if words:
        meant = [row for row in rows if words & {stem(word) for word in _WORD.findall(f"{row[0]} {row[3]}".lower())}]
        lines.append(f"{counted(len(meant), 'of them has', 'of them have')} a word of the question in the text or path")
        rows = meant or rows
    for file, notes in groupby(rows[: 2 * ROWS], lambda row: row[0]):
        lines += [f"{file}:{line} {mark.upper()}: {shortened(note)}" for _, line, mark, note, _ in notes]
    command = f"graphmem code todos{f' --path {quote(path)}' if path else ''}"
    return Evidence((*lines, *rest_line(len(rows), 2 * ROWS)), (command,))
