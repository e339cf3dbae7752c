"""One question to the owner of a store, over its socket. As little as can be imported for that; `backends/remote` has the
whole protocol, in which a record is `[1, name, ...fields]`."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from typing import IO, Any

_RECORD = 1


class Late(Exception):
    """The owner has the question and records what it says, but its answer did not come in time."""


class NoOwner(Exception):
    """Nobody owns the store, or nobody who could answer: what was asked is to be done here."""


def ask(store: str, event: str, given: dict[str, Any], patience: float) -> dict[str, Any]:
    """What the owner answers to a hook. Raises Late when it takes longer than `patience` seconds, NoOwner where there is
    none."""
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
        except (OSError, ValueError, TypeError) as error:  # it ended before it answered, or could not
            raise NoOwner from error
    return said if isinstance(said, dict) else {}


def _line(name: str, *fields: str | int) -> bytes:
    return json.dumps([_RECORD, name, *fields], ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _fields(answers: IO[bytes], name: str) -> list[Any]:
    """The fields of the next record. Raises ValueError for another one, or none."""
    answer = json.loads(answers.readline())
    if not isinstance(answer, list) or answer[:2] != [_RECORD, name]:
        raise ValueError(name)
    return answer[2:]


def _connect(store: str) -> tuple[socket.socket, str]:
    """A connection to the owner that the store's card names, and the token to greet it with."""
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


def _is_same_user(connection: socket.socket) -> bool:
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # process, user, group
    return int.from_bytes(peer[4:8], sys.byteorder) == os.getuid()
