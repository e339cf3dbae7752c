"""The JSON envelope of all results: `{"data": ..., "meta": {...}}`, or `{"error": {"code", "message", "data"}}`. Used
by the command line, MCP and HTTP."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphmem.errors import GraphmemError, message_of
from graphmem.interfaces.noted import split_note


def to_json_values(value: Any) -> Any:
    """Convert a result to plain JSON values; times become ISO 8601 in UTC."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json_values(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json_values(inner) for key, inner in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return to_json_values(value._asdict())
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json_values(inner) for inner in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if isinstance(value, datetime):
        return (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)).isoformat()
    if isinstance(value, Path):
        return str(value)
    return value


def success(value: Any, **meta: Any) -> str:
    """Return the envelope of a result. A note for the reader goes into `meta`."""
    value, note = split_note(value)
    return dumps({"data": to_json_values(value), "meta": meta | ({"note": note} if note else {})})


def failure(error: BaseException) -> dict[str, Any]:
    """Return the envelope of an error. An unexpected error has its type and message, never a traceback."""
    if isinstance(error, GraphmemError):
        return {"error": {"code": type(error).__name__, "message": error.message, "data": to_json_values(error.data)}}
    return {"error": {"code": "Unforeseen", "message": f"{type(error).__name__}: {message_of(error)}", "data": {}}}


def dumps(value: Any) -> str:
    """Serialise an envelope."""
    return json.dumps(value, ensure_ascii=False, default=str)
