"""What the rows of a translated query mean: times, truth values, lists, nodes and relations, as graph engines return them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.backends.graph.schema import Columns
from graphmem.backends.graph.sqlite.scope import LIST, NODE, RELATION

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LOADED = 500  # nodes that one query loads
Reader = Callable[[Any], Any]
Entities = Mapping[str, Mapping[int, dict[str, Any]]]


def read_time(value: int) -> datetime:
    """Return microseconds since 1970 as a time in UTC."""
    return _EPOCH + timedelta(microseconds=value)


def parse_time(text: str | None) -> int | None:
    """Return a time in ISO 8601, UTC unless it says otherwise, in microseconds since 1970."""
    if text is None:
        return None
    moment = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text.strip()))
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // timedelta(microseconds=1)


def read_rows(
    db: sqlite3.Connection, rows: list[tuple[Any, ...]], kinds: list[str], columns: Mapping[str, Mapping[str, Columns]]
) -> list[list[Any]]:
    """Return rows for callers."""
    keys: dict[str, set[int]] = {NODE: set(), RELATION: set()}
    for number, kind in enumerate(kinds):
        table = kind.removeprefix(LIST)
        if table in keys:
            for row in rows:
                value = row[number]
                if value is not None:
                    keys[table].update(json.loads(value) if kind != table else [value])
    found = {kind: _load(db, kind, keys[kind], columns[kind]) for kind in keys if keys[kind]}
    readers = [_reader_of(kind, found) for kind in kinds]
    return [
        [value if value is None or read is None else read(value) for value, read in zip(row, readers, strict=True)]
        for row in rows
    ]


def _reader_of(kind: str, found: Entities) -> Reader | None:
    """Return what makes a value of a stored one of this kind; None if they are the same."""
    if kind.startswith(LIST):
        inner = _reader_of(kind.removeprefix(LIST), found)
        return lambda text: [
            item if item is None or inner is None else inner(item)
            for item in (json.loads(text) if isinstance(text, str) else text)
        ]
    if kind in (NODE, RELATION):
        return lambda key: found[kind].get(key)
    plain: dict[str, Reader] = {"TIMESTAMP": read_time, "BOOL": bool, "STRING[]": json.loads, "DOUBLE": float}
    return plain.get(kind)


def _load(
    db: sqlite3.Connection, kind: str, keys: Iterable[int], columns: Mapping[str, Columns]
) -> dict[int, dict[str, Any]]:
    """Return nodes or relations by their keys, as maps with all properties that they may have."""
    wanted, loaded = sorted(keys), dict[int, dict[str, Any]]()
    for start in range(0, len(wanted), _LOADED):
        cursor = db.execute(
            f"SELECT * FROM {'nodes' if kind == NODE else 'edges'} WHERE key IN (SELECT value FROM json_each(?))",
            [json.dumps(wanted[start : start + _LOADED])],
        )
        names = [column[0] for column in cursor.description]
        for values in cursor:
            row = dict(zip(names, values, strict=True))
            label = row["label" if kind == NODE else "type"]
            ends = {} if kind == NODE else {"_src": _address(row["source"]), "_dst": _address(row["target"])}
            properties = {name: _property(row[name], of) for name, of in columns.get(label, {}).items()}
            loaded[row["key"]] = {**ends, "_id": _address(row["key"]), "_label": label, **properties}
    return loaded


def _property(value: Any, kind: str) -> Any:
    read = _reader_of(kind, {})
    return value if value is None or read is None else read(value)


def _address(key: int) -> dict[str, int]:
    """Return the internal id of a node or relation, in the form of the embedded engines."""
    return {"offset": key, "table": 0}
