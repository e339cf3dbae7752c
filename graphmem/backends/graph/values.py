"""Encodes query values as JSON between the owner of a graph and its reader process. Every JSON object is a tag created
here, so no user map can be mistaken for one, and decoding creates only values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from graphmem.backends.graph.lists import decode_list

Nodes = Mapping[str, Mapping[str, str] | list[str]]  # label -> names of its columns
_ADDED = frozenset({"_ID", "_LABEL", "_SRC", "_DST", "_NODES", "_RELS"})


def encode_value(value: Any, nodes: Nodes | None = None) -> Any:
    """Return a value as JSON. A node keeps only the columns of its label (`nodes`): if matched without a label, it has
    those of all labels. Values without a JSON form become text: dates, intervals, UUIDs, bytes and, in results, infinity
    and NaN."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value if nodes is None else decode_list(value)
    if isinstance(value, float):
        finite = math.isfinite(value)
        return value if finite else {"float": repr(value)} if nodes is None else repr(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [encode_value(item, nodes) for item in value]
    if isinstance(value, Mapping):
        columns = value if nodes is None else own_columns(value, nodes)
        return {"map": [[str(name), encode_value(item, nodes)] for name, item in columns.items()]}
    if isinstance(value, datetime):
        aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value
        return {"time": aware.isoformat()}
    if isinstance(value, bytes):
        return "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02X}" for byte in value)  # as `blob` parses it
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)


def decode_value(value: Any) -> Any:
    """Return the value that was packed."""
    if isinstance(value, list):
        return [decode_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((tag, inner),) = value.items()
    if tag == "map":
        return {name: decode_value(item) for name, item in inner}
    if tag == "time":
        return datetime.fromisoformat(inner)
    if tag == "float":
        return float(inner)
    raise ValueError(f"unknown tag {tag}")


def own_columns(value: Mapping[Any, Any], nodes: Nodes) -> Mapping[Any, Any]:
    """Return the columns of a node without those of other labels, which it has if it was matched without a label. What the
    engine adds to nodes, relations and paths gets the names of Kuzu (`_label`; Ladybug writes `_LABEL`). Any other map
    stays as it is."""
    if isinstance(value.get("_ID"), Mapping) or ("_NODES" in value and "_RELS" in value):
        value = {name.lower() if name in _ADDED else name: item for name, item in value.items()}
    label = value.get("_label")
    if not isinstance(label, str) or label not in nodes or "_id" not in value:
        return value
    own = nodes[label]
    return {name: item for name, item in value.items() if name in own or str(name).startswith("_")}


def clean_value(value: Any, nodes: Nodes) -> Any:
    """Return a value for callers: aware times, integers as int, and a node that was matched without a label without the columns
    of other labels."""
    if isinstance(value, list):
        return [clean_value(inner, nodes) for inner in value]
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC)
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, str):
        return decode_list(value)
    if not isinstance(value, dict):
        return value
    return {name: clean_value(inner, nodes) for name, inner in own_columns(value, nodes).items()}
