"""Passes one hook to the owner of a store over its socket."""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import suppress
from typing import Any

from graphmem.interfaces.owner_socket import OwnerUnavailable, connect, encode_record, read_record

_LOOKS_S = 0.05  # between two looks for an owner that is starting


class OwnerTimeout(Exception):
    """The owner received the question and records it, but did not answer in time."""


def ask(store: str, event: str, given: dict[str, Any], timeout_s: float) -> dict[str, Any]:
    """Return the owner's answer to a hook. Raises OwnerTimeout after `timeout_s` seconds, OwnerUnavailable if there is no owner."""
    connection, token = connect(store)
    with connection:
        connection.settimeout(timeout_s)
        until = int((time.time() + 0.9 * timeout_s) * 1_000_000)
        text = json.dumps(given, ensure_ascii=False)
        try:
            connection.sendall(encode_record("Hello", token) + encode_record("Hook", event, text, until))
            answers = connection.makefile("rb")
            read_record(answers, "Welcome")
            (result,) = read_record(answers, "Result")
            said = json.loads(result)
        except TimeoutError as error:
            raise OwnerTimeout from error
        except (OSError, ValueError, TypeError) as error:  # the owner exited before it answered, or could not answer
            raise OwnerUnavailable from error
    return said if isinstance(said, dict) else {}


def ask_starting(store: str, event: str, given: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
    """Return the answer of an owner that is starting; None if none is. Whoever did its work meanwhile would only delay it. Raises
    OwnerTimeout."""
    until = time.monotonic() + timeout_s
    while is_starting(store):
        time.sleep(_LOOKS_S)
        left = until - time.monotonic()
        if left <= 0:
            raise OwnerTimeout
        with suppress(OwnerUnavailable):
            return ask(store, event, given, left)
    return None


def is_starting(store: str) -> bool:
    """Return whether an owner process was started that cannot be reached yet."""
    if os.path.exists(os.path.join(store, "owner.json")):  # noqa: PTH110, PTH118
        return False
    try:
        file = os.open(os.path.join(store, "owner.starting"), os.O_RDWR)  # noqa: PTH118
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until it is closed
    except OSError:
        return True
    finally:
        os.close(file)
    return False
