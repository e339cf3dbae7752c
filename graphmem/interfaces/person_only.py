"""Refuses commands in a shell that an agent started: a text that it read could have told it to run them."""

from __future__ import annotations

import os

from graphmem.errors import UsageError
from graphmem.interfaces.agent_shells import agent_of


def refuse_agents(act: str) -> None:
    """Raise UsageError in a shell that an agent started; `act` says what only a person can do."""
    if agent_of(os.environ, certain=True):
        raise UsageError(f"only a person can {act}: run this in your own terminal")
