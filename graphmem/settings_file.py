"""Reads the file with the settings of a store, and says in which line something is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from graphmem.errors import UsageError

FILE_NAME = "settings.toml"
_REMEDY = "correct that line, or delete the file to use the defaults"
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
_TABLE = re.compile(r"\s*\[\s*([\w.\" -]+?)\s*\]")
_KEY = re.compile(r"\s*[\"']?([\w.-]+)[\"']?\s*=")


def read_values(file: Path) -> dict[str, Any]:
    """Return the tables of a file; empty if there is none. Raises UsageError with the line of what is no TOML."""
    if not file.is_file():
        return {}
    import tomllib

    try:
        raw = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}", path=str(file)) from error
    try:
        return tomllib.loads(raw.decode())
    except UnicodeDecodeError as error:
        raise _invalid(file, raw.count(b"\n", 0, error.start) + 1, "it is no UTF-8 text") from error
    except ValueError as error:
        found = _PLACE.search(str(error))
        line = int(found[1]) if found and found[1] else raw.count(b"\n") + (not raw.endswith(b"\n"))
        raise _invalid(file, line, _PLACE.sub("", str(error))) from error


def _invalid(file: Path, line: int, why: str) -> UsageError:
    return UsageError(f"{file}, line {line}: not valid TOML ({why}): {_REMEDY}", path=str(file), line=line)


def with_line(error: UsageError, file: Path) -> UsageError:
    """Return an error about a setting with the line that sets it, if that is in the file."""
    line = _line_of(file, str(error.data.get("key", "")))
    return UsageError(f"{file}, line {line}: {error.message}", **error.data, line=line) if line else error


def _line_of(file: Path, key: str) -> int:
    """Return the line that sets a key, or of the table with its first part; 0 if there is none."""
    table, fallback = "", 0
    for number, line in enumerate(file.read_text("utf-8").splitlines() if key and file.is_file() else (), 1):
        if found := _TABLE.match(line):
            table = f"{found[1]}."
            fallback = fallback or number * (found[1] in (key, key.partition(".")[0]))
        elif (found := _KEY.match(line)) and f"{table}{found[1]}" == key:
            return number
    return fallback
