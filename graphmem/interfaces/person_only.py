"""Refuses what only a person may do: in a shell that an agent started, and to a program with an access token. A text that an
agent read could have told it to do so."""

from __future__ import annotations

import os

from graphmem.errors import UsageError
from graphmem.interfaces.agent_shells import agent_of
from graphmem.ports.callers import PROGRAM, WRITER


def refuse_agents(act: str) -> None:
    """Raise UsageError unless a person may be acting; `act` says what only a person can do."""
    if agent_of(os.environ, certain=True) or WRITER.get() == PROGRAM:
        raise UsageError(f"only a person can {act}: do it in your own terminal, or in the viewer")
