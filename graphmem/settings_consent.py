"""Which settings of a store's file the user has chosen: those that send text to a server or load a model apply only if they
were set on this machine, because a store that came from elsewhere brings its `settings.toml` along."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from graphmem.errors import UsageError

_FILE = "chosen-settings"  # in the folder of all stores; one `key=value` per line
# section -> the setting that turns its part off, its values that need no choice, and the settings that say where to
_PARTS = {
    "embedding": ("provider", {"none", "wordllama", "e5"}, ("url", "model", "tokenizer")),
    "retrieval": ("reranker", {"none"}, ("reranker_url", "reranker_model", "reranker_tokenizer")),
    "model": ("provider", {"none"}, ("url",)),
    "log": ("url", {""}, ()),
    "graph": ("url", {""}, ()),
    "server": ("log_url", {""}, ("oidc_issuer",)),
}


def drop_unchosen(values: dict[str, Any], home: Path) -> tuple[str, ...]:
    """Remove, from the settings of a store's file, those that the user has not chosen, and turn off what they are
    for. Return their keys."""
    chosen: frozenset[str] | None = None
    dropped: list[str] = []
    for section, (switch, harmless, places) in _PARTS.items():
        table = values.get(section)
        if not isinstance(table, dict):
            continue
        asked = [name for name in (switch, *places) if table.get(name) and table[name] not in harmless]
        if asked and chosen is None:
            chosen = _chosen(home)
        unknown = [name for name in asked if _line(f"{section}.{name}", table[name]) not in (chosen or ())]
        for name in unknown:
            del table[name]
        if unknown:
            table[switch] = "none" if "none" in harmless else ""
        dropped += [f"{section}.{name}" for name in unknown]
    return tuple(dropped)


def note_choice(changes: Mapping[str, Any], home: Path) -> None:
    """Note that the user sets these (dotted key -> value). Raises UsageError if that cannot be written."""
    keys = {f"{section}.{name}" for section, (switch, _, places) in _PARTS.items() for name in (switch, *places)}
    fresh = {_line(key, value) for key, value in changes.items() if key in keys and value is not None}
    known = _chosen(home) if fresh else frozenset()
    if fresh <= known:
        return
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = home / f"{_FILE}.{os.getpid()}"
        part.touch(0o600)
        part.write_text(_text(known | fresh), "utf-8")
        part.replace(home / _FILE)
    except OSError as error:
        raise UsageError(f"{home / _FILE} cannot be written: {error.strerror or error}") from error


def _chosen(home: Path) -> frozenset[str]:
    try:
        return frozenset((home / _FILE).read_text("utf-8").splitlines())
    except (OSError, ValueError):
        return frozenset()


def _line(key: str, value: Any) -> str:
    return f"{key}={value!r}"


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in sorted(lines))
