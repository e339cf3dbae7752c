"""Parses query parameters typed as `name=value`: JSON numbers and booleans are recognised, everything else is a
string."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from graphmem.errors import UsageError


def bindings(arguments: Iterable[str]) -> dict[str, Any]:
    """Parse `["limit=5", "name=x"]` to `{"limit": 5, "name": "x"}`. Raises UsageError for an argument without `=`."""
    found: dict[str, Any] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"`{argument}` is not a parameter: write name=value", argument=argument)
        found[name] = typed(value)
    return found


def typed(text: str) -> Any:
    """Parse a JSON number, boolean, list or null; return any other text unchanged."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, str | dict) else value
