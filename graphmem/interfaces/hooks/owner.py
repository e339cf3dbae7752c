"""One question to the owner of a store, over its socket: a line of JSON there, a line back. As little as can be imported
for that; `backends/remote` has the whole protocol."""

from __future__ import annotations

import json
import os
import socket
import time
from typing import Any


class Late(Exception):
    """The owner has the question and records what it says, but its answer did not come in time."""


class NoOwner(Exception):
    """Nobody owns the store, or nobody who could answer: what was asked is to be done here."""


def ask(store: str, arguments: dict[str, Any], patience: float) -> dict[str, Any]:
    """What the owner answers to a hook. Raises Late when it takes longer than `patience` seconds, NoOwner where there is
    none."""
    with _connect(store) as connection:
        connection.settimeout(patience)
        until = int((time.time() + 0.9 * patience) * 1_000_000)
        message = {"call": "hook", "arguments": arguments | {"until": until}}
        try:
            connection.sendall(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            reply = json.loads(connection.makefile("rb").readline())
        except TimeoutError as error:
            raise Late from error
        except (OSError, ValueError) as error:  # it ended before it answered
            raise NoOwner from error
    if "result" not in reply:
        raise NoOwner
    result = reply["result"]
    return result if isinstance(result, dict) else {}


def _connect(store: str) -> socket.socket:
    connection = None
    try:
        with open(os.path.join(store, "owner.json"), encoding="utf-8") as card:  # noqa: PTH118
            address = json.load(card)["socket"]
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(address)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if connection is not None:
            connection.close()
        raise NoOwner from error
    return connection
