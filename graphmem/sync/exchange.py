"""Exports the log to one JSON-lines file, and merges such a file. After a merge the projections are rebuilt, because the
events of both logs are now ordered by clock. Unless the user vouches for the other machine, what it says is a third
party's: recorded and found, but no rule, decision or task."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from graphmem.context import StoreContext
from graphmem.errors import NotFound, SourceError, UsageError
from graphmem.log.upcast import latest_versions
from graphmem.model.sources import ExchangeReport
from graphmem.sync.derivations import COGNIFIED
from graphmem.sync.rebuild import REBUILD, erase_forgotten, rebuild_projections


def export_log(context: StoreContext, path: Path) -> ExchangeReport:
    """Write the whole log to a file that only its owner can read, completely or not at all. Raises NotFound for a missing
    folder, UsageError if the path is a folder."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name a file in it", path=str(path))
    if not path.parent.is_dir():
        raise NotFound(f"{path.parent} is not a folder: create it first", path=str(path.parent))
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    count = 0
    try:
        with os.fdopen(os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            for record in context.log.dump():
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                count += 1
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return ExchangeReport(str(path), count - 2)  # excluding the first and last line


def merge_log(
    context: StoreContext,
    path: Path,
    progress: Callable[[str, int], None] = lambda stage, count: None,
    *,
    trust: bool = False,
    same_project: bool = False,
) -> ExchangeReport:
    """Merge an exported log. Idempotent and independent of order; what was erased there is erased here. With `trust`, the
    user vouches for the machine: what a person said there counts as said here. With `same_project`, the projects of the log
    are this one under another name; a trusted log of one project is, if this log is empty or has a commit in common with it.
    Raises NotFound; SourceError for a damaged file, and then changes nothing; UsageError for `same_project` without `trust`."""
    if not path.is_file():
        raise NotFound(f"{path} is not a file", path=str(path))
    if same_project and not trust:
        raise UsageError("only a log that you vouch for can be of the same project: add --trust")
    is_same = same_project or (trust and _is_of_this_repository(context, path))
    projects: set[str] = set()
    pending = context.log.state.unfinished_operations()
    context.log.state.begin_operation(REBUILD)
    if trust:  # before the merge, which may drop derivations: a crash must not lose them
        context.log.state.save_watermark(COGNIFIED, 0)
    try:
        records = _noted(_records(path), projects)
        counts = context.log.merge_records(records, context.recorder.clean_foreign, trusted=trust)
        others = {name for name in projects if context.log.project_named(name) not in (context.project, "")}
        is_renamed = bool(others) and is_same and (same_project or len(others) == 1)
        if is_renamed:
            context.log.rename_projects(others, context.project)
    except BaseException:
        if REBUILD not in pending:
            context.log.state.finish_operation(REBUILD)
        raise
    if counts.revised or is_renamed:  # read differently from now on
        context.renewal.drop_tree()
    if counts.erased:
        erase_forgotten(context, progress)
    elif counts.new or counts.revised or is_renamed or pending:
        rebuild_projections(context, progress)
    else:
        context.log.state.finish_operation(REBUILD)
    named = tuple(sorted(others))
    return ExchangeReport(str(path), counts.new, () if is_renamed else named, named if is_renamed else ())


def _is_of_this_repository(context: StoreContext, path: Path) -> bool:
    """Return whether an export belongs to the repository of this store: the store is new, or knows its first commit."""
    if not context.log.head():
        return True
    for record in _records(path):
        if "derivation" in record or "blob" in record:  # an export has its events first
            return False
        event = record.get("event")
        if isinstance(event, dict) and event.get("type") == "commit_observed":
            return str(event.get("id")) in context.log.get([str(event.get("id"))])
    return False


def _noted(records: Iterator[dict[str, Any]], projects: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the records and collect their projects. Raises SourceError for an event that this version does not know."""
    latest = latest_versions()
    for record in records:
        if isinstance(event := record.get("event"), dict):
            version = event.get("version")
            if isinstance(version, int) and version > latest.get(str(event.get("type")), 1):
                raise SourceError("the export was made by a later version of graphmem: update graphmem")
            projects.add(str(event.get("project") or ""))
        yield record


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise SourceError(f"line {number} of {path.name} is not JSON: the export is damaged") from error
            if not isinstance(record, dict):
                raise SourceError(f"line {number} of {path.name} is not a record: the export is damaged")
            yield record
