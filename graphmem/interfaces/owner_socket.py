"""Talks to the owner of a store with as few imports as can be: for hooks and for the thin client of the command line.
`backends/remote` has the whole protocol, in which a record is a line `[1, name, ...fields]`."""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import IO, Any

_RECORD = 1


class NoOwner(Exception):
    """Nobody owns the store, or nobody who could answer: the caller does it without."""


def connect(store: str) -> tuple[socket.socket, str]:
    """Return a connection to the owner that the store's card names, and the token to greet it with. Raises NoOwner."""
    connection = None
    try:
        with open(os.path.join(store, "owner.json"), encoding="utf-8") as file:  # noqa: PTH118
            card = json.load(file)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(card["socket"])
        if not _is_same_user(connection):  # the card may have come with a copied store
            raise PermissionError("the owner of the store is another user's")
        return connection, str(card["token"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if connection is not None:
            connection.close()
        raise NoOwner from error


def record(name: str, *fields: Any) -> bytes:
    """Return a record as a line."""
    return json.dumps([_RECORD, name, *fields], ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def read_record(answers: IO[bytes], name: str) -> list[Any]:
    """Return the fields of the next record. Raises ValueError for another one, or none."""
    answer = json.loads(answers.readline())
    if not isinstance(answer, list) or answer[:2] != [_RECORD, name]:
        raise ValueError(name)
    return answer[2:]


def _is_same_user(connection: socket.socket) -> bool:
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # process, user, group
    return int.from_bytes(peer[4:8], sys.byteorder) == os.getuid()
