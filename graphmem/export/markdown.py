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
            items = sorted(items, key=lambda item: (_date_of(item), item["id"]), reverse=True)
            file.write(f"\n## {title} ({len(items):,})\n\n")
            for item in items[:_MAX_ITEMS]:
                file.writelines(f"{line}\n" for line in _item_lines(item))
                count += 1
            if len(items) > _MAX_ITEMS:
                file.write(f"\n… and {len(items) - _MAX_ITEMS:,} older ones.\n")
        tasks = context.tasks.dump("markdown").strip()
        if tasks:
            file.write(f"\n## Tasks\n\n{_plain_marks(tasks)}\n")
    return count


def _date_of(item: dict[str, Any]) -> str:
    time = item.get("at") or item.get("started_at")
    return f"{time:%Y-%m-%d}" if isinstance(time, datetime) else ""


def _item_lines(item: dict[str, Any]) -> Iterator[str]:
    title = str(item.get("title") or item.get("ref") or "")
    body = str(item.get("content") or item.get("summary") or item.get("description") or "")
    head = " ".join(part for part in (_date_of(item), f"**{_one_line(title)}**" if title else "") if part)
    text = "" if _is_same_text(title, body) else _one_line(body)
    yield f"- {head}{': ' if head and text else ''}{text}"
    for name, label in _DETAIL_FIELDS.items():
        if item.get(name):
            yield f"  - {label}: {_one_line(str(item[name]))}"


def _is_same_text(title: str, body: str) -> bool:
    return bool(title) and " ".join(title.split()) == " ".join(body.split())


def _one_line(text: str) -> str:
    """Return a text in one line that no marks of Markdown can break."""
    plain = " ".join(text.split())
    return _plain_marks(plain if len(plain) <= _MAX_CHARS else plain[: _MAX_CHARS - 1] + "…")


def _plain_marks(text: str) -> str:
    """Markdown that shows no element of HTML, loads no image, and holds nothing that turns the direction of writing."""
    return replace_controls(text).replace("<", "&lt;").replace("![", "!\\[")
