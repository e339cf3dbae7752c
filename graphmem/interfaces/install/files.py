"""Configuration files of others: read as they are, written in one step beside a backup, never half."""

from __future__ import annotations

import os
from pathlib import Path

from graphmem.errors import UsageError

BACKUP = ".graphmem-backup"


def read(path: Path) -> str | None:
    """The text, line ends as they are; None where there is no file. Raises UsageError for one that is no text."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", path=str(path)) from error


def write(path: Path, text: str) -> None:
    """Replace the file in one step. A link stays one, and its target keeps its permissions."""
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(mode)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", path=str(path)) from error


def backup_of(path: Path) -> Path:
    """Where the text from before the first installation lies."""
    return path.with_name(path.name + BACKUP)


def keep(path: Path, text: str) -> None:
    """Keep the text from before the installation."""
    write(backup_of(path), text)
