"""Import and export of tasks: methods of `mem.tasks`. Each format is a module in `formats/`; records are merged by
`merge.py`."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from graphmem.errors import SourceError, UsageError
from graphmem.model.tasks import Exchanged
from graphmem.tasks.blockers import BlockerLookup
from graphmem.tasks.condition_matching import fulfil_conditions, meet_conditions
from graphmem.tasks.extract import code
from graphmem.tasks.formats import beads, github, markdown, state
from graphmem.tasks.formats.records import Parsed, TaskRecord
from graphmem.tasks.ledger import Ledger
from graphmem.tasks.merge import RecordMerge
from graphmem.tasks.steps import StepList
from graphmem.text.keys import canonical_key
from graphmem.text.todolists import TodoChange

Format = Literal["auto", "beads", "github", "markdown", "state"]
_READERS = {"beads": beads.parse, "github": github.parse, "markdown": markdown.parse, "state": state.parse}
_WRITERS = {"beads": beads.render, "github": github.render, "markdown": markdown.render, "state": state.render}


class TaskExchange:
    """Mixin; needs `_ledger` and `_lookup`, which `Tasks` sets."""

    _ledger: Ledger
    _lookup: BlockerLookup

    def load(self, text: str, format: Format = "auto", *, session: str = "") -> Exchanged:
        """Import an exported tracker, a checklist or our own state. Idempotent; an older text never undoes newer work."""
        name = _detect_format(text) if format == "auto" else format
        if name not in _READERS:
            raise UsageError(f"there is no format `{name}`: use {', '.join(_READERS)}", format=name)
        return self._merge(RecordMerge(self._ledger, self._lookup, _READERS[name](text), session))

    def absorb(self, records: Iterable[TaskRecord], *, session: str = "", current: str | None = None) -> Exchanged:
        """Import tasks found by `extract/` in transcripts, commits or code. Titles are matched first; texts of blockers
        become suggestions. `current` is the task that was being worked on."""
        working = self._ledger.book().find(current) if current else None
        return self._merge(RecordMerge(self._ledger, self._lookup, Parsed(list(records)), session, working))

    def follow_list(self, change: TodoChange, *, session: str, at: int) -> int:
        """Take over what an agent's list tool was given in a session at a time, in microseconds; return how many steps changed."""
        return StepList(self._ledger, session).apply(change, at)

    def fulfil(self, told: Iterable[str], *, at: int, session: str = "") -> int:
        """Resolve the open conditions that sentences of a person, said at a time in microseconds, tell to be fulfilled; return
        how many."""
        return fulfil_conditions(self._ledger, list(told), at, session)

    def _merge(self, merge: RecordMerge) -> Exchanged:
        known = set(self._ledger.book().tasks)
        done = merge.run()
        if done.created:
            meet_conditions(self._ledger, self._lookup.find_matches, self._ledger.book().tasks.keys() - known)
        return done

    def settle(self, path: str, text: str, at: int | None = None) -> Exchanged:
        """Close the tasks created from TODO comments of a file (path relative to the root) whose comment was removed.
        Comments do not create tasks any more. `at` is in microseconds, None for now."""
        at = self._ledger.now() if at is None else at
        present = {self._ledger.key(record.fields["title"]) for record in code.tasks_of_comments(path, text, at)}
        records = [
            TaskRecord(task.id, {"outcome": f"no longer in {path}"}, "done", updated=at, closed=at, only_known=True)
            for task in self._ledger.book().tasks.values()
            if task.open
            and task.source == code.SOURCE
            and path in task.files
            and canonical_key(task.title) not in present
        ]
        return self.absorb(records)

    def dump(self, format: Format = "state") -> str:
        """Return all tasks as text in one of the formats; deterministic."""
        if format not in _WRITERS:
            raise UsageError(f"there is no format `{format}`: use {', '.join(_READERS)}", format=format)
        return _WRITERS[format](self._ledger.book())

    def sync(self, path: str | Path) -> Exchanged:
        """Synchronise the store with its text in git: read the file if it exists, merge it field by field, and write the
        result. Raises SourceError if the file cannot be read or written."""
        file = Path(path)
        try:
            before = file.read_text("utf-8") if file.exists() else None
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"{file} cannot be read: {error}", path=str(file)) from error
        done = Exchanged() if before is None else self.load(before, "state")
        text = self.dump("state")
        if before != text:
            _write_file(file, text)
        return done


def _write_file(file: Path, text: str) -> None:
    """Write a file completely or not at all. Raises SourceError."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, "utf-8")
        temporary.replace(file)
    except OSError as error:
        raise SourceError(f"{file} cannot be written: {error}", path=str(file)) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _detect_format(text: str) -> str:
    """Return the format of a text, from its first line."""
    first = next(
        (line for line in text.splitlines() if line.strip() and not line.startswith(("<<<", "===", ">>>"))), ""
    )
    try:
        row = json.loads(first)
    except ValueError:
        return "github" if text.lstrip().startswith(("[", "{")) else "markdown"
    if isinstance(row, list):
        return "github"
    if not isinstance(row, dict):
        return "markdown"
    if "number" in row:
        return "github"
    return (
        "state" if "condition" in row or ("created" in row and str(row.get("id", "")).startswith("task:")) else "beads"
    )
