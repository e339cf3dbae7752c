"""TODO comments in indexed code are tasks: a new one is opened, one that vanished with an edit is done."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from graphmem.context import StoreContext
from graphmem.privacy import PrivacySettings, filter_text
from graphmem.tasks.extract.code import SOURCE, comments


def scan(context: StoreContext, root: Path, changed: Iterable[str], gone: Iterable[str] = ()) -> None:
    """Read the comments of changed files; those of deleted ones are gone."""
    known = {path for task in context.tasks.find() if task.open and task.source == SOURCE for path in task.files}
    for path in changed:
        try:
            text = (root / path).read_text("utf-8", "replace")
        except OSError:
            continue  # it went away since it was parsed
        if path in known or comments(path, text):
            text = filter_text(text, PrivacySettings(preserve_lines=True)).text  # a section may hold whole comments
            context.tasks.scan(path, text)
    for path in known.intersection(gone):
        context.tasks.scan(path, "")
