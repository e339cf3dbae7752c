"""Reads and writes configuration files of other programs: atomically, and with a backup."""

from __future__ import annotations

import os
from pathlib import Path

from graphmem.errors import UsageError

BACKUP = ".graphmem-backup"


def read(path: Path) -> str | None:
    """Return the text with its original line ends, or None if there is no file. Raises UsageError if it is not a text
    file."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", path=str(path)) from error


def write(path: Path, text: str) -> None:
    """Replace a file atomically. A symbolic link stays a link, and permissions are kept."""
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
    """Return the path of the backup from before the first installation."""
    return path.with_name(path.name + BACKUP)


def save_backup(path: Path, text: str) -> None:
    """Save a backup from before the first installation."""
    write(backup_of(path), text)
