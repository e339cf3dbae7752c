"""Parameters of queries as people type them: `name=value`, numbers and booleans recognised, text otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from graphmem.errors import UsageError


def bindings(arguments: Iterable[str]) -> dict[str, Any]:
    """`["limit=5", "name=x"]` -> `{"limit": 5, "name": "x"}`. Raises UsageError for one without `=`."""
    found: dict[str, Any] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"`{argument}` is no parameter: write name=value", argument=argument)
        found[name] = typed(value)
    return found


def typed(text: str) -> Any:
    """A JSON number, boolean, list or null as such; everything else as the text it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, str | dict) else value
