"""Refuses commands in a shell that an agent started: a text that it read could have told it to run them."""

from __future__ import annotations

import os

from graphmem.errors import UsageError

_AGENTS = ("CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT")  # set in the shells of agents


def refuse_agents(act: str) -> None:
    """Raise UsageError in a shell that an agent started; `act` says what only a person can do."""
    if any(os.environ.get(name) for name in _AGENTS):
        raise UsageError(f"only a person can {act}: run this in your own terminal")
