"""Asks the owner of a store one question over its socket, with minimal imports. The full protocol is in
`backends/remote`; a record is `[1, name, ...fields]`."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from typing import IO, Any

_RECORD = 1


class Late(Exception):
    """The owner received the question and records it, but did not answer in time."""


class NoOwner(Exception):
    """The store has no owner that can answer; the caller has to do the work."""


def ask(store: str, event: str, given: dict[str, Any], patience: float) -> dict[str, Any]:
    """Return the owner's answer to a hook. Raises Late after `patience` seconds, NoOwner if there is no owner."""
    connection, token = _connect(store)
    with connection:
        connection.settimeout(patience)
        until = int((time.time() + 0.9 * patience) * 1_000_000)
        text = json.dumps(given, ensure_ascii=False)
        try:
            connection.sendall(_line("Hello", token) + _line("Hook", event, text, until))
            answers = connection.makefile("rb")
            _fields(answers, "Welcome")
            (result,) = _fields(answers, "Result")
            said = json.loads(result)
        except TimeoutError as error:
            raise Late from error
        except (OSError, ValueError, TypeError) as error:  # the owner exited before it answered, or could not answer
            raise NoOwner from error
    return said if isinstance(said, dict) else {}


def _line(name: str, *fields: str | int) -> bytes:
    return json.dumps([_RECORD, name, *fields], ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _fields(answers: IO[bytes], name: str) -> list[Any]:
    """Return the fields of the next record. Raises ValueError for another record, or none."""
    answer = json.loads(answers.readline())
    if not isinstance(answer, list) or answer[:2] != [_RECORD, name]:
        raise ValueError(name)
    return answer[2:]


def _connect(store: str) -> tuple[socket.socket, str]:
    """Connect to the owner named in the store's card; return the connection and the token."""
    connection = None
    try:
        with open(os.path.join(store, "owner.json"), encoding="utf-8") as file:  # noqa: PTH118
            card = json.load(file)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(card["socket"])
        if not _is_same_user(connection):  # the card may have been copied with the store
            raise PermissionError("the owner process of the store belongs to another user")
        return connection, str(card["token"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if connection is not None:
            connection.close()
        raise NoOwner from error


def _is_same_user(connection: socket.socket) -> bool:
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # process, user, group
    return int.from_bytes(peer[4:8], sys.byteorder) == os.getuid()
