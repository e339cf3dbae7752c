"""Prints tables: values as single lines, rows below a heading."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_WIDEST = 120  # maximum characters of a cell


def format_cell(value: Any, *, whole: bool = False) -> str:
    """Format a value as one line, shortened unless `whole`, with markup escaped."""
    text = _whole(value)
    return escape(text if whole or len(text) <= _WIDEST else text[: _WIDEST - 1] + "…")


def _whole(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict) and "_label" in value:
        said = value.get("content") if value["_label"] == "Fact" else ""
        name = value.get("title") or said or value.get("name") or value.get("subject") or value.get("id") or ""
        value = f"({value['_label']} {name})" if "id" in value else f"[{value['_label']}]"
    elif isinstance(value, datetime):
        value = f"{value:%Y-%m-%d %H:%M}"
    elif isinstance(value, float):
        value = f"{value:.3g}"
    elif isinstance(value, list):
        value = ", ".join(map(_whole, value))
    return " ".join(str(value).split())


def print_table(console: Console, columns: list[str], rows: list[list[Any]], title: str = "") -> None:
    """Print a table with a heading. In a pipe: one line per row, whole values, two spaces between columns."""
    if not console.is_terminal:
        for row in [*([[title]] if title else []), columns, *rows]:
            console.print("  ".join(escape(_whole(value)) for value in row).rstrip(), soft_wrap=True)
        return
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(escape(name), overflow="fold")
    for row in rows:
        table.add_row(*map(format_cell, row))
    console.print(table)
