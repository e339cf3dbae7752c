"""Lines of files, for what the syntax of a place does not say."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

WIDTH = 400  # characters of a line that are looked at


class FileLines:
    """Lines of files, each file read once. `read` returns the text of a file."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read
        self._lines: dict[str, list[str]] = {}

    def line(self, file: str, number: int) -> str:
        """Return the beginning of a line; "" if there is none, or the file cannot be read."""
        if file not in self._lines:
            self._lines[file] = []
            with suppress(OSError):
                self._lines[file] = self._read(file).split("\n")
        lines = self._lines[file]
        return lines[number - 1][:WIDTH] if 1 <= number <= len(lines) else ""
