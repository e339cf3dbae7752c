"""Passes one hook to the owner of a store over its socket."""

from __future__ import annotations

import json
import time
from typing import Any

from graphmem.interfaces.owner_socket import OwnerUnavailable, connect, encode_record, read_record


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
