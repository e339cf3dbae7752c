"""Connects to the owner of a store with minimal imports, for hooks and the thin command-line client. The full
protocol is in `backends/remote`; a record is a line `[1, name, ...fields]`."""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import IO, Any

_RECORD = 1


class OwnerUnavailable(Exception):
    """The store has no owner that can answer; the caller has to do the work."""


def connect(store: str) -> tuple[socket.socket, str]:
    """Return a connection to the owner that the store's endpoint file names, and the token for the handshake. Raises
    OwnerUnavailable."""
    connection = None
    try:
        with open(os.path.join(store, "owner.json"), encoding="utf-8") as file:  # noqa: PTH118
            endpoint = json.load(file)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(endpoint["socket"])
        if not _is_same_user(connection):  # the endpoint file may have been copied with the store
            raise PermissionError("the owner process of the store belongs to another user")
        return connection, str(endpoint["token"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if connection is not None:
            connection.close()
        raise OwnerUnavailable from error


def encode_record(name: str, *fields: Any) -> bytes:
    """Serialise a record as a line."""
    return json.dumps([_RECORD, name, *fields], ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def read_record(answers: IO[bytes], name: str) -> list[Any]:
    """Return the fields of the next record. Raises ValueError for any other input."""
    answer = json.loads(answers.readline())
    if not isinstance(answer, list) or answer[:2] != [_RECORD, name]:
        raise ValueError(name)
    return answer[2:]


def _is_same_user(connection: socket.socket) -> bool:
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # process, user, group
    return int.from_bytes(peer[4:8], sys.byteorder) == os.getuid()
