"""Finds the files that travel with the package (`queries/`, `grammars/`) in a checkout or an installed wheel.
It reads them as text; nobody else needs to know where they lie. It also
knows the version, which owner and clients compare."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from graphmem.errors import StoreError

VERSION = "0.1.0"
_PACKAGE = Path(__file__).parent


@cache
def root() -> Path:
    """The folder that holds `queries/` and `grammars/`."""
    for folder in (_PACKAGE / "_data", _PACKAGE.parent):
        if (folder / "queries").is_dir() and (folder / "grammars").is_dir():
            return folder
    raise StoreError("the installation of graphmem lacks its query files: install it again", package=str(_PACKAGE))


def path(name: str) -> Path:
    """The path of a file such as `queries/code/go/definitions.scm`; it may not exist."""
    return root() / name


@cache
def text(name: str) -> str:
    """The text of such a file."""
    try:
        return path(name).read_text("utf-8")
    except OSError as error:
        raise StoreError(f"graphmem's own file {name} cannot be read: install it again", name=name) from error


def names(folder: str, suffix: str) -> list[str]:
    """The sorted names of the files in a folder that end so, relative to the root."""
    return sorted(f"{folder}/{p.name}" for p in path(folder).glob(f"*{suffix}"))
