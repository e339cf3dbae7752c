"""The directory that relative paths start from: that of the process, or that of the client for which it runs a
command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_directory: ContextVar[Path | None] = ContextVar("directory", default=None)


def current_directory() -> Path:
    """Return the directory that relative paths start from."""
    return _directory.get() or Path.cwd()


@contextmanager
def working_in(directory: Path) -> Iterator[None]:
    """Let relative paths of this thread start from a directory."""
    token = _directory.set(directory)
    try:
        yield
    finally:
        _directory.reset(token)
