"""Messages between the owner of a graph and its clients: one JSON object a line over a local socket. Times, bytes and
records survive the way; nothing that could run code does."""

from __future__ import annotations

import base64
import dataclasses
import json
import socket
from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from graphmem import errors
from graphmem.errors import GraphmemError, StoreError

# Records may come from these modules alone.
_RECORDS = (
    "graphmem.model.",
    "graphmem.code.",
    "graphmem.evolution.",
    "graphmem.operations.",
    "graphmem.ingest.",
    "graphmem.ports.",
    "graphmem.memify.",
    "graphmem.endless.",
    "graphmem.tree.",
)
LONGEST = 256 << 20  # bytes of one message


def encode(value: Any) -> bytes:
    """A message as a line."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def decode(line: bytes) -> Any:
    """The message of a line."""
    return _record(json.loads(line))


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, datetime):
        return {"$time": value.isoformat()}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, Path):
        return {"$path": str(value)}
    name = f"{type(value).__module__}:{type(value).__qualname__}"
    if dataclasses.is_dataclass(value):
        fields = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"$record": name, "fields": fields}
    if isinstance(value, tuple):
        inner = [_plain(item) for item in value]
        return {"$record": name, "items": inner} if hasattr(value, "_fields") else {"$tuple": inner}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | set | frozenset):
        return [_plain(item) for item in value]
    return str(value)


def _record(value: Any) -> Any:
    if isinstance(value, list):
        return [_record(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$time" in value:
        return datetime.fromisoformat(value["$time"])
    if "$bytes" in value:
        return base64.b64decode(value["$bytes"])
    if "$path" in value:
        return Path(value["$path"])
    if "$tuple" in value:
        return tuple(_record(value["$tuple"]))
    if "$record" in value:
        module, _, name = value["$record"].partition(":")
        if not module.startswith(_RECORDS) or not name.isidentifier():
            raise StoreError(f"the owner sent an unknown record: {value['$record']}")
        kind = getattr(import_module(module), name)
        if "items" in value:
            return kind(*_record(value["items"]))
        return kind(**{key: _record(item) for key, item in value["fields"].items()})
    return {key: _record(item) for key, item in value.items()}


def failure(error: BaseException) -> dict[str, Any]:
    """An error as part of a message."""
    data = error.data if isinstance(error, GraphmemError) else {}
    return {"kind": type(error).__name__, "message": str(error), "data": data}


def raised(failed: dict[str, Any]) -> GraphmemError:
    """The error of a message, of its own kind where that is known."""
    kind = getattr(errors, failed["kind"], StoreError)
    if not (isinstance(kind, type) and issubclass(kind, GraphmemError)):
        kind = StoreError
    return kind(failed["message"], **failed.get("data", {}))


def lines(connection: socket.socket) -> Iterator[bytes]:
    """The lines that arrive, until the other side closes."""
    pending = bytearray()
    while chunk := connection.recv(1 << 16):
        start = len(pending)
        pending += chunk
        if len(pending) > LONGEST:
            raise StoreError("a message of the owner's protocol is too long")
        while (end := pending.find(b"\n", start)) >= 0:
            yield bytes(pending[:end])
            del pending[: end + 1]
            start = 0
