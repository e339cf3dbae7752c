"""Markdown for people: one page with gotchas, facts, skills, patterns, tasks and sessions, each with its date. Turns are
not included; `graphmem export FILE` exports everything."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem.context import StoreContext
from graphmem.export import scan
from graphmem.trust.hidden import replace_controls

_SECTIONS = {
    "Gotcha": "Gotchas",
    "Fact": "Facts",
    "Skill": "Skills",
    "Pattern": "Patterns",
    "Summary": "Summaries",
    "Document": "Documents",
    "Session": "Sessions",
}
_ENDED = "superseded"  # status of facts that no longer hold
_MAX_ITEMS = 2_000  # items per section
_DETAIL_FIELDS = {"resolution": "Fix", "example": "Example", "guide": "Guide", "criteria": "Works when"}
_MAX_CHARS = 600  # characters of one item


def write_markdown(context: StoreContext, path: Path) -> int:
    """Write the page; return the number of items."""
    count = 0
    groups = {group.name: group for group in scan.scan_nodes(context.graph) if group.name in _SECTIONS}
    with path.open("w", encoding="utf-8", errors="replace") as file:
        file.write(f"# What {context.project} remembers\n")
        for label, title in _SECTIONS.items():
            if label not in groups:
                continue
            group = groups[label]
            items = [dict(zip(group.columns, row, strict=True)) for row in group.rows]
            file.write(f"\n## {title} ({len(items):,})\n")
            for heading, part in _parts(label, items):
                file.write(f"\n{heading}")
                for item in part[:_MAX_ITEMS]:
                    file.writelines(f"{line}\n" for line in _item_lines(item))
                    count += 1
                if len(part) > _MAX_ITEMS:
                    file.write(f"\n… and {len(part) - _MAX_ITEMS:,} more.\n")
        tasks = context.tasks.dump("markdown").strip()
        if tasks:
            file.write(f"\n## Tasks\n\n{_plain_marks(tasks)}\n")
    return count


def _parts(label: str, items: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the items of a section in order, newest first, each part with its heading. Facts are sorted by subject, and those
    that no longer hold are apart from those that do."""
    items = sorted(items, key=lambda item: (_time_of(item), item["id"]), reverse=True)
    if label != "Fact":
        yield "", items
        return
    items.sort(key=lambda item: str(item.get("subject") or "~").lower())  # stable: within a subject newest first
    ended = [item for item in items if item.get("status") == _ENDED]
    if current := [item for item in items if item.get("status") != _ENDED]:
        yield "", current
    if ended:
        yield "### No longer true\n\n", ended


def _time_of(item: dict[str, Any]) -> str:
    time = item.get("at") or item.get("started_at")
    return time.isoformat() if isinstance(time, datetime) else ""


def _date_of(item: dict[str, Any]) -> str:
    time = item.get("at") or item.get("started_at")
    return f"{time:%Y-%m-%d}" if isinstance(time, datetime) else ""


def _item_lines(item: dict[str, Any]) -> Iterator[str]:
    title = str(item.get("title") or item.get("ref") or "")
    body = str(item.get("content") or item.get("summary") or item.get("description") or "")
    head = " ".join(part for part in (_date_of(item), f"**{_one_line(title)}**" if title else "") if part)
    text = "" if _is_same_text(title, body) else _one_line(body)
    yield f"- {head}{': ' if head and text else ''}{text}{_mark_of(item)}"
    for name, label in _DETAIL_FIELDS.items():
        if item.get(name):
            yield f"  - {label}: {_one_line(str(item[name]))}"


def _mark_of(item: dict[str, Any]) -> str:
    """Return how a fact stands where it does not simply hold: " (superseded 2026-03-04)"."""
    status, until = str(item.get("status") or ""), item.get("valid_to")
    if status not in (_ENDED, "contested"):
        return ""
    return f" ({status}{f' {until:%Y-%m-%d}' if isinstance(until, datetime) else ''})"


def _is_same_text(title: str, body: str) -> bool:
    return bool(title) and " ".join(title.split()) == " ".join(body.split())


def _one_line(text: str) -> str:
    """Return a text in one line that no marks of Markdown can break."""
    plain = " ".join(text.split())
    return _plain_marks(plain if len(plain) <= _MAX_CHARS else plain[: _MAX_CHARS - 1] + "…")


def _plain_marks(text: str) -> str:
    """Markdown that shows no element of HTML, loads no image, and holds nothing that turns the direction of writing."""
    return replace_controls(text).replace("<", "&lt;").replace("![", "!\\[")
