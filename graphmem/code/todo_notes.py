"""TODO comments in indexed code. They are notes, listed on request; they become tasks only explicitly. Tasks that earlier
versions created from them are closed when the comment is removed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from graphmem.codegraph.scan import is_foreign
from graphmem.context import StoreContext
from graphmem.foreignfiles import read_file
from graphmem.model.table import Table
from graphmem.privacy import PrivacySettings, filter_text
from graphmem.tasks.extract.code import SOURCE, notes_of_comments


def close_removed(context: StoreContext, root: Path, changed: Iterable[str], gone: Iterable[str] = ()) -> None:
    """Close the tasks of comments that an edit removed."""
    known = {path for task in context.tasks.find() if task.open and task.source == SOURCE for path in task.files}
    for path in known.intersection(changed):
        if (text := _read(root / path)) is not None:
            context.tasks.settle(path, text)
    for path in known.intersection(gone):
        context.tasks.settle(path, "")


def list_todo_notes(texts: Iterable[tuple[str, str]], limit: int) -> Table:
    """Return the TODO comments of files (path, text), at most `limit`: file, line, mark, note, assignee."""
    rows: list[list[object]] = []
    for path, text in texts:
        if is_foreign(path):  # vendored or generated
            continue
        for line, record in notes_of_comments(path, _hidden(text)):
            fields = record.fields
            rows.append([path, line, fields["labels"][0], fields["title"], fields.get("assignee", "")])
            if len(rows) > limit:
                return Table(_COLUMNS, rows[:limit], True)
    return Table(_COLUMNS, rows, False)


_COLUMNS = ["file", "line", "mark", "note", "assignee"]


def _read(path: Path) -> str | None:
    try:
        return _hidden(read_file(path).decode("utf-8", "replace"))
    except OSError:
        return None  # deleted since it was parsed


def _hidden(text: str) -> str:
    """Return the text without private sections, which may contain whole comments."""
    return filter_text(text, PrivacySettings(preserve_lines=True)).text
