"""Chooses the environment variables that may go into a terminal snapshot: an allow-list, never a list of what to leave
out. It reads no environment itself; the names are in `words.txt`."""

from __future__ import annotations

from collections.abc import Mapping

from graphmem.privacy.filter import redact
from graphmem.privacy.names import word_list

ALLOWED_BEGINNINGS = ("LC_", "XDG_")


def allowed_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of `env` that are on the allow-list, sorted by name, with secrets in their values
    redacted."""
    allowed = word_list("environment")
    names = sorted(name for name in env if name.upper() in allowed or name.upper().startswith(ALLOWED_BEGINNINGS))
    return {name: redact(env[name]).text for name in names}
