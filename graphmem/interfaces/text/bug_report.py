"""Formats the report for bug reports as Markdown, so that it can be pasted into an issue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def bug_report_text(report: Mapping[str, Any]) -> str:
    """Return the report of `make_bug_report` as Markdown."""
    return "\n".join(
        [
            "## graphmem report",
            "",
            "Contains no texts, names or paths of yours. Read it before you send it.",
            "",
            *(line for name, part in report.items() for line in _section(name, part)),
        ]
    )


def _section(name: str, part: Any) -> list[str]:
    return [f"### {name.replace('_', ' ')}", "", *_lines(part), ""]


def _lines(part: Any, indent: str = "") -> list[str]:
    if isinstance(part, Mapping):
        return [line for name, value in part.items() for line in _entry(str(name), value, indent)] or [
            f"{indent}- none"
        ]
    if isinstance(part, list | tuple):
        return [f"{indent}- {_flat(each)}" for each in part] or [f"{indent}- none"]
    return [f"{indent}- {_flat(part)}"]


def _entry(name: str, value: Any, indent: str) -> list[str]:
    if isinstance(value, Mapping | list | tuple) and value:
        return [f"{indent}- {name}:", *_lines(value, indent + "  ")]
    return [f"{indent}- {name}: {_flat(value)}"]


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    if value is None:
        return "cannot be read"
    return "none" if value in ([], ()) else str(value)
