"""Formats commits and events of the log for people: what happened, when, in which session, and a short preview."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graphmem.code.text_search import kind_of_file
from graphmem.memory import Memory
from graphmem.model.events import Event
from graphmem.model.table import Table
from graphmem.model.tasks import to_datetime

_MAX_PREVIEW_CHARS = 80  # characters of a preview
_HASH = 8  # characters of a commit in a list: git finds it by them
_SUBJECT = 160  # characters of the subject of a commit
_TELLING = ("title", "command", "subject", "content", "path", "target", "root", "task", "event", "reason", "cwd")


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One event. `at` is when it happened, `recorded_at` when it was recorded. `payload` is empty once purged."""

    id: str
    type: str
    at: datetime
    session: str
    preview: str
    project: str
    actor: str
    position: int
    recorded_at: datetime
    origin: str
    payload: dict[str, Any]


def commit_line(row: Sequence[Any]) -> str:
    """Return a row of the history of a symbol or file as a line, and the reason of the commit below it."""
    hash_, at, author, subject, change, *reasons = row
    subject = subject if len(subject) <= _SUBJECT else f"{subject[:_SUBJECT]}…"
    mark = f" ({change})" if change not in ("", "M", None) else ""
    reason = f"\n  {reasons[0]}" if reasons and reasons[0] else ""
    return f"{hash_[:_HASH]} {at:%Y-%m-%d} {author}: {subject}{mark}{reason}"


def commits_end(result: Table) -> str:
    """Return the closing line of a history: how many commits, and how to see what they changed."""
    count = f"{len(result.rows)} commit{'' if len(result.rows) == 1 else 's'}"
    cut = ", cut at the limit: --limit shows more" if result.truncated else ""
    return f"{count}{cut}" + ("; --patch shows what each changed" if result.rows else "")


_FILE_OF_PATCH = re.compile(r"^diff --git ", re.M)
_MOST_RELATIONS = 12  # types of relations that are counted


def commit_text(commit: Mapping[str, Any], relations: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return a commit with its stored patch, sources first, of each test file only how much it changed, and its relations as
    counts."""
    at, hash_ = commit["at"], str(commit["hash"])
    size = f"{commit['files']} file{'s' * (commit['files'] != 1)} +{commit['additions']} -{commit['deletions']}"
    merge = " (merge)" if commit["merge"] else ""
    lines = [f"Commit {hash_} {at:%Y-%m-%d} {commit['author']}{merge}: {size}", str(commit["subject"])]
    lines += [str(commit["body"]).strip()] if commit.get("body") else []
    parts = _FILE_OF_PATCH.split(str(commit.get("patch") or ""))[1:]
    shown = sorted(map(_patch_of_file, parts), key=lambda one: one[0])
    lines += [text for _, text in shown]
    if not parts and commit.get("patch"):
        lines.append(str(commit["patch"]))
    counts = Counter(str(each["type"]) for each in relations).most_common(_MOST_RELATIONS)
    told = ", ".join(f"{name} {count}" for name, count in counts)
    return "\n".join(lines), f"Relations: {told}; --json lists them, --patch prints the whole patch." if told else ""


def _patch_of_file(part: str) -> tuple[bool, str]:
    """Return whether a part of a patch is of a test file, and its lines; of a test file their number."""
    head, *lines = part.rstrip("\n").split("\n")
    path = head[len(head) // 2 + 1 :].removeprefix("b/")
    kept = [line for line in lines if not line.startswith(("index ", "--- ", "+++ "))]
    added, removed = (sum(line.startswith(sign) for line in kept) for sign in "+-")
    if kind_of_file(path) == "test":
        return True, f"{path}  test, +{added} -{removed}"
    return False, "\n".join((path, *kept))


def list_events(
    mem: Memory, session: str | None, types: Sequence[str] | None, limit: int, before: int | None = None
) -> list[HistoryRow]:
    """Return the latest events in order of time."""
    return [_row(event) for event in mem.history(session=session, types=types, limit=limit, before=before)]


def _row(event: Event) -> HistoryRow:
    at, recorded = (to_datetime(each) for each in (event.at, event.clock))
    words = next((str(event.payload[name]) for name in _TELLING if event.payload.get(name)), "")
    plain = " ".join(words.split())
    preview = plain if len(plain) <= _MAX_PREVIEW_CHARS else plain[: _MAX_PREVIEW_CHARS - 1] + "…"
    return HistoryRow(event.id, event.type, at.astimezone(UTC), event.session, preview, event.project, event.actor, event.position,
                recorded.astimezone(UTC), event.origin, event.payload)  # fmt: skip
