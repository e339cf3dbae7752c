"""Generates the guide `settings` from the settings' own declarations. Regenerate it after a change:
`python -m graphmem.interfaces.settings_reference > graphmem/guides/settings.md`."""

from __future__ import annotations

import inspect
from dataclasses import Field, fields
from typing import Any

from graphmem.settings import Settings

_HEAD = """# Settings: every key, its default and its allowed values

```bash
graphmem config                            # list all settings of this store
graphmem config buffer                     # list the settings that start with `buffer`
graphmem config buffer.window 20           # change a setting
```

Each store has its own `settings.toml`. Environment variables override the file: `GRAPHMEM_BUFFER__WINDOW` sets `buffer.window`. In
Python, `Memory.open(settings={"buffer.window": 20})` overrides both. An unknown key is an error. API keys are read from environment
variables only.
"""
_TYPES = """
## types

Custom entity and relation types. These are tables: edit them in `settings.toml`. `graphmem help facts` has an example.
"""
_PLAIN = {bool: "`true` or `false`", str: "a string", int: "an integer", float: "a number"}


def settings_reference() -> str:
    """Return the Markdown text of the guide `settings`."""
    return _HEAD + "".join(_section(section) for section in fields(Settings) if section.name != "types") + _TYPES


def _section(section: Field[Any]) -> str:
    kind: Any = type(section.default)
    rows = "".join(
        f"| `{section.name}.{entry.name}` | {_default(entry)} | {_takes(entry)} | {entry.metadata['help']} |\n"
        for entry in fields(kind)
    )
    meaning = " ".join((inspect.getdoc(kind) or "").split())
    return f"\n## {section.name}\n\n{meaning}\n\n| Key | Default | Allowed | Meaning |\n|---|---|---|---|\n{rows}"


def _default(entry: Field[Any]) -> str:
    if isinstance(entry.default, bool):
        return f"`{str(entry.default).lower()}`"
    return f"`{entry.default}`" if entry.default != "" else "none"


def _takes(entry: Field[Any]) -> str:
    if "choices" in entry.metadata:
        return ", ".join(f"`{choice}`" for choice in entry.metadata["choices"])
    bound = f", at least {entry.metadata['least']:g}" if "least" in entry.metadata else ""
    return _PLAIN[type(entry.default)] + bound


if __name__ == "__main__":
    print(settings_reference(), end="")  # noqa: T201
