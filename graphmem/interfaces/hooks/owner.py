"""One hook, asked of the owner of a store over its socket."""

from __future__ import annotations

import json
import time
from typing import Any

from graphmem.interfaces.owner_socket import NoOwner, connect, read_record, record


class Late(Exception):
    """The owner has the question and records what it says, but its answer did not come in time."""


def ask(store: str, event: str, given: dict[str, Any], patience: float) -> dict[str, Any]:
    """Return what the owner answers to a hook. Raises Late when it takes longer than `patience` seconds, NoOwner where there
    is none."""
    connection, token = connect(store)
    with connection:
        connection.settimeout(patience)
        until = int((time.time() + 0.9 * patience) * 1_000_000)
        text = json.dumps(given, ensure_ascii=False)
        try:
            connection.sendall(record("Hello", token) + record("Hook", event, text, until))
            answers = connection.makefile("rb")
            read_record(answers, "Welcome")
            (result,) = read_record(answers, "Result")
            said = json.loads(result)
        except TimeoutError as error:
            raise Late from error
        except (OSError, ValueError, TypeError) as error:  # it ended before it answered, or could not
            raise NoOwner from error
    return said if isinstance(said, dict) else {}
