"""Runs command lines of thin clients in the owner of a store. Everything is already loaded there, so an answer takes
milliseconds instead of half a second for process start, imports and opening the store."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import typer.main

from graphmem.interfaces import envelope
from graphmem.interfaces.cli import render
from graphmem.interfaces.cli.main import Invocation, build, describe, overlooked_store
from graphmem.interfaces.cli.thin import SERVED
from graphmem.memory import Memory
from graphmem.ports.callers import for_agent
from graphmem.store import Store
from graphmem.trust.hidden import replace_controls
from graphmem.workdir import working_in

_WRITING = frozenset({"tasks", "remember", "feedback"})


class ServedCommands:
    """The commands that the owner of a store runs for clients."""

    def __init__(self, store: Store) -> None:
        self._memory = Memory(store)

    def __call__(self, text: str) -> str:
        """Run a command line, `{"words": [...], "directory": "...", "terminal": {...}, "agent": false, "caller": "..."}`. Return
        `[status, output, error output]` as JSON, or "" if the client must run it: invalid options, another project, a shell, or
        anything that needs the client's own process."""
        sent = json.loads(text)
        invocation, terminal = _parse(sent["words"]), sent["terminal"]
        if invocation is None or not is_served(invocation) or terminal.get("TZ", "") != os.environ.get("TZ", ""):
            return ""
        started, out = time.perf_counter(), StringIO()
        try:
            with working_in(Path(sent["directory"])), for_agent() if sent.get("agent") else nullcontext():
                result = invocation.answer(self._memory, str(sent.get("caller", "")))
                overlooked = overlooked_store(invocation)
            shown = invocation.show(result, started, render.make_console(out, terminal))
            note = "\n".join(filter(None, (overlooked, shown)))
            status = int(invocation.verb.failed(result))
        except Exception as error:  # noqa: BLE001 (the sender reads what went wrong)
            if invocation.as_json:
                out.write(envelope.dumps(envelope.failure(error)) + "\n")
            sentence, status = describe(error)
            note = f"graphmem: {sentence}"
        return json.dumps([status, out.getvalue(), f"{replace_controls(note)}\n" if note else ""], ensure_ascii=False)


def is_served(invocation: Invocation) -> bool:
    """Return whether the owner may run a command: one that only reads, or writes only text from its arguments. Not
    served: `allow` and `deny`, which check whether an agent runs them, and commands that need files or report
    progress."""
    verb, given = invocation.verb, invocation.given
    group = verb.name.split()[0]
    if group not in SERVED or verb.local or invocation.is_watched or invocation.project:
        return False
    if verb.writes and group not in _WRITING:
        return False
    is_shell = verb.name == "cypher" and given["query"] is None and given["named"] is None
    return not is_shell and not any(isinstance(value, Path) for value in given.values())


def _parse(words: Sequence[str]) -> Invocation | None:
    """Return the parsed command, or None if the words are not a verb with valid arguments."""
    try:
        parsed = _command_of(words[0] if words else "").main(list(words), "graphmem", standalone_mode=False)
    except Exception:  # noqa: BLE001 (the sender's own process says what was typed wrong)
        return None
    return parsed if isinstance(parsed, Invocation) else None


@cache
def _command_of(word: str) -> Any:
    return typer.main.get_command(build(word if word in SERVED else "", run=lambda invocation: invocation))
