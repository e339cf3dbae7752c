"""Writes a table as CSV, JSON or Parquet, for `graphmem cypher --csv` and for downloads of the viewer. In a download, cells that
a spreadsheet would run as a formula become text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from graphmem.interfaces import envelope
from graphmem.model.table import Table, import_pyarrow
from graphmem.trust.hidden import replace_controls

FORMATS = ("csv", "json", "parquet")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_table(table: Table, format: str) -> bytes:
    """Return the table in one of the formats."""
    return {"csv": _csv, "json": _json, "parquet": _parquet}[format](table)


def csv_lines(table: Table) -> str:
    """Return the table as CSV for a program or a terminal: values as they are, but without control characters."""
    return _write_csv(table, replace_controls)


def _csv(table: Table) -> bytes:
    written = _write_csv(table, lambda text: "'" + text if text.startswith(_FORMULA) else text)
    return written.encode("utf-8", "replace")


def _write_csv(table: Table, guard: Callable[[str], str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_cell(value, guard) for value in row])
    return out.getvalue()


def _cell(value: Any, guard: Callable[[str], str]) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, int | float):
        return value
    return guard(value if isinstance(value, str) else _plain(value))


def _plain(value: Any) -> str:
    simple = envelope.to_json_values(value)
    return simple if isinstance(simple, str) else json.dumps(simple, ensure_ascii=False, default=str)


def _json(table: Table) -> bytes:
    rows = [{name: envelope.to_json_values(value) for name, value in row.items()} for row in table.to_dicts()]
    return json.dumps(rows, ensure_ascii=False, indent=1, default=str).encode("utf-8", "replace")


def _parquet(table: Table) -> bytes:
    """Return Parquet; columns whose values have no common type, such as nodes, contain JSON."""
    pyarrow = import_pyarrow()
    from pyarrow import parquet

    columns = {}
    for at, name in enumerate(table.columns):
        values = [row[at] for row in table.rows]
        try:
            if any(isinstance(value, dict) for value in values):
                raise pyarrow.ArrowInvalid
            columns[name] = pyarrow.array(values)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
            columns[name] = pyarrow.array([None if value is None else _plain(value) for value in values])
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()
