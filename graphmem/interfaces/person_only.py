"""Refuses what only a person may do: in a shell that an agent started, and to a program with an access token. A text that an
agent read could have told it to do so."""

from __future__ import annotations

import os
from collections.abc import Container

from graphmem.errors import UsageError
from graphmem.interfaces.agent_shells import agent_of
from graphmem.ports.callers import PROGRAM, WRITER
from graphmem.settings import APPROVAL


def refuse_agents(act: str) -> None:
    """Raise UsageError unless a person may be acting; `act` says what only a person can do."""
    if agent_of(os.environ, certain=True) or WRITER.get() == PROGRAM:
        raise UsageError(f"only a person can {act}: do it in your own terminal, or in the viewer")


def refuse_agents_to_configure(keys: Container[str]) -> None:
    """Raise UsageError unless a person may be changing these settings, or anybody may: who switches approval off releases all
    that waits."""
    if APPROVAL in keys:
        refuse_agents(f"change the setting {APPROVAL}")
