"""Writes the guide `settings`: every setting with its meaning, default and bounds, read from the settings themselves. To
write it again after a change: `python -m graphmem.interfaces.settings_reference > graphmem/guides/settings.md`."""

from __future__ import annotations

import inspect
from dataclasses import Field, fields
from typing import Any

from graphmem.settings import Settings

_HEAD = """# Settings: every key, its default and its bounds

```bash
graphmem config                            # all settings of this store
graphmem config buffer                     # those that begin so
graphmem config buffer.window 20           # change one
```

Settings of a store are in its `settings.toml`. An environment variable overrides the file: `buffer.window` is
`GRAPHMEM_BUFFER__WINDOW`. From Python, `Memory.open(settings={"buffer.window": 20})` overrides both. An unknown key is an error.
Keys of servers and models come from the environment alone.
"""
_TYPES = """
## types

Your own types of entities and relations. They are tables, so edit them in `settings.toml`; `graphmem help facts` has an example.
"""
_PLAIN = {bool: "`true` or `false`", str: "text", int: "a whole number", float: "a number"}


def settings_reference() -> str:
    """Return the text of the guide `settings`."""
    return _HEAD + "".join(_section(section) for section in fields(Settings) if section.name != "types") + _TYPES


def _section(section: Field[Any]) -> str:
    kind: Any = type(section.default)
    rows = "".join(
        f"| `{section.name}.{entry.name}` | {_default(entry)} | {_takes(entry)} | {entry.metadata['help']} |\n"
        for entry in fields(kind)
    )
    meaning = " ".join((inspect.getdoc(kind) or "").split())
    return f"\n## {section.name}\n\n{meaning}\n\n| Key | Default | Takes | Meaning |\n|---|---|---|---|\n{rows}"


def _default(entry: Field[Any]) -> str:
    if isinstance(entry.default, bool):
        return f"`{str(entry.default).lower()}`"
    return f"`{entry.default}`" if entry.default != "" else "none"


def _takes(entry: Field[Any]) -> str:
    if "choices" in entry.metadata:
        return ", ".join(f"`{choice}`" for choice in entry.metadata["choices"])
    bound = f" of at least {entry.metadata['least']:g}" if "least" in entry.metadata else ""
    return _PLAIN[type(entry.default)] + bound


if __name__ == "__main__":
    print(settings_reference(), end="")  # noqa: T201
