"""Tells who calls a command: the same terminal or the same agent process gets the same key, any other another one. It imports
nothing, because the thin client reads it."""

from __future__ import annotations

import os
from collections.abc import Mapping

_THREAD = "CODEX_THREAD_ID"  # names the conversation itself
# Programs that only pass a command on: not they ask, but what started them.
_PASSING = frozenset(
    "sh bash dash zsh fish ksh env timeout nice sudo doas time setsid xargs stdbuf script uv uvx graphmem".split()
)
_FARTHEST = 20  # ancestors that are looked at


def caller_key(environment: Mapping[str, str]) -> str:
    """Return a key of the terminal, or of the agent, that runs this command; "" if it cannot be told apart from others."""
    if environment.get(_THREAD):
        return f"thread {environment[_THREAD]}"
    try:
        return _of_processes(os.getpid())
    except (OSError, ValueError, IndexError):
        return ""


def _of_processes(pid: int) -> str:
    """Return a key of the session leader of the terminal, otherwise of the nearest ancestor that runs commands by itself.
    Raises OSError where the system does not list processes in `/proc`."""
    _, _, leader, terminal, _ = _read(pid)
    if terminal:
        return f"terminal {leader} {_read(leader)[4]}"
    parent = _read(pid)[1]
    for _ in range(_FARTHEST):
        if parent <= 1:  # a command that outlived its caller, or the only one of a container
            return ""
        name, above, _, _, started = _read(parent)
        if name not in _PASSING:
            return f"process {parent} {started}"
        parent = above
    return ""


def _read(pid: int) -> tuple[str, int, int, int, str]:
    """Return (name, parent, session leader, terminal, start time) of a process; a number that is used again has another time."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        head, _, rest = file.read().rpartition(")")
    fields = rest.split()
    return head.partition("(")[2], int(fields[1]), int(fields[3]), int(fields[4]), fields[19]
